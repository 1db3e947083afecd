"""What the bot has written down: whether the file is whole, what was set aside or could not be said, who asks."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from bot.cli.checks import Finding, ok, texts, warning, wrong
from bot.errors import ConfigError, StoreDamaged
from bot.program import command
from bot.store import chats, inbox, lock, outbox, pairings, pulse, review
from bot.store.connection import Connection
from bot.store.schema import of_development
from bot.store.writer import MENDING

SHOWN = 3  # of each kind: the rest are counted


def of_store(folder: Path, names: list[str]) -> Iterator[Finding]:
    """All that a look into the file gives; it changes nothing."""
    path = folder / "bot.db"
    if not path.exists():
        yield ok(texts.NO_DATABASE)
        return
    try:
        is_running = bool(lock.holder(folder))
        yield from tables(path)
        yield from review.look(path, lambda db: [*found(db, names, is_running=is_running)], old(path))
    except (StoreDamaged, ConfigError) as error:
        yield wrong(
            texts.DATABASE_FAILS(fault=error), texts.SEE_ABOVE if isinstance(error, StoreDamaged) else texts.MEND_FIRST
        )


def tables(path: Path) -> Iterator[Finding]:
    """Whether they are as the version has made them that the file is of."""
    changed, unknown = review.tables(path)
    if changed:
        raise of_development(changed)
    if unknown:
        text = texts.UNKNOWN_TABLES(len(unknown), names=", ".join(unknown[:SHOWN]), path=path)
        yield warning(text, texts.NOT_NEEDED)
    else:
        yield ok(texts.TABLES)


def old(path: Path) -> list[Finding]:
    return [ok(texts.DATABASE_OLD(path=path))]


def found(db: Connection, names: list[str], *, is_running: bool) -> Iterator[Finding]:
    damage = review.check(db)
    yield wrong(texts.DATABASE_DAMAGED(damage=damage), MENDING) if damage else ok(texts.DATABASE_WHOLE)
    yield from set_aside(db)
    yield from not_said(db)
    yield from shut(db)
    yield from faults(db, names, is_running=is_running)
    yield from asking(db)


def set_aside(db: Connection) -> Iterator[Finding]:
    rows = inbox.set_aside(db)
    for row in rows[-SHOWN:]:
        reason = row["why"] or texts.NO_KNOWN_REASON
        text = texts.SET_ASIDE(address=row["address"], time=row["kept_at"][:16], reason=reason)
        yield warning(text, texts.WRITER_KNOWS)
    if len(rows) > SHOWN:
        yield warning(texts.MORE_SET_ASIDE(count=len(rows) - SHOWN), texts.KEPT_FOR_KEEP_DAYS)
    if not rows:
        yield ok(texts.NOTHING_SET_ASIDE)


def not_said(db: Connection) -> Iterator[Finding]:
    rows = [row for row in outbox.failures(db) if not row["is_told"]]
    for row in rows[-SHOWN:]:
        text = texts.NOT_DELIVERED(address=row["address"], time=row["said_at"][:16], reason=row["reason"])
        yield wrong(text, texts.MEND_THE_REASON)
    if len(rows) > SHOWN:
        yield wrong(texts.MORE_NOT_DELIVERED(count=len(rows) - SHOWN), texts.KEPT_FOR_KEEP_DAYS)
    if not rows:
        yield ok(texts.ALL_DELIVERED)


def shut(db: Connection) -> Iterator[Finding]:
    closed = chats.all_shut(db)
    for address, why in closed[-SHOWN:]:
        yield warning(texts.CHAT_SHUT(address=address, reason=why), texts.OPENS_AGAIN)
    if len(closed) > SHOWN:
        yield warning(texts.MORE_CHATS_SHUT(len(closed) - SHOWN), texts.AS_ABOVE)


def faults(db: Connection, names: list[str], *, is_running: bool) -> Iterator[Finding]:
    for each in pulse.all_of(db):
        if each.fault and (each.name in names or each.name.startswith(pulse.OF_MODELS)):
            time = f"{each.fault_since:%Y-%m-%d %H:%M} UTC" if each.fault_since else texts.UNKNOWN_TIME
            if is_running:
                yield wrong(texts.FAULT(name=each.name, fault=each.fault, time=time), texts.AS_IT_SAYS)
            else:
                yield warning(texts.FAULT_BEFORE(name=each.name, fault=each.fault, time=time), texts.START_IT)


def asking(db: Connection) -> Iterator[Finding]:
    for each in pairings.pending(db):
        if each.deadline > datetime.now(UTC):
            stranger, channel = each.stranger, each.address.channel
            text = texts.STRANGER_ASKS(name=stranger.name, id=stranger.id, channel=channel)
            yield warning(text, command(f"pair {each.code}"))
