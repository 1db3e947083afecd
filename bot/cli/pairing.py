"""What `retinue pair` does: asks the bot that runs, or, where none does, writes the same rows under its lock."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bot.cli import one_line, ordering
from bot.cli.ordering import NOT_YET, terms
from bot.errors import ConfigError
from bot.journal import pairing
from bot.store import guests, pairings
from bot.store.connection import Connection
from bot.store.guests import Guest
from bot.store.pairings import Pairing
from bot.store.review import look
from bot.texts import people_access


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    text: str
    is_done: bool


def by_code(data: Path, code: str) -> Said:
    """Let in whoever was given this code."""
    text = done(data, "pair", lambda db: pairing.by_code(db, code, "the operator", terms()), code=code)
    return Said(text=one_line(text), is_done=text not in (people_access.NO_REQUEST, NOT_YET))


def revoked(data: Path, person: str) -> Said:
    """Send somebody away, on whatever channel."""
    text = done(data, "revoke", lambda db: pairing.revoke(db, person, terms()), person=person)
    return Said(text=one_line(text), is_done=text not in (people_access.NOBODY_SENT_AWAY(person=person), NOT_YET))


def done(data: Path, order: str, here: Callable[[Connection], str], **arguments: str) -> str:
    try:
        if not (data / "bot.db").exists():
            raise ConfigError(f"{data}: no bot has run there yet, so nobody has asked to be let in")
    except OSError as error:
        raise ConfigError(f"data_dir: cannot use {error.filename or data}: {error.strerror}") from None
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
        *(["Let in:", *let_in] if let_in else ["Nobody was let in. (The owner and allow_from stand in the settings.)"]),
        *(["Sent away:", *away] if away else []),
        *(["Asking to be let in:", *open_ones] if open_ones else ["Nobody asks to be let in."]),
    ]


def of_guest(guest: Guest) -> str:
    by = f"by {guest.granted_by}, since {local(guest.since)}"
    return one_line(f"  {guest.channel}  {guest.person}  {guest.name}, {by}")


def of_request(request: Pairing) -> str:
    stranger = f"{request.address.channel}  {request.stranger.id}  {request.stranger.name}"
    return one_line(f"  {request.code}  {stranger}, until {local(request.deadline)}")


def local(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"
