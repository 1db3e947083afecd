"""Images and PDFs, as files: what they are taken for, how large they are, and what is wrong with the others."""

from pathlib import Path
from typing import Any

import pytest

from bot.errors import ToolError
from bot.media import IMAGE_BYTES
from bot.tools.files import file_tools
from tests.desk import NO_CONTEXT
from tests.pictures import gif, jpeg, pdf, png, webp, with_objects

LOCK = b"/Encrypt 4 0 R/ID[<00><00>]"
LOCKED = [
    b"<</Type/Catalog/Pages 2 0 R>>",
    b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
    b"<</Type/Page/Parent 2 0 R>>",
    b"<</Filter/Standard/V 1/R 2/O(%b)/U(%b)/P -4>>" % (b"o" * 32, b"u" * 32),
]


async def seen(folder: Path, content: bytes, name: str = "file", **arguments: Any) -> Any:
    """What `read_file` gives of such a file."""
    (folder / name).write_bytes(content)
    read = next(tool for tool in file_tools(folder) if tool.name == "read_file")
    return await read.run(NO_CONTEXT, {"path": name, **arguments})


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (png(280, 56), "image/png"),
        (jpeg(280, 56), "image/jpeg"),
        (gif(280, 56), "image/gif"),
        (webp("VP8X", 280, 56), "image/webp"),
        (webp("VP8L", 280, 56), "image/webp"),
        (webp("VP8 ", 280, 56), "image/webp"),
    ],
)
async def test_an_image_is_known_by_its_bytes_whatever_its_name(tmp_path: Path, content: bytes, kind: str) -> None:
    found = await seen(tmp_path, content, "notes.txt")
    assert (found.type, found.data, found.tokens, found.pages) == (kind, content, 10 * 2, 0)


async def test_a_large_image_counts_as_what_the_server_makes_of_it(tmp_path: Path) -> None:
    assert (await seen(tmp_path, png(8_000, 8_000))).tokens == 5_000


@pytest.mark.parametrize("is_packed", [False, True])
async def test_a_pdf_counts_by_its_pages(tmp_path: Path, is_packed: bool) -> None:
    found = await seen(tmp_path, pdf(7, is_packed=is_packed), "report")
    assert (found.type, found.pages, found.tokens) == ("application/pdf", 7, 21_000)
    assert str(found) == f"report: application/pdf, {len(found.data)} bytes, 7 pages"


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (png(8_001, 8), r"^file is 8,001 by 8 pixels; models take 8,000 on a side: make it smaller$"),
        (png(padding=IMAGE_BYTES), r"^file has 3,932,\d+ bytes; of images models take 3,932,160 at most"),
        (png()[:20], r"^file begins as PNG and does not go on as one: it is damaged, or cut off$"),
        (jpeg()[:12], r"^file begins as JPEG and does not go on as one"),
        (webp()[:20], r"^file begins as WEBP and does not go on as one"),
        (gif(0, 8), r"^file begins as GIF and does not go on as one"),
        (pdf(101), r"^file has 101 pages; models take PDFs of 100 at most: split it$"),
        (pdf(0), r"^file begins as a PDF, and no page can be found in it"),
        (pdf()[:200], r"^file begins as PDF and does not go on as one"),
        (with_objects(LOCKED, LOCK), r"^file is encrypted; models take PDFs without a password only$"),
        (b"II*\0" + b"\0" * 20, r"it is a TIFF image, and PNG, JPEG, GIF and WebP images, and PDFs can be read$"),
        (b"\0\0\0\x18ftypheic" + b"\0" * 20, r"it is a HEIC or AVIF image, and PNG"),
        (b"\0\1\2", r"^file holds no text \(3 bytes\)$"),
    ],
)
async def test_what_models_do_not_take_is_named(tmp_path: Path, content: bytes, complaint: str) -> None:
    with pytest.raises(ToolError, match=complaint):
        await seen(tmp_path, content)


async def test_lines_of_an_image_there_are_none(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match=r"^file has no lines: it is shown whole, so leave out 'offset' and 'limit'$"):
        await seen(tmp_path, png(), offset=2)


@pytest.mark.parametrize("said", [0, 1, 12])
async def test_pages_are_counted_whatever_a_pdf_says_of_them(tmp_path: Path, said: int) -> None:
    assert (await seen(tmp_path, pdf(7, count=said))).pages == 7


async def test_a_stream_in_a_pdf_that_is_none_is_passed_over(tmp_path: Path) -> None:
    odd = b"<</Type /ObjStm/N 1/First 4/Length 13>>\nstream\nno such thing\nendstream"
    assert (await seen(tmp_path, pdf(2, more=[odd] * 3))).pages == 2
