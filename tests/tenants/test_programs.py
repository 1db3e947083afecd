"""Other programs: no output and no end of one holds anybody up or fills anybody's memory."""

import resource
import sys
import time

import pytest

from bot.core.errors import ConfigError
from bot.tenants.programs import MAX_OUTPUT_BYTES, run_program
from bot.tenants.targets import texts
from tests.support.wording import like

PYTHON = [sys.executable, "-c"]


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_one_that_says_too_much_is_ended(stream: str) -> None:
    """A tenant's own process could, in whose container a command asks for its health."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ConfigError, match=like(texts.SAYS_TOO_MUCH, most=16)):
        run_program([*PYTHON, f"import sys\nwhile True: sys.{stream}.write('x' * 65536)"], seconds=30)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 8 * MAX_OUTPUT_BYTES / 1024


def test_all_that_is_said_is_heard_of_both_streams_at_once() -> None:
    outcome = run_program(
        [*PYTHON, "import sys\nfor _ in range(99): sys.stdout.write('o' * 9999); sys.stderr.write('e' * 9999)"]
    )
    assert (outcome.status, outcome.out, outcome.err) == (0, "o" * 9999 * 99, "e" * 9999 * 99)


def test_output_that_is_no_text_is_read_as_well_as_possible() -> None:
    outcome = run_program([*PYTHON, r"import os; os.write(1, b'a\xff\r\nb'); os._exit(3)"])
    assert (outcome.status, outcome.out) == (3, "a\N{REPLACEMENT CHARACTER}\nb")


def test_one_that_has_closed_its_streams_and_stays_is_ended() -> None:
    began = time.monotonic()
    with pytest.raises(ConfigError, match=like(texts.NOT_ENDED_IN_TIME, seconds=1)):
        run_program([*PYTHON, "import os, time; os.close(1); os.close(2); time.sleep(60)"], seconds=1)
    assert time.monotonic() - began < 20


def test_a_child_left_in_another_session_holds_nobody_up() -> None:
    began = time.monotonic()
    leave = "import subprocess; subprocess.Popen(['sleep', '30'], start_new_session=True)"
    with pytest.raises(ConfigError, match=like(texts.NOT_ENDED_IN_TIME, seconds=2)):
        run_program([*PYTHON, leave], seconds=2)
    assert time.monotonic() - began < 20


def test_podman_does_not_tell_each_time_which_compose_it_starts() -> None:
    """On stderr, where any word counts as a fault that Compose has found."""
    assert run_program(["sh", "-c", "echo $PODMAN_COMPOSE_WARNING_LOGS"]).out == "false\n"
