"""What the bot has written down: whether the file is whole, what was set aside or could not be said, who asks."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from bot.cli.checks import Finding, ok, warning, wrong
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
        yield ok("database: there is none yet")
        return
    try:
        is_running = bool(lock.holder(folder))
        yield from tables(path)
        yield from review.look(path, lambda db: [*found(db, names, is_running=is_running)], old(path))
    except (StoreDamaged, ConfigError) as error:
        yield wrong(f"database: {error}", "see above" if isinstance(error, StoreDamaged) else "mend that first")


def tables(path: Path) -> Iterator[Finding]:
    """Whether they are as the version has made them that the file is of."""
    changed, unknown = review.tables(path)
    if changed:
        raise of_development(changed)
    if unknown:
        text = f"tables: {', '.join(unknown[:SHOWN])} in {path} {'is' if len(unknown) == 1 else 'are'} not Retinue's"
        yield warning(text, "nothing needs them here; a back-up with them cannot be restored")
    else:
        yield ok("tables: as this version of Retinue makes them")


def old(path: Path) -> list[Finding]:
    return [ok(f"database: {path} is of an earlier version; the next start brings it up to date")]


def found(db: Connection, names: list[str], *, is_running: bool) -> Iterator[Finding]:
    damage = review.check(db)
    yield wrong(f"database: it is damaged ({damage})", MENDING) if damage else ok("database: it is whole")
    yield from set_aside(db)
    yield from not_said(db)
    yield from shut(db)
    yield from faults(db, names, is_running=is_running)
    yield from asking(db)


def set_aside(db: Connection) -> Iterator[Finding]:
    rows = inbox.set_aside(db)
    for row in rows[-SHOWN:]:
        text = (
            f"set aside: a message at {row['address']} ({row['kept_at'][:16]}): {row['why'] or 'for no known reason'}"
        )
        yield warning(text, "who wrote it was told; it is kept in the inbox, and may be sent once more")
    if len(rows) > SHOWN:
        yield warning(f"set aside: {len(rows) - SHOWN} more, older", "they are kept for keep_days")
    if not rows:
        yield ok("set aside: nothing")


def not_said(db: Connection) -> Iterator[Finding]:
    rows = [row for row in outbox.failures(db) if not row["is_told"]]
    for row in rows[-SHOWN:]:
        text = f"not delivered, and nobody told: to {row['address']} ({row['said_at'][:16]}): {row['reason']}"
        yield wrong(text, "mend the reason; the text is kept in the outbox")
    if len(rows) > SHOWN:
        yield wrong(f"not delivered, and nobody told: {len(rows) - SHOWN} more, older", "they are kept for keep_days")
    if not rows:
        yield ok("not delivered, and nobody told: nothing")


def shut(db: Connection) -> Iterator[Finding]:
    closed = chats.all_shut(db)
    for address, why in closed[-SHOWN:]:
        yield warning(f"chats: {address} takes nothing: {why}", "it opens again with the next message from there")
    if len(closed) > SHOWN:
        yield warning(f"chats: {len(closed) - SHOWN} more take nothing", "as above")


def faults(db: Connection, names: list[str], *, is_running: bool) -> Iterator[Finding]:
    for each in pulse.all_of(db):
        if each.fault and (each.name in names or each.name.startswith(pulse.OF_MODELS)):
            since = f"since {each.fault_since:%Y-%m-%d %H:%M} UTC" if each.fault_since else ""
            text = f"{each.name}: {each.fault} ({since})"
            yield wrong(text, "mend it as it says") if is_running else warning(f"{text}, when it last ran", "start it")


def asking(db: Connection) -> Iterator[Finding]:
    for each in pairings.pending(db):
        if each.deadline > datetime.now(UTC):
            who = f"{each.stranger.name} (id {each.stranger.id}) asks to be let in on {each.address.channel}"
            yield warning(f"pairing: {who}", command(f"pair {each.code}"))
