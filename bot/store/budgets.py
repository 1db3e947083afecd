"""Which budgets a request counts on, and who may use how much of the day."""

from dataclasses import dataclass
from enum import Enum

from bot.core.access import CLOSED_ACCESS
from bot.core.limits import Terms
from bot.store import guests
from bot.store.connection import Connection

TENANT_SCOPE = ""  # what the tenant's own row in `spending` calls its chat


class BudgetKind(Enum):
    """Which budget is the tightest."""

    TURN = "turn"
    CHAT = "chat"
    PERSON = "person"  # its share of the day
    DAY = "day"
    SHARED_DAY = "shared day"  # the day without what is kept for the owner


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetRoom:
    """What a budget has left for one more request, and what open requests of others reserve and may still release."""

    budget: BudgetKind
    left: int
    reserved_by_others: int


def day_budget_limits(db: Connection, channel: str, person: str, terms: Terms) -> list[tuple[BudgetKind, str, int]]:
    """Return the day budgets that a person may use, each with its scope and limit.

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
    """What of a day nobody but the owner may spend; nothing where nobody else may speak, or there is no owner."""
    if not has_several_people(db, terms) or not any(access.owner for access in terms.accesses.values()):
        return 0
    return terms.settings.limits.day * terms.settings.limits.owner_reserve_percent // 100


def has_several_people(db: Connection, terms: Terms) -> bool:
    """Whether several people may speak, by the settings or because the owner has let them in."""
    return any(access.is_shared for access in terms.accesses.values()) or guests.has_guests(db)


def person_scope(channel: str, person: str) -> str:
    """What a person's own rows in `spending` call their chat: no chat's name begins so."""
    return f"@{channel}:{person}"
