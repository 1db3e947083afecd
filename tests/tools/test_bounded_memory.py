"""Files made to take memory: looked at in bounded memory, and neither they nor many at once end the bot."""

import asyncio
import json
import struct
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.delegation import report_schema
from bot.delegation.report_schema import judge
from tests.support.sample_media import chunk, pdf, png, stream, with_objects, with_packed_objects

MIB = 2**20
MOST_MORE = 64 * MIB
LOOK = """
import resource, sys
from bot.documents.inspection import inspect_opened_file
def peak(who): return resource.getrusage(who).ru_maxrss * 1024
before = peak(resource.RUSAGE_SELF)
with open(sys.argv[1], "rb") as file:
    found = inspect_opened_file("file", file)
more = peak(resource.RUSAGE_SELF) - before
print(max(more, peak(resource.RUSAGE_CHILDREN)), found.refusal or found.media)
"""


def object_streams(count: int) -> bytes:
    """The bomb of old: each stream of objects holds 4 MB of nothing."""
    return pdf(1, more=[stream(b"/Type /ObjStm /N 1/First 6", b" " * 4 * MIB)] * count)


def pages_in_a_bomb() -> bytes:
    """What must be unpacked to find the pages is large itself."""
    tree = b"<</Type /Pages/Kids[3 0 R]/Count 1>>"
    return with_packed_objects([b"<</Type/Catalog/Pages 2 0 R>>", tree, b"<</Type /Page>>" + b" " * 400 * MIB])


def nested_streams() -> bytes:
    packed = zlib.compress(zlib.compress(b"\0" * 900 * MIB, 1), 9)
    head = b"<</Type /XRef/W[1 4 2]/Size 9/Root 1 0 R/Filter[/FlateDecode/FlateDecode]/Length %d>>" % len(packed)
    content = b"%PDF-1.7\n1 0 obj\n" + head + b"\nstream\n" + packed + b"\nendstream\nendobj\n"
    return content + b"startxref\n9\n%%EOF\n"


def many_objects() -> bytes:
    return with_objects([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>", *[b"[]"] * 700_000])


def broken_table() -> bytes:
    """32 MB that are searched for objects, since the table of them is not there."""
    return pdf(3).replace(b"startxref", b"startxxxx") + b"1 0 obj\n[]\nendobj\n" * 20_000 + b"%" * 31 * MIB


def deep_pages() -> bytes:
    tree = [b"<</Type/Pages/Kids[%d 0 R]/Count 1/Parent %d 0 R>>" % (n + 1, n - 1) for n in range(2, 60_000)]
    return with_objects([b"<</Type/Catalog/Pages 2 0 R>>", *tree])


def pages_in_a_circle() -> bytes:
    return with_objects([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2>>"])


def words_in_a_png() -> bytes:
    """Packed text before the picture, as a comment has it."""
    text = chunk(b"zTXt", b"Comment\0\0" + zlib.compress(b"a" * MIB, 9))
    head, body = png()[:33], png()[33:]
    return head + text * 2_000 + body


def large_webp() -> bytes:
    """A head that says 16,384 by 16,384."""
    side = (16_383).to_bytes(3, "little")
    body = b"VP8X" + struct.pack("<I", 10) + b"\x02\0\0\0" + side + side
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body


BOMBS: dict[str, Callable[[], bytes]] = {
    "streams": lambda: object_streams(200),
    "more streams": lambda: object_streams(1_500),
    "packed pages": pages_in_a_bomb,
    "packed twice": nested_streams,
    "many objects": many_objects,
    "no table": broken_table,
    "deep": deep_pages,
    "a circle": pages_in_a_circle,
    "words": words_in_a_png,
    "a large canvas": large_webp,
    "nothing wrong": lambda: pdf(100, more=[stream(b"", bytes(range(256)) * 2**16)]),
}


@pytest.mark.fast(cases=2)
@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not hold a process to its memory")
@pytest.mark.parametrize("name", BOMBS)
async def test_any_file_is_looked_at_in_bounded_memory(tmp_path: Path, name: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(BOMBS[name]())
    assert path.stat().st_size <= 33 * MIB
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", LOOK, str(path), stdout=asyncio.subprocess.PIPE
    )
    said, _ = await process.communicate()
    more, _, words = said.decode().partition(" ")
    assert int(more) <= MOST_MORE, words
    assert words


async def test_a_judge_of_forms_is_held_to_its_memory() -> None:
    doubling: dict[str, Any] = {"$defs": {f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(40)}}
    doubling["$defs"]["d40"] = {"type": "object"}
    with pytest.raises(report_schema.NoVerdict):
        await report_schema.find_report_flaw(json.dumps({**doubling, "$ref": "#/$defs/d0"}), "[]")
    assert judge.MAX_MEMORY_BYTES == 128 * MIB


async def test_one_judge_works_at_a_time(tmp_path: Path) -> None:
    """Each waits for the one before: five that never end take five times as long as one, but its memory only."""
    endless = json.dumps({"pattern": "^(a+)+$"}), json.dumps(f"{'a' * 60}b")

    def running() -> int:
        found = 0
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                found += b"judge.py" in path.read_bytes()
            except OSError:
                continue
        return found

    async with asyncio.TaskGroup() as tasks:
        judging = [tasks.create_task(unjudged(*endless)) for _ in range(4)]
        most = 0
        while not all(task.done() for task in judging):
            most = max(most, await asyncio.to_thread(running))
            await asyncio.sleep(0.05)
    assert most == 1


async def unjudged(schema: str, report: str) -> None:
    with pytest.raises(report_schema.NoVerdict):
        await report_schema.find_report_flaw(schema, report, seconds=1)
