"""Images and PDFs, as files: what they are taken for, how large they are, and what is wrong with the others."""

from pathlib import Path
from typing import Any

import pytest

from bot.core.errors import ToolError
from bot.core.texts import model
from bot.documents.people_texts import PDF_HAS_NO_PAGES, PDF_HAS_TOO_MANY_PAGES, REFUSALS
from bot.tools import texts
from bot.tools.files import file_tools
from tests.support.file_workspace import NO_CONTEXT
from tests.support.sample_media import gif, jpeg, pdf, png, webp, with_objects

LOCK = b"/Encrypt 4 0 R/ID[<00><00>]"
LOCKED = [
    b"<</Type/Catalog/Pages 2 0 R>>",
    b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
    b"<</Type/Page/Parent 2 0 R>>",
    b"<</Filter/Standard/V 1/R 2/O(%b)/U(%b)/P -4>>" % (b"o" * 32, b"u" * 32),
]


async def seen(folder: Path, content: bytes, name: str = "file", **arguments: Any) -> Any:
    """What `read_file` returns of such a file."""
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
async def test_an_image_is_known_by_its_bytes_and_not_by_its_name(tmp_path: Path, content: bytes, kind: str) -> None:
    found = await seen(tmp_path, content, "notes.txt")
    assert (found.type, found.data, found.tokens, found.pages) == (kind, content, 10 * 2, 0)


@pytest.mark.parametrize("is_packed", [False, True])
async def test_a_pdf_counts_by_its_pages(tmp_path: Path, is_packed: bool) -> None:
    found = await seen(tmp_path, pdf(7, is_packed=is_packed), "report")
    assert (found.type, found.pages, found.tokens) == ("application/pdf", 7, 21_000)
    assert str(found) == model.PDF(7, name="report", type="application/pdf", bytes=len(found.data))


PSD = b"8BPS" + b"\0" * 20


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (png(5_001, 5_000), REFUSALS["too many pixels"](name="file", width=5_001, height=5_000, most=25)),
        (png()[:20], REFUSALS["damaged"](name="file", kind="image/png")),
        (jpeg()[:12], REFUSALS["damaged"](name="file", kind="image/jpeg")),
        (webp()[:20], REFUSALS["damaged"](name="file", kind="image/webp")),
        (gif(0, 8), REFUSALS["damaged"](name="file", kind="image/gif")),
        (pdf(101), PDF_HAS_TOO_MANY_PAGES(name="file", pages=101, most=100)),
        (pdf(0), PDF_HAS_NO_PAGES(name="file")),
        (pdf()[:200], REFUSALS["damaged"](name="file", kind="application/pdf")),
        (with_objects(LOCKED, LOCK), REFUSALS["encrypted"](name="file")),
        (PSD, REFUSALS["other picture"](name="file", kind="image/vnd.adobe.photoshop")),
        (b"\0\1\2", texts.NOT_TEXT(3, name="file")),
    ],
)
async def test_an_unsupported_media_file_is_named(tmp_path: Path, content: bytes, complaint: str) -> None:
    with pytest.raises(ToolError) as error:
        await seen(tmp_path, content)
    assert str(error.value) == complaint


async def test_lines_of_an_image_there_are_none(tmp_path: Path) -> None:
    with pytest.raises(ToolError) as error:
        await seen(tmp_path, png(), offset=2)
    assert str(error.value) == texts.SHOWN_WHOLE(name="file")


@pytest.mark.parametrize("said", [0, 1, 12])
async def test_pages_are_counted_independently_of_the_pdfs_own_figure(tmp_path: Path, said: int) -> None:
    assert (await seen(tmp_path, pdf(7, count=said))).pages == 7


async def test_a_stream_in_a_pdf_that_is_none_is_passed_over(tmp_path: Path) -> None:
    odd = b"<</Type /ObjStm/N 1/First 4/Length 13>>\nstream\nno such thing\nendstream"
    assert (await seen(tmp_path, pdf(2, more=[odd] * 3))).pages == 2
