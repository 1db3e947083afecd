"""`retinue chat` without a screen: what goes to stdout and what to stderr, exit statuses, and what outlives a run."""

import asyncio
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import IO

import pytest

from bot.cli import texts
from bot.core import phrases
from bot.core.texts import operators
from bot.models.demo import rules
from tests.stand_ins.claude import ClaudeStandIn, Fault, Hold, ToolUse, reply
from tests.support.terminals import IS_THERE, RETINUE, BadDisk, Home

REPOSITORY = Path(__file__).parents[2]
COMPARE = "compare the README and the design page"
ABOUT, LOST = rules.ABOUT_DEMO_REPLY.splitlines()[0], rules.NO_RULE_REPLY
NOBODY_ANSWERED = rules.NOBODY_ANSWERED_REPLY(command="retinue chat")
SUMMARY = "`docs/architecture.md` is"  # how the lead begins, once it has both reports
REPLIES = "SELECT text FROM outbox WHERE kind = 'reply' ORDER BY seq"
STATUSES = "SELECT status FROM turns ORDER BY rowid"
pytestmark = IS_THERE


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def conversations(home: Home) -> int:
    return len(home.rows("SELECT id FROM sessions WHERE parent IS NULL"))


@pytest.mark.fast
def test_a_single_message_has_its_answer_as_all_of_stdout(home: Home) -> None:
    said = home.chat("-m", "what can you do?")
    assert (said.returncode, said.stdout) == (0, f"{rules.ABOUT_DEMO_REPLY}\n")
    assert said.stderr == f"{texts.DEMO_ANSWERS}\n"


@pytest.mark.fast
def test_a_comparison_is_delegated_to_two_roles_and_answered_from_both(home: Home) -> None:
    said = home.chat("-m", COMPARE)
    for role, page in [("Reader", "README.md"), ("Analyst", "docs/architecture.md")]:
        lines = len((REPOSITORY / page).read_text().splitlines())
        assert f"[{role}]: {page} has {lines:,} lines" in said.stderr
        assert f" {lines:,} |" in said.stdout
    assert (said.returncode, "[Reader]" in said.stdout, "\x1b" in said.stdout + said.stderr) == (0, False, False)


def test_the_demo_sums_up_what_came_from_a_pipe(home: Home) -> None:
    said = home.chat("-m", "summarize this", stdin="# Notes\n\nIt rains. It pours.\n")
    assert (said.returncode, said.stdout) == (0, "The text has 6 words. It begins: “It rains.”\n")


def test_the_demo_says_that_nobody_was_there_to_answer(home: Home) -> None:
    said = home.chat("-m", "ask me something")
    assert said.stdout == f"{NOBODY_ANSWERED}\n"


def test_a_turn_that_reaches_its_budget_is_no_answer(home: Home) -> None:
    said = home.chat("-m", COMPARE, RETINUE_LIMITS__TURN_ITERATIONS="1")
    assert said.returncode == 1
    assert said.stdout.startswith("Two roles read ")  # the last words of the lead


def test_from_a_pipe_each_line_is_a_message_answered_in_order(home: Home) -> None:
    said = home.chat("--lines", stdin="help\n\nlist roles\nfly me to the moon")
    assert said.returncode == 0
    places = [said.stdout.index(words) for words in (ABOUT, "lead.md", LOST)]
    assert places == sorted(places)


def test_the_next_line_of_a_pipe_answers_a_question_and_its_end_does_not(home: Home) -> None:
    said = home.chat("--lines", stdin="ask me something\n3\nask me something\n")
    assert "  3. Blue\n" in said.stderr
    first, second = said.stdout.splitlines()
    assert "Blue" in first
    assert NOBODY_ANSWERED in second


def test_from_a_pipe_a_command_is_obeyed_also_where_an_answer_is_awaited(home: Home) -> None:
    said = home.chat("--lines", stdin="ask me something\n/status\n3\nask me something\n/stop\nhelp\n")
    answered, helped = said.stdout.splitlines()[:2]
    assert "Blue" in answered
    assert helped == ABOUT
    assert home.notices()[-1] in said.stderr  # the answer to /status
    assert home.rows(REPLIES)[1] in said.stderr  # that to /stop
    assert home.rows(STATUSES) == ["completed", "cancelled", "completed"]


def test_from_a_pipe_a_new_conversation_gives_up_the_question_before_it(home: Home) -> None:
    said = home.chat("--lines", stdin="ask me something\n/new\nhelp\n")
    given_up, helped = said.stdout.splitlines()[:2]
    assert "/new" in given_up
    assert home.rows("SELECT state FROM questions") == ["withdrawn"]
    assert helped == ABOUT
    assert home.notices()[-1] in said.stderr
    assert conversations(home) == 2


def test_a_command_from_a_pipe_is_obeyed_and_told_on_stderr(home: Home) -> None:
    said = home.chat("--lines", stdin="/status\nhelp\n")
    assert home.notices()[0] in said.stderr
    assert said.stdout == f"{rules.ABOUT_DEMO_REPLY}\n"


def test_each_run_is_a_new_conversation_unless_it_continues(home: Home) -> None:
    for count, words in [(1, ()), (2, ()), (2, ("--continue",)), (3, ())]:
        assert home.chat(*words, "-m", "fly").returncode == 0
        assert conversations(home) == count


def test_a_killed_runs_work_is_finished_first_and_shown_on_stderr(home: Home) -> None:
    with home.begun("-m", COMPARE) as killed:
        wait_for(killed.stderr, "[Reader]: ")
        killed.kill()
    said = home.chat("-m", "fly")
    assert (said.returncode, said.stdout.startswith(LOST), len(said.stdout.splitlines())) == (0, True, 1)
    assert SUMMARY in said.stderr


def test_a_killed_runs_work_is_finished_before_a_conversation_goes_on(home: Home) -> None:
    with home.begun("-m", "ask me something") as killed:
        wait_for(killed.stderr, "Which colour")
        killed.kill()
    said = home.chat("--continue", "-m", "fly")
    assert (said.returncode, said.stdout.startswith(LOST)) == (0, True)
    assert NOBODY_ANSWERED in said.stderr


def test_a_damaged_database_is_one_line_and_exit_status_three(home: Home) -> None:
    home.chat("-m", "fly")
    (home.data / "bot.db").write_bytes(b"no database" * 1000)
    said = home.chat("-m", "fly")
    assert (said.returncode, said.stdout) == (3, "")
    assert "is damaged" in said.stderr.splitlines()[-1]
    assert "Traceback" not in said.stderr


def test_an_interrupted_message_is_stopped_and_leaves_nothing_behind(home: Home) -> None:
    with home.begun("-m", COMPARE) as process:
        wait_for(process.stderr, "[Reader]: ")
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate()
    assert (process.returncode, "| lines |" in out) == (130, False)  # what was said before stands, and no answer
    assert "stopped" in errors.casefold()
    assert len(home.chat("-m", "fly").stderr.splitlines()) == 1  # the announcement


def test_asked_to_end_it_ends_cleanly(home: Home) -> None:
    with home.begun("--lines") as process:
        write(process, "help")
        assert process.stdout
        assert process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        process.communicate()
    assert process.returncode == 0


async def test_background_work_is_told_with_how_to_see_it(home: Home) -> None:
    async with ClaudeStandIn() as server:
        look = {"role": "researcher", "task": "look", "background": True}
        server.script.say(reply(ToolUse("delegate", look)), "It has begun.", "Found it.", system="an assistant that")
        server.script.say(reply(Hold(asyncio.Event())), "found", system="You are a researcher")
        settings = {"ANTHROPIC_API_KEY": server.api_key, "RETINUE_MODEL__BASE_URL": server.base_url}
        said = await asyncio.to_thread(home.chat, "-m", "look into it", **settings)
        assert (said.returncode, said.stdout) == (0, "It has begun.\n")
        told = texts.STILL_IN_BACKGROUND(roles="Researcher", command="retinue chat --continue")
        assert said.stderr.splitlines()[-1] == f"retinue: {told}"


async def test_an_end_in_the_middle_of_an_answer_says_that_there_is_none_yet(home: Home) -> None:
    async with ClaudeStandIn() as server:
        server.script.read([{"replies": [{"text": "Good evening."}]}])
        server.faults.append(Fault.STALL)
        settings = {"ANTHROPIC_API_KEY": server.api_key, "RETINUE_MODEL__BASE_URL": server.base_url}
        with home.begun("-m", "Hello", **settings) as process:
            await server.until(lambda: bool(server.answering))
            process.send_signal(signal.SIGTERM)
            out, errors = await asyncio.to_thread(process.communicate)
        assert (process.returncode, out) == (1, "")
        assert errors.splitlines()[-1] == f"retinue: {texts.ENDS_UNANSWERED(command='retinue chat')}"
        said = await asyncio.to_thread(home.chat, "-m", "/status", **settings)
        assert "Good evening." in said.stderr


def test_an_unread_answer_is_kept_for_the_next_run(home: Home) -> None:
    with home.begun("-m", "fly") as process:
        assert process.stdout
        process.stdout.close()
        assert process.wait() == 1
    said = home.chat("-m", "help")
    assert LOST in said.stderr
    assert said.stdout == f"{rules.ABOUT_DEMO_REPLY}\n"


def test_an_empty_message_is_a_wrong_use(home: Home) -> None:
    assert home.chat("-m", " ").returncode == 2


@pytest.mark.fast
async def test_with_a_key_and_an_address_claude_answers(home: Home) -> None:
    async with ClaudeStandIn() as server:
        settings = {"ANTHROPIC_API_KEY": server.api_key, "RETINUE_MODEL__BASE_URL": server.base_url}
        server.script.read([{"replies": [{"text": "Good evening."}]}])
        said = await asyncio.to_thread(home.chat, "-m", "Hello", **settings)
    assert (said.returncode, said.stdout, said.stderr) == (0, "Good evening.\n", "")


async def test_a_key_that_claude_refuses_is_no_answer_and_said_in_plain_words(home: Home) -> None:
    async with ClaudeStandIn() as server:
        settings = {"ANTHROPIC_API_KEY": "sk-ant-wrong", "RETINUE_MODEL__BASE_URL": server.base_url}
        said = await asyncio.to_thread(home.chat, "-m", "Hello", **settings)
    assert (said.returncode, said.stdout) == (1, "")
    assert "“Hello”" in said.stderr
    assert "sk-ant-wrong" not in said.stderr


def test_only_what_is_needed_is_imported(home: Home) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "bot", "chat", "-m", "fly"]
    said = subprocess.run(command, cwd=REPOSITORY, env=home.environment, capture_output=True, text=True)
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in said.stderr.splitlines()}
    assert said.stdout.startswith(LOST)
    assert not imported & {"rich", "prompt_toolkit", "anthropic"}


def wait_for(stream: IO[str] | None, text: str) -> None:
    assert stream
    assert any(text in line for line in stream)


def write(process: "subprocess.Popen[str]", line: str) -> None:
    assert process.stdin
    process.stdin.write(f"{line}\n")


def test_an_answer_that_cannot_be_written_is_told_and_no_success(home: Home) -> None:
    with Path("/dev/full").open("w") as full:
        command = [str(RETINUE), "chat", "-m", "help"]
        said = subprocess.run(command, env=home.environment, cwd=home.folder, stdout=full, stderr=subprocess.PIPE)
    assert said.returncode == 1
    assert b"retinue: cannot write the answer: No space left on device" in said.stderr


def test_it_works_where_stdin_stdout_and_stderr_are_closed(home: Home) -> None:
    for closed in ("<&-", ">&-", "2>&-"):
        command = f'exec "$0" chat -m help {closed}'
        said = subprocess.run(
            ["/bin/sh", "-c", command, RETINUE], env=home.environment, cwd=home.folder, capture_output=True, text=True
        )
        assert (said.returncode, "Traceback" in said.stderr) == (0, False)
        assert said.stdout == (f"{rules.ABOUT_DEMO_REPLY}\n" if closed != ">&-" else "")


def test_stop_finds_the_demo_too(home: Home) -> None:
    with home.begun("--lines") as process:
        write(process, "help")
        assert process.stdout is not None
        assert process.stdout.readline() == f"{ABOUT}\n"
        said = subprocess.run([RETINUE, "stop"], env=home.environment, cwd=home.folder, capture_output=True, text=True)
    assert (said.returncode, said.stdout, said.stderr) == (0, "turns stopped: 0\n", f"{texts.BOT_KEEPS_RUNNING}\n")


def test_a_single_message_that_is_set_aside_is_no_answer(home: Home) -> None:
    assert home.chat("-m", "help").returncode == 0
    with closing(sqlite3.connect(home.data / "bot.db")) as db:
        db.execute("CREATE TRIGGER refuse BEFORE INSERT ON turns BEGIN SELECT RAISE(ABORT, 'no'); END")
    said = home.chat("-m", "help")
    assert (said.returncode, said.stdout) == (1, "")
    assert home.notices()[-1] in said.stderr
    assert "aside" in home.rows("SELECT state FROM inbox")


def test_a_full_disk_is_told_and_so_is_its_end(home: Home) -> None:
    with home.begun("--lines") as process:
        write(process, "help")
        assert process.stdout
        assert process.stderr
        assert process.stdout.readline() == f"{ABOUT}\n"
        process.stderr.readline()  # the announcement
        disk = BadDisk(process)
        write(process, "fly")
        assert process.stderr.readline() == f"retinue: {phrases.disk_state_text('disk I/O error')}\n"
        disk.recovers()
        assert process.stderr.readline() == f"retinue: {phrases.disk_state_text(None)}\n"
        wait_for(process.stdout, LOST)


def test_a_disk_without_room_for_the_lock_is_one_line(home: Home) -> None:
    command = 'ulimit -f 0; exec "$0" chat -m help'
    said = subprocess.run(
        ["/bin/sh", "-c", command, RETINUE], env=home.environment, cwd=home.folder, capture_output=True, text=True
    )
    assert (said.returncode, said.stdout) == (2, "")
    told = operators.CANNOT_USE_DATA(path=home.data / "lock", reason="File too large")
    assert said.stderr.splitlines()[-1] == f"retinue: {told}"
    assert "Traceback" not in said.stderr
