"""Files that are made to do harm: refused in words, with little memory, while the bot goes on."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bot.documents.inspection import EXAMINER_PATH
from bot.documents.people_texts import REFUSALS
from tests.support.bombs import BOMBS

MOST_MORE_BYTES = 200 * 2**20
READ_AFTER_ALL = {"rich text", "nested archive", "stream of spaces"}  # these come to something that can be read
INSPECT_ALL = """
import asyncio, json, os, resource, sys
from pathlib import Path
from bot.documents.inspection import inspect_file

def peak(of):
    return resource.getrusage(of).ru_maxrss * 1024

async def main(paths):
    before, ticks, most_children = peak(resource.RUSAGE_SELF), 0, 0
    async with asyncio.TaskGroup() as tasks:
        inspecting = [tasks.create_task(inspect_file(path, name="file")) for path in paths]
        while not all(task.done() for task in inspecting):
            await asyncio.sleep(0.02)
            ticks += 1
            most_children = max(most_children, len(list(children())))
    found = {path.name: task.result().refusal for path, task in zip(paths, inspecting, strict=True)}
    more = peak(resource.RUSAGE_SELF) - before + peak(resource.RUSAGE_CHILDREN)
    print(json.dumps({"found": found, "more": more, "ticks": ticks, "children": most_children}))

def children():
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(path.read_text().rpartition(")")[2].split()[1]) == os.getpid():
                yield path
        except (OSError, ValueError):
            continue

asyncio.run(main([Path(path) for path in sys.argv[1:]]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not hold a process to its memory")
def test_bombs_are_refused_one_at_a_time_in_little_memory(tmp_path: Path) -> None:
    for name, make in BOMBS.items():
        (tmp_path / name).write_bytes(make())
        assert (tmp_path / name).stat().st_size < 6 * 2**20, name
    paths = [str(tmp_path / name) for name in BOMBS]
    done = subprocess.run([sys.executable, "-c", INSPECT_ALL, *paths], capture_output=True, check=True)
    seen = json.loads(done.stdout)
    assert {name for name, refusal in seen["found"].items() if not refusal} == READ_AFTER_ALL
    assert seen["found"]["word of spaces"] == REFUSALS["too long"](name="file")
    assert seen["more"] <= MOST_MORE_BYTES
    assert seen["children"] == 1
    assert seen["ticks"] > len(paths)  # the loop went on meanwhile


def test_an_examiner_that_nobody_ends_ends_itself() -> None:
    """Its input never comes, and the bot that would end it has been killed."""
    with subprocess.Popen(
        [sys.executable, str(EXAMINER_PATH), "1", "100", "100"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    ) as examiner:
        assert examiner.wait(timeout=30) < 0
