"""How far the rows are: the same numbers mean that nothing came in and nothing went out in between."""

from pathlib import Path

import pytest

from bot.core.errors import StoreDamaged
from bot.store.chat_reader import RowHighWaterMarks, load_row_high_water_marks
from bot.store.migrations import STEPS
from tests.ops.test_health import OPEN, bench, change, chat, found, shell
from tests.support.bench import Bench
from tests.support.shell import Shell

__all__ = ["bench", "chat", "shell"]


async def test_the_marks_move_with_incoming_and_outgoing_messages(bench: Bench, shell: Shell) -> None:
    path = shell.data / "bot.db"
    assert load_row_high_water_marks(path) == RowHighWaterMarks(step=0)
    bench.model.says("lead", "Hello", "Hello again")
    async with bench.run(access=OPEN):
        bench.chat.hears("hello")
        await bench.chat.said()
    first = load_row_high_water_marks(path)
    assert first == RowHighWaterMarks(step=len(STEPS), received=1, said=first.said, unsent=0)
    async with bench.run(access=OPEN):
        assert load_row_high_water_marks(path) == first, "a start alone moves nothing"
        bench.chat.hears("hello")
        await bench.chat.said()
    second = load_row_high_water_marks(path)
    assert (second.received, second.unsent) == (2, 0)
    assert (second.said or 0) > (first.said or 0)
    unsent = "UPDATE outbox SET state = 'queued' WHERE seq = (SELECT max(seq) FROM outbox)"
    change(bench, unsent)
    assert load_row_high_water_marks(path).unsent == 1
    assert (await found(shell))[1]["rows"] == {"step": len(STEPS), "received": 2, "said": second.said, "unsent": 1}


async def test_of_rows_of_an_earlier_version_only_the_step_is_known(bench: Bench, shell: Shell) -> None:
    async with bench.run(access=OPEN):
        pass
    change(bench, f"PRAGMA user_version = {len(STEPS) - 1}")
    assert load_row_high_water_marks(shell.data / "bot.db") == RowHighWaterMarks(step=len(STEPS) - 1)


def test_a_file_that_is_no_database_is_told(tmp_path: Path) -> None:
    (tmp_path / "bot.db").write_text("letters" * 1000)
    with pytest.raises(StoreDamaged):
        load_row_high_water_marks(tmp_path / "bot.db")
