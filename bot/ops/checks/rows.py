"""Check the database: damage, messages set aside or not delivered, closed chats, faults, and requests to be let in."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from bot.core.access import AccessByChannel
from bot.core.errors import ConfigError, StoreDamaged
from bot.core.findings import CheckFinding, ok_finding, warning_finding, wrong_finding
from bot.core.program_names import retinue_command
from bot.journal.group_starts import list_undecided_groups
from bot.journal.schedule_runs import FAILURES_BEFORE_PAUSE
from bot.ops.checks import texts
from bot.ops.health import MAX_SCHEDULE_DELAY_SECONDS
from bot.store import chat_reader, chats, folder_lock, health_rows, inbox, outbox, schedules
from bot.store.connection import Connection
from bot.store.file_errors import find_file_damage
from bot.store.questions import Pairing, list_open_questions
from bot.store.schema import development_version_error
from bot.store.texts import MEND_DAMAGE

MAX_SHOWN_ROWS = 3  # of each kind: the rest are counted


def check_database(folder: Path, names: list[str], accesses: AccessByChannel) -> Iterator[CheckFinding]:
    path = folder / "bot.db"
    if not path.exists():
        yield ok_finding(texts.NO_DATABASE)
        return
    try:
        is_running = bool(folder_lock.find_lock_holder(folder))
        yield from check_table_schema(path)
        is_old = [ok_finding(texts.DATABASE_OLD(path=path))]
        yield from chat_reader.query_database_file(
            path, lambda db: [*check_rows(db, names, accesses, is_running=is_running)], is_old
        )
    except (StoreDamaged, ConfigError) as error:
        remedy = texts.SEE_ABOVE if isinstance(error, StoreDamaged) else texts.MEND_FIRST
        yield wrong_finding(texts.DATABASE_FAILS(fault=error), remedy)


def check_table_schema(path: Path) -> Iterator[CheckFinding]:
    changed, unknown = chat_reader.find_schema_differences(path)
    if changed:
        raise development_version_error(changed)
    if unknown:
        text = texts.UNKNOWN_TABLES(len(unknown), names=", ".join(unknown[:MAX_SHOWN_ROWS]), path=path)
        yield warning_finding(text, texts.NOT_NEEDED)
    else:
        yield ok_finding(texts.TABLES)


def check_rows(
    db: Connection, names: list[str], accesses: AccessByChannel, *, is_running: bool
) -> Iterator[CheckFinding]:
    damage = find_file_damage(db)
    whole = ok_finding(texts.DATABASE_WHOLE)
    yield wrong_finding(texts.DATABASE_DAMAGED(damage=damage), MEND_DAMAGE) if damage else whole
    yield from check_messages_set_aside(db)
    yield from check_undelivered_messages(db)
    yield from check_closed_chats(db)
    yield from check_channel_and_model_faults(db, names, is_running=is_running)
    yield from check_pairing_requests(db)
    yield from check_undecided_groups(db, accesses)
    yield from check_schedules(db, is_running=is_running)


def check_messages_set_aside(db: Connection) -> Iterator[CheckFinding]:
    rows = inbox.list_messages_set_aside(db)
    for row in rows[-MAX_SHOWN_ROWS:]:
        reason, time = row["why"] or texts.NO_KNOWN_REASON, row["kept_at"][:16]
        yield warning_finding(texts.SET_ASIDE(address=row["address"], time=time, reason=reason), texts.WRITER_KNOWS)
    if len(rows) > MAX_SHOWN_ROWS:
        yield warning_finding(texts.MORE_SET_ASIDE(count=len(rows) - MAX_SHOWN_ROWS), texts.KEPT_FOR_KEEP_DAYS)
    if not rows:
        yield ok_finding(texts.NOTHING_SET_ASIDE)


def check_undelivered_messages(db: Connection) -> Iterator[CheckFinding]:
    rows = [row for row in outbox.list_failed_messages(db) if not row["is_told"]]
    for row in rows[-MAX_SHOWN_ROWS:]:
        text = texts.NOT_DELIVERED(address=row["address"], time=row["said_at"][:16], reason=row["reason"])
        yield wrong_finding(text, texts.MEND_THE_REASON)
    if len(rows) > MAX_SHOWN_ROWS:
        yield wrong_finding(texts.MORE_NOT_DELIVERED(count=len(rows) - MAX_SHOWN_ROWS), texts.KEPT_FOR_KEEP_DAYS)
    if not rows:
        yield ok_finding(texts.ALL_DELIVERED)


def check_closed_chats(db: Connection) -> Iterator[CheckFinding]:
    closed = chats.list_refusing_chats_with_reasons(db)
    for address, why in closed[-MAX_SHOWN_ROWS:]:
        yield warning_finding(texts.CHAT_SHUT(address=address, reason=why), texts.OPENS_AGAIN)
    if len(closed) > MAX_SHOWN_ROWS:
        yield warning_finding(texts.MORE_CHATS_SHUT(len(closed) - MAX_SHOWN_ROWS), texts.AS_ABOVE)


def check_channel_and_model_faults(db: Connection, names: list[str], *, is_running: bool) -> Iterator[CheckFinding]:
    for each in health_rows.list_health_rows(db):
        if each.fault and (each.name in names or each.name.startswith(health_rows.MODEL_ROW_NAME_PREFIX)):
            time = f"{each.fault_since:%Y-%m-%d %H:%M} UTC" if each.fault_since else texts.UNKNOWN_TIME
            if is_running:
                yield wrong_finding(texts.FAULT(name=each.name, fault=each.fault, time=time), texts.AS_IT_SAYS)
            else:
                yield warning_finding(texts.FAULT_BEFORE(name=each.name, fault=each.fault, time=time), texts.START_IT)


def check_pairing_requests(db: Connection) -> Iterator[CheckFinding]:
    for each in list_open_questions(db, Pairing):
        if each.deadline > datetime.now(UTC):
            asks = texts.STRANGER_ASKS(name=each.stranger.name, id=each.stranger.id, channel=each.address.channel)
            yield warning_finding(asks, retinue_command(f"pair {each.code}"))


def check_undecided_groups(db: Connection, accesses: AccessByChannel) -> Iterator[CheckFinding]:
    """Find the group chats about which the owner has decided nothing: the question may have reached nobody."""
    undecided = list_undecided_groups(db, accesses)
    for each in undecided[-MAX_SHOWN_ROWS:]:
        text = texts.GROUP_UNDECIDED(channel=each.channel, title=each.title, chat=each.group_chat)
        yield warning_finding(text, texts.DECIDE_ABOUT_GROUP(channel=each.channel, chat=each.group_chat))
    if len(undecided) > MAX_SHOWN_ROWS:
        yield warning_finding(texts.MORE_GROUPS_UNDECIDED(len(undecided) - MAX_SHOWN_ROWS), texts.AS_ABOVE)


def check_schedules(db: Connection, *, is_running: bool) -> Iterator[CheckFinding]:
    """Find the schedules that were paused because they failed, and whether the scheduler is behind."""
    now = datetime.now(UTC)
    counted = schedules.count_schedules(db, now, FAILURES_BEFORE_PAUSE)
    failed = schedules.list_failed_schedules(db, FAILURES_BEFORE_PAUSE)
    for each in failed[-MAX_SHOWN_ROWS:]:
        text = texts.SCHEDULE_FAILED(number=each.number, address=each.address, name=each.name)
        yield warning_finding(text, texts.RESUME_SCHEDULE(number=each.number))
    if len(failed) > MAX_SHOWN_ROWS:
        remedy = texts.SEE_SCHEDULES(command=retinue_command("schedules"))
        yield warning_finding(texts.MORE_SCHEDULES_FAILED(len(failed) - MAX_SHOWN_ROWS), remedy)
    late = (now - counted.due_since).total_seconds() if counted.due_since else 0.0
    if is_running and late > MAX_SCHEDULE_DELAY_SECONDS:
        yield wrong_finding(texts.SCHEDULE_IS_LATE(counted.due, seconds=late), texts.RESTART_IT)
    elif not failed:
        yield ok_finding(texts.SCHEDULES(active=counted.active, paused=counted.paused))
