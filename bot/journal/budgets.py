"""Budgets: which of them a request counts on, what each has left, and who may use how much of the day."""

from dataclasses import dataclass
from enum import Enum

from bot.core import web
from bot.core.access import CLOSED_ACCESS
from bot.core.limits import Terms
from bot.core.prices import PriceCard, find_pricing
from bot.core.settings import Settings
from bot.core.turn import Turn
from bot.journal.token_caps import LAST_WORDS_NOTE_TOKENS, LEAST_OUTPUT
from bot.store import guests, ledger, sessions, turns
from bot.store.connection import Connection
from bot.store.ledger import TENANT_SCOPE, SpendingTotal, person_scope
from bot.store.sessions import Chapter


class BudgetKind(Enum):
    """Which budget is the tightest. A turn that waits for money has the value in its row."""

    TURN = "turn"
    CHAT = "chat"
    PERSON = "person"  # its share of the day
    DAY = "day"
    SHARED_DAY = "shared day"  # the day without what is kept for the owner


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetRoom:
    """What a budget has left for one more request, and what open requests of others reserve and may still release.
    Both are in micros."""

    budget: BudgetKind
    left: int
    reserved_by_others: int


def list_budget_rooms(
    db: Connection, turn: Turn, chapter: Chapter, terms: Terms, *, keeps_own: bool
) -> list[BudgetRoom]:
    """Return the room of each budget that a turn's next request counts on: the chat's, those of the day, the turn's
    own, and those of the turns above.

    The price of its last request is kept back from each turn above, and if `keeps_own` from the turn itself.
    """
    limits = [
        (BudgetKind.CHAT, str(turn.address.whole_chat), terms.settings.limits.chat_day),
        *day_budget_limits(db, turn.address.channel, turn.person, terms),
    ]
    spent = ledger.load_spending(db, [scope for _, scope, _ in limits], terms.today)
    rooms = []
    for budget, scope, limit in limits:
        total = spent.get(scope, SpendingTotal())
        left = limit - total.cost - total.reserved
        rooms.append(BudgetRoom(budget=budget, left=left, reserved_by_others=total.reserved))
    for each in (turn, *turns.turns_above(db, turn)):
        its_chapter = chapter if each.id == turn.id else sessions.get_chapter(db, each.session)
        kept = last_words_price(its_chapter) if keeps_own or each.id != turn.id else 0
        left = each.limits.cost - each.spent.cost - each.spent.reserved - kept
        rooms.append(BudgetRoom(budget=BudgetKind.TURN, left=left, reserved_by_others=each.spent.reserved))
    return rooms


def day_budget_limits(db: Connection, channel: str, person: str, terms: Terms) -> list[tuple[BudgetKind, str, int]]:
    """Return the day budgets that a person may use, each with its scope and its limit in micros.

    The owner may use the whole day, and so may a person where nobody else may speak. Other people may use their
    share of the day, and the day without the part that is kept for the owner.
    """
    limits, day = terms.settings.limits, terms.settings.limits.day
    if is_owner(channel, person, terms) or not has_several_people(db, terms):
        return [(BudgetKind.DAY, TENANT_SCOPE, day)]
    kept = owner_reserve(db, terms)
    of_all = (BudgetKind.SHARED_DAY if kept else BudgetKind.DAY, TENANT_SCOPE, day - kept)
    share = day * limits.person_day_percent // 100
    return [of_all, (BudgetKind.PERSON, person_scope(channel, person), share)] if share < day else [of_all]


def is_owner(channel: str, person: str, terms: Terms) -> bool:
    return terms.accesses.get(channel, CLOSED_ACCESS).owner == person


def owner_reserve(db: Connection, terms: Terms) -> int:
    """Return the part of a day's money, in micros, that only the owner may spend.

    Return 0 if nobody else may speak, or if there is no owner.
    """
    if not has_several_people(db, terms) or not any(access.owner for access in terms.accesses.values()):
        return 0
    return terms.settings.limits.day * terms.settings.limits.owner_reserve_percent // 100


def has_several_people(db: Connection, terms: Terms) -> bool:
    """Return True if several people may speak, by the settings or because the owner has let them in."""
    return any(access.is_shared for access in terms.accesses.values()) or guests.has_guests(db)


def last_words_price(chapter: Chapter) -> int:
    """Return what a turn's last request in this chapter would cost, in micros, if it were made now.

    It shows the web's tools, or it would not read the cache. So it must be able to pay for their lowest caps.
    """
    card = price_card_of(chapter)
    if card is None:
        return 0
    of_web = web.price_of_web_uses(chapter.served, len(web.CAP_LEVELS) - 1, card)
    return card.worst_cost(chapter.tokens + LAST_WORDS_NOTE_TOKENS, LEAST_OUTPUT) + of_web


def price_card_of(chapter: Chapter, more: int = 0) -> PriceCard | None:
    """Return the prices for the next prompt, which may grow by `more` tokens; None if the model has no price."""
    pricing = find_pricing(chapter.model)
    return pricing.card_for(chapter.tokens + more) if pricing else None


def context_window(model: str, settings: Settings) -> int:
    """Return how many tokens the model's context holds."""
    pricing = find_pricing(model)
    return pricing.window if pricing else settings.model.context_tokens
