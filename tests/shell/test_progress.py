"""What a command prints is seen while it runs: its newest line, and at no cost worth mentioning."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.core.call_progress import MAX_LINE_CHARACTERS
from bot.core.messages import OutboundKind
from bot.core.settings import ShellSettings
from bot.tools.shell import ProgressOfOutput, shell_tools
from tests.delivery.test_call_progress import shows
from tests.shell.test_sandbox import needs_sandbox
from tests.support.bench import Bench
from tests.support.fakes import delegates, reply, role, uses

# Each step waits for a file, which the test makes once it has seen the line.
STEP = "while [ ! -e {0} ]; do sleep 0.02; done"
COMMAND = f"""printf 'one\\n'; {STEP.format("a")}
printf '10%%\\r20%%\\r'; {STEP.format("b")}
printf '\\033[1mbo\\377ld'; {STEP.format("c")}
yes | head -c 20000000; echo; printf 'done\\n\\n'; {STEP.format("d")}"""


@needs_sandbox
async def test_people_see_the_newest_line_of_a_command_that_runs(bench: Bench, tmp_path: Path) -> None:
    bench.roles |= {
        "lead": role("lead", "shell", "delegate", delegates_to=None),
        "researcher": role("researcher", "shell"),
    }
    bench.is_gate_open = True
    bench.model.says("lead", delegates("researcher"), "there")
    bench.model.says("researcher", reply(uses("shell", command=COMMAND)), "run")
    async with bench.run(tools=shell_tools(ShellSettings(enabled=True), [])(tmp_path)):
        bench.chat.hears("go")
        for file, line in (("a", "one"), ("b", "20%"), ("c", "bo\ufffdld"), ("d", "done")):
            await shows(bench, f"running%: {line}")
            (tmp_path / file).touch()
        assert await bench.chat.said(OutboundKind.REPLY) == "there"


def reported(*pieces: bytes) -> list[str]:
    """Return what is reported of an output that comes in these pieces."""
    lines: list[str] = []
    reports = ProgressOfOutput(lines.append)
    for each in pieces:
        reports.add(each)
    return lines


@pytest.mark.parametrize(
    ("pieces", "lines"),
    [
        ((b"one\ntw", b"o\n"), ["tw", "two"]),
        ((b"10%", b"\r20%", b"\r\n", b"\n\n"), ["10%", "20%", "20%"]),
        ((b"one\n", b"\n"), ["one"]),
        ((b"\n", b" \t\n"), []),
        ((b"caf\xc3", b"\xa9"), ["caf\ufffd", "caf\u00e9"]),
        ((b"\xff\xfe\x00",), ["\ufffd\ufffd\x00"]),
        ((b"x" * 70_000, b"y" * 70_000, b"\nz"), ["x" * MAX_LINE_CHARACTERS] * 2 + ["z"]),
    ],
)
def test_the_newest_line_is_reported_as_the_output_comes(pieces: tuple[bytes, ...], lines: list[str]) -> None:
    assert reported(*pieces) == lines


def test_a_million_lines_cost_little_whatever_is_in_them() -> None:
    """In 64 KB pieces they take a few milliseconds, and a piece of a few bytes takes microseconds."""

    def pieces(line: bytes, count: int, size: int) -> Iterator[bytes]:
        output = line * count
        return (output[at : at + size] for at in range(0, len(output), size))

    for line in (b"a line\n", b"\xff\x1b[31m\r", b"x", b"\n"):
        begun = time.process_time()
        reported(*pieces(line, 1_000_000, 65_536))
        reported(*pieces(line, 10_000, 1))
        assert time.process_time() - begun < 1
