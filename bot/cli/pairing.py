"""What `retinue pair` does: asks the bot that runs, or, where none does, writes the same rows under its lock."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bot.cli import one_line, ordering, texts
from bot.cli.ordering import terms
from bot.errors import ConfigError
from bot.journal import pairing
from bot.store import guests, pairings
from bot.store.connection import Connection
from bot.store.guests import Guest
from bot.store.pairings import Pairing
from bot.store.review import look
from bot.texts import operators, people_access


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    text: str
    is_done: bool


def by_code(data: Path, code: str) -> Said:
    """Let in whoever was given this code."""
    text = done(data, "pair", lambda db: pairing.by_code(db, code, "the operator", terms()), code=code)
    return Said(text=one_line(text), is_done=text not in (people_access.NO_REQUEST, texts.NOT_YET))


def revoked(data: Path, person: str) -> Said:
    """Send somebody away, on whatever channel."""
    text = done(data, "revoke", lambda db: pairing.revoke(db, person, terms()), person=person)
    nobody = people_access.NOBODY_SENT_AWAY(person=person)
    return Said(text=one_line(text), is_done=text not in (nobody, texts.NOT_YET))


def done(data: Path, order: str, here: Callable[[Connection], str], **arguments: str) -> str:
    try:
        if not (data / "bot.db").exists():
            raise ConfigError(texts.NOBODY_HAS_ASKED(folder=data))
    except OSError as error:
        raise ConfigError(operators.CANNOT_USE_DATA(path=error.filename or data, reason=error.strerror)) from None
    return ordering.done(data, order, here, **arguments)


def listed(data: Path) -> Sequence[str]:
    """Lines for people: who was let in, who was sent away, who asks."""
    nobody: tuple[list[Guest], list[Pairing]] = ([], [])
    known, asking = look(data / "bot.db", lambda db: (guests.all_of(db), pairings.pending(db)), nobody)
    now = datetime.now(UTC)
    let_in = [of_guest(guest) for guest in known if not guest.is_revoked]
    away = [of_guest(guest) for guest in known if guest.is_revoked]
    open_ones = [of_request(request) for request in asking if request.deadline > now]
    return [
        *([texts.LET_IN, *let_in] if let_in else [texts.NOBODY_LET_IN]),
        *([texts.SENT_AWAY, *away] if away else []),
        *([texts.ASKING_TO_BE_LET_IN, *open_ones] if open_ones else [texts.NOBODY_ASKS_TO_BE_LET_IN]),
    ]


def of_guest(guest: Guest) -> str:
    line = texts.GUEST(
        channel=guest.channel,
        person=guest.person,
        name=guest.name,
        granter=guest.granted_by,
        time=local(guest.since),
    )
    return one_line(line)


def of_request(request: Pairing) -> str:
    line = texts.REQUEST_TO_BE_LET_IN(
        code=request.code,
        channel=request.address.channel,
        person=request.stranger.id,
        name=request.stranger.name,
        time=local(request.deadline),
    )
    return one_line(line)


def local(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"
