"""`retinue chat --attach FILE`: the file goes with the message, and the answer is awaited until the file is there."""

from pathlib import Path

from bot.cli import texts
from bot.core.texts import people_files
from tests.cli.test_habits import claude, shell
from tests.stand_ins.claude import ClaudeStandIn
from tests.support.shell import Shell
from tests.support.terminals import Home

__all__ = ["claude", "shell"]

BILL = "What you owe: 84.20 EUR, due on 3 May.\n"


async def test_a_message_with_a_file_is_answered(shell: Shell, claude: ClaudeStandIn, tmp_path: Path) -> None:
    (tmp_path / "bill.txt").write_text(BILL)
    claude.script.say("84.20 EUR")
    said = await shell.retinue("chat", "-m", "what do I owe?", "--attach", str(tmp_path / "bill.txt"))
    assert (said.status, said.out) == (0, "84.20 EUR\n")
    [request] = claude.requests
    assert f"> {BILL.strip()}" in str(request.body["messages"])


async def test_a_file_that_is_too_large_is_told(shell: Shell, claude: ClaudeStandIn, tmp_path: Path) -> None:
    with (tmp_path / "big.bin").open("wb") as file:
        file.truncate(60 * 2**20)
    claude.script.say("It is too large.")
    said = await shell.retinue("chat", "-m", "look", "--attach", str(tmp_path / "big.bin"))
    assert said.status == 0
    assert people_files.FILE_TOO_LARGE(name="big.bin", size="60", most="50") in said.err


async def test_a_file_without_a_message_is_a_wrong_use(shell: Shell, claude: ClaudeStandIn, tmp_path: Path) -> None:
    (tmp_path / "bill.txt").write_text(BILL)
    said = await shell.retinue("chat", "--attach", str(tmp_path / "bill.txt"), stdin="")
    assert said.status == 2
    assert texts.ATTACH_NEEDS_A_MESSAGE in said.err


def test_the_demo_says_which_file_has_arrived(tmp_path: Path) -> None:
    (tmp_path / "bill.txt").write_text(BILL)
    said = Home(tmp_path).chat("-m", "what is in it?", "--attach", str(tmp_path / "bill.txt"))
    assert said.stdout.startswith("Your file has arrived: file bill.txt, text/plain")
