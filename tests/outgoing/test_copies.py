"""What becomes of the copies of files that were sent, were not, or belong to a conversation that is deleted."""

import asyncio
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.backup.creation import write_backup
from bot.cli.sessions.session_reader import send_or_run_delete_order
from bot.config import Config, LoadedConfig
from bot.core.errors import DeliveryDelayed
from bot.core.messages import OutboundKind
from bot.core.turn import SessionId
from tests.outgoing.conftest import RunSender
from tests.outgoing.test_send_file import sends
from tests.support.bench import Bench
from tests.support.patience import PATIENCE

UPDATE, REPLY = OutboundKind.UPDATE, OutboundKind.REPLY


def copies(bench: Bench) -> list[bytes]:
    return [path.read_bytes() for path in (bench.data / "outgoing").glob("*")]


async def leave_unsent(bench: Bench, run: RunSender) -> None:
    """Let the lead send a file that its platform does not take yet."""
    bench.model.says("lead", sends("report.txt", caption="The report"), "There.")
    bench.chat.faults.append(DeliveryDelayed(2 * PATIENCE))
    async with run():
        bench.chat.hears("go")
        await bench.chat.is_taken_in()
        # The second request comes after the message was written, whatever the platform has refused until then.
        while bench.chat.faults or len(bench.model.seen) < 2:  # noqa: ASYNC110 -- nobody is told
            await asyncio.sleep(0.01)


async def test_the_next_start_sends_a_file_and_a_later_one_removes_its_copy(
    bench: Bench, run: RunSender, desk: Path
) -> None:
    await leave_unsent(bench, run)
    (desk / "report.txt").unlink()
    later = datetime.now(UTC) + timedelta(hours=1)
    async with run(now=lambda: later):
        part = await bench.chat.part(UPDATE)
        assert part.files[0].file.name == "report.txt"
        await bench.chat.part(REPLY)
    assert copies(bench) == [b"All is well."]
    much_later = later + timedelta(hours=2)
    async with run(now=lambda: much_later):
        while copies(bench):  # noqa: ASYNC110 -- nobody is told
            await asyncio.sleep(0.01)


async def test_a_file_whose_copy_is_gone_is_told(bench: Bench, run: RunSender) -> None:
    await leave_unsent(bench, run)
    for path in (bench.data / "outgoing").glob("*"):
        path.unlink()
    later = datetime.now(UTC) + timedelta(hours=1)
    async with run(now=lambda: later):
        said = await bench.chat.said(OutboundKind.NOTICE)
    assert "my copy of the file report.txt is gone" in said


async def test_a_deleted_conversation_leaves_no_copy(bench: Bench, run: RunSender) -> None:
    await leave_unsent(bench, run)
    assert copies(bench) == [b"All is well."]
    with closing(sqlite3.connect(bench.data / "bot.db")) as db:
        [(session,)] = db.execute("SELECT id FROM sessions").fetchall()
        db.execute("UPDATE turns SET state = 'ended'")
        db.commit()
    answer = await asyncio.to_thread(send_or_run_delete_order, bench.data, SessionId(session))
    assert answer.is_done, answer
    assert copies(bench) == []


async def test_a_back_up_has_the_files_that_are_on_their_way(
    bench: Bench, run: RunSender, desk: Path, tmp_path: Path
) -> None:
    await leave_unsent(bench, run)
    assert copies(bench) == [b"All is well."]
    config = Config(data_dir=bench.data, workspace=desk)
    with (tmp_path / "it.tar.gz").open("wb") as file:
        lines: list[str] = []
        write_backup(LoadedConfig(config=config, path=None), file, lines.append, "0", with_secrets=False)
    assert [line for line in lines if "outgoing" in line and "1 file" in line], lines
