"""Budgets: which of them a request is charged to, what each has left, and who may use how much of the day.

Token caps limit how much a turn's next request may read and write. Tokens that are read from the cache are not counted.
The output of a request counts again when the next one sends it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from bot.core import web
from bot.core.clients import CLIENT_CHANNEL_NAME
from bot.core.limits import DecisionTerms
from bot.core.prices import PriceCard, find_pricing
from bot.core.settings import Settings
from bot.core.turn import Turn, TurnState
from bot.journal.people import is_account_of_owner, person_of_first_account
from bot.store import guests, ledger, sessions, turns
from bot.store.connection import Connection
from bot.store.ledger import TENANT_SPENDING_SCOPE, DaySpending, SpendingTotal, person_spending_scope
from bot.store.people import OWNER_KEY, PersonKey
from bot.store.sessions import Chapter

MIN_OUTPUT_TOKENS = 1_024  # tokens: a request that may write less is not made
FINAL_REQUEST_NOTE_TOKENS = 128  # tokens, at most, of the note that tells the model that this request is the last


class BudgetKind(Enum):
    """A kind of budget. If a turn waits for money, its row holds the value of the tightest budget."""

    TURN = "turn"
    CHAT = "chat"
    PERSON = "person"  # its share of the day
    DAY = "day"
    SHARED_DAY = "shared day"  # the day without what is kept for the owner


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetHeadroom:
    """What a budget has left for one more request, and what open requests have reserved in it, in micros."""

    budget: BudgetKind
    left_micros: int
    reserved_by_others_micros: int


def list_budget_headroom(
    db: Connection, turn: Turn, chapter: Chapter, terms: DecisionTerms, *, keeps_own: bool
) -> list[BudgetHeadroom]:
    """Return the headroom in each budget that a turn's next request is charged to. In the budget of each turn above,
    the price of that turn's last request is kept back, unless it has ended; with `keeps_own` also in the turn's own."""
    rooms = list_day_headroom(db, str(turn.address.whole_chat), turn.address.channel, turn.person, terms)
    for each in (turn, *turns.list_turns_above(db, turn)):
        its_chapter = chapter if each.id == turn.id else sessions.get_current_chapter(db, each.session)
        may_speak = each.state is not TurnState.ENDED and (keeps_own or each.id != turn.id)
        kept = final_request_price_micros(its_chapter) if may_speak else 0
        left = each.limits.cost - each.spent.cost - each.spent.reserved - kept
        of_others = each.spent.reserved
        rooms.append(BudgetHeadroom(budget=BudgetKind.TURN, left_micros=left, reserved_by_others_micros=of_others))
    return rooms


def list_day_headroom(
    db: Connection, chat: str, channel: str, account: str, terms: DecisionTerms
) -> list[BudgetHeadroom]:
    """Return the headroom in each budget of the day that this person uses in this chat."""
    person, spent = load_day_spending(db, chat, channel, account, terms)
    own_scope = person_spending_scope(channel, account)
    of_chat = (BudgetKind.CHAT, chat, chat_day_micros(channel, account, terms))
    rooms = []
    for budget, scope, limit in (of_chat, *day_limits(db, person, own_scope, terms, day_cap_micros(spent, terms))):
        total = spent.get(scope, SpendingTotal())
        left = limit - total.cost - total.reserved
        rooms.append(BudgetHeadroom(budget=budget, left_micros=left, reserved_by_others_micros=total.reserved))
    return rooms


def chat_day_micros(channel: str, account: str, terms: DecisionTerms) -> int:
    """Return what the chat of this person may spend a day. A client's chat has the budget of the client."""
    client = terms.settings.clients.get(account) if channel == CLIENT_CHANNEL_NAME else None
    return client.day_micros if client else terms.settings.limits.chat_day_micros


def day_cap_micros(spent: Mapping[str, DaySpending], terms: DecisionTerms) -> int:
    """Return what all chats together may spend on the day of this spending, in micros: what the owner has set for that
    day, or else what the settings say."""
    tenant = spent.get(TENANT_SPENDING_SCOPE)
    return terms.settings.limits.day_micros if tenant is None or tenant.cap is None else tenant.cap


def load_day_cap_micros(db: Connection, terms: DecisionTerms) -> int:
    return day_cap_micros(ledger.load_day_spending_by_scope(db, [TENANT_SPENDING_SCOPE], terms.today), terms)


def load_day_spending(
    db: Connection, chat: str, channel: str, account: str, terms: DecisionTerms
) -> tuple[PersonKey, dict[str, DaySpending]]:
    """Return the person of an account, and what the chat, the tenant and that person have spent today, by scope."""
    first, spent = ledger.load_day_spending_for_account(db, chat, channel, account, terms.today)
    is_owner = is_account_of_owner(channel, account, terms)
    return (OWNER_KEY if is_owner else person_of_first_account(first, terms)), spent


def day_limits(
    db: Connection, person: PersonKey, own_scope: str, terms: DecisionTerms, day: int
) -> list[tuple[BudgetKind, str, int]]:
    """Return the day budgets that a person may use, each with its scope and its limit in micros. `day` is the cap of
    the day, and `own_scope` the scope of what the person has spent. The owner may use the whole day. So may anybody if
    only one person may speak. Other people may use their share of the day, and the day without the part that is kept
    for the owner."""
    if person == OWNER_KEY or not has_several_people(db, terms):
        return [(BudgetKind.DAY, TENANT_SPENDING_SCOPE, day)]
    kept = owner_reserve_micros(db, terms, day)
    of_all = (BudgetKind.SHARED_DAY if kept else BudgetKind.DAY, TENANT_SPENDING_SCOPE, day - kept)
    share = day * terms.settings.limits.person_day_percent // 100
    return [of_all, (BudgetKind.PERSON, own_scope, share)] if share < day else [of_all]


def owner_reserve_micros(db: Connection, terms: DecisionTerms, day: int) -> int:
    """Return the micros of a day with this cap that only the owner may spend; 0 if nobody else may speak, or
    there is no owner."""
    if not has_several_people(db, terms) or not any(access.owner_id for access in terms.access_by_channel.values()):
        return 0
    return day * terms.settings.limits.owner_reserve_percent // 100


def has_several_people(db: Connection, terms: DecisionTerms) -> bool:
    """Return True if several people may speak, by the settings or because the owner has let them in."""
    return any(access.may_others_speak for access in terms.access_by_channel.values()) or guests.has_active_guests(db)


def final_request_price_micros(chapter: Chapter) -> int:
    """Return what a turn's last request in this chapter would cost, in micros, if it were made now. That request keeps
    the web tools, because without them it could not read the cache. So the price includes their lowest caps."""
    card = price_card_for_next_prompt(chapter)
    if card is None:
        return 0
    of_web = web.worst_case_cost_of_web_uses(chapter.served, len(web.WEB_USE_LEVELS) - 1, card)
    return card.worst_case_cost(chapter.tokens + FINAL_REQUEST_NOTE_TOKENS, MIN_OUTPUT_TOKENS) + of_web


def price_card_for_next_prompt(chapter: Chapter, more: int = 0) -> PriceCard | None:
    """Return the prices for the next prompt, which may grow by `more` tokens; None if the model has no price."""
    pricing = find_pricing(chapter.model)
    return pricing.card_for_prompt(chapter.tokens + more) if pricing else None


def context_window_tokens(model: str, settings: Settings) -> int:
    """Return how many tokens the model's context holds."""
    pricing = find_pricing(model)
    return pricing.window_tokens if pricing else settings.model.context_tokens


def tokens_left_for_turn(db: Connection, turn: Turn) -> int:
    """Return how many tokens a turn, and all above it, may still use."""
    return min(each.limits.tokens - each.spent.tokens for each in (turn, *turns.list_turns_above(db, turn)))


def output_token_allowance(db: Connection, turn: Turn, chapter: Chapter, *, is_last: bool) -> int:
    """Return how many tokens a turn's next request may write. If it is not the last, tokens are kept back for the last
    words and for what the model's server may find, and half of the rest is for sending the output again."""
    left = tokens_left_for_turn(db, turn) - chapter.uncached_tokens - FINAL_REQUEST_NOTE_TOKENS
    if is_last or chapter.is_closing:
        return left
    level = web.web_use_level_for_turn_tokens(chapter.served, chapter.web_level, turn.limits.tokens)
    return (left - web.most_tokens_of_web_pages(chapter.served, level) - MIN_OUTPUT_TOKENS) // 2


def result_token_allowance(db: Connection, turn: Turn, chapter: Chapter) -> int:
    """Return how many tokens the results of a step may add, so that the turn can still say its last words."""
    return tokens_left_for_turn(db, turn) - chapter.uncached_tokens - FINAL_REQUEST_NOTE_TOKENS - MIN_OUTPUT_TOKENS


def has_tokens_for_final_request(db: Connection, turn: Turn, chapter: Chapter) -> bool:
    """Return True if a turn's tokens allow its last request. A root turn may always make it. A role may exceed its
    limit by a twentieth, since a prompt's length is an estimate."""
    slack = turn.limits.tokens // 20
    return turn.is_root or result_token_allowance(db, turn, chapter) + slack >= 0
