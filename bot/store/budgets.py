"""Which budgets a request counts on, and who may use how much of the day."""

from dataclasses import dataclass
from enum import Enum

from bot.access import NOBODY
from bot.limits import Terms
from bot.store import guests
from bot.store.connection import Connection
from bot.turn import Turn

TENANT = ""  # what the tenant's own row in `spending` calls its chat


class Budget(Enum):
    """Which budget is the tightest."""

    TURN = "turn"
    CHAT = "chat"
    PERSON = "person"  # its share of the day
    DAY = "day"
    SHARED_DAY = "shared day"  # the day without what is kept for the owner


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """What a budget has left for one more request, and what open requests of others may yet give back."""

    budget: Budget
    left: int
    of_others: int


def limits_of_day(db: Connection, turn: Turn, terms: Terms) -> list[tuple[Budget, str, int]]:
    """The budgets of a day that a turn's person may use, each with its scope: all of the day where nobody else may
    speak, and for the owner; for others their share of it, and the day without what is kept for the owner."""
    settings, day = terms.settings, terms.settings.day
    access = terms.accesses.get(turn.address.channel, NOBODY)
    if access.owner == turn.person or not is_shared(db, terms):
        return [(Budget.DAY, TENANT, day)]
    kept = day * settings.owner_reserve_percent // 100 if any(each.owner for each in terms.accesses.values()) else 0
    of_all = (Budget.SHARED_DAY if kept else Budget.DAY, TENANT, day - kept)
    share = day * settings.person_day_percent // 100
    return [of_all, (Budget.PERSON, person_of(turn), share)] if share < day else [of_all]


def is_shared(db: Connection, terms: Terms) -> bool:
    """Whether several people may speak, by the settings or because the owner has let them in."""
    return any(access.is_shared for access in terms.accesses.values()) or guests.are_there(db)


def person_of(turn: Turn) -> str:
    """What a person's own rows in `spending` call their chat: no chat's name begins so."""
    return f"@{turn.address.channel}:{turn.person}"
