"""Documents as Markdown: what a model reads of each format."""

from datetime import date
from pathlib import Path

import pytest

from bot.documents.examiner_answers import MAX_MARKDOWN_CHARACTERS
from bot.documents.file_types import FileKind
from bot.documents.inspection import InspectedFile, inspect_file
from bot.documents.people_texts import REFUSALS
from bot.documents.texts import REST_LEFT_OUT
from tests.support import sample_documents as sample

WORD_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


async def inspect(folder: Path, content: bytes) -> InspectedFile:
    path = folder / "kept"
    path.write_bytes(content)
    return await inspect_file(path, name="file")


async def markdown(folder: Path, content: bytes) -> str:
    found = await inspect(folder, content)
    assert (found.kind, found.refusal) == (FileKind.DOCUMENT, "")
    return found.markdown


async def test_word_has_headings_and_tables(tmp_path: Path) -> None:
    table = sample.word_table([["what", "usd"], ["tea | milk", "3"]])
    body = f"{sample.paragraph('Costs', 'Heading1')}{sample.paragraph('What we &amp; you paid.')}{table}"
    expected = "# Costs\n\nWhat we & you paid.\n\n| what | usd |\n| --- | --- |\n| tea \\| milk | 3 |\n"
    assert await markdown(tmp_path, sample.docx(body)) == expected


@pytest.mark.parametrize("make", [sample.xlsx, lambda sheets: sample.ods(*next(iter(sheets.items())))])
async def test_each_row_of_a_spreadsheet_is_a_line(tmp_path: Path, make: type) -> None:
    rows = [["what", "usd", "on"], ["tea\nhot | cold", 3.5, date(2026, 1, 2)], ["milk", 2, ""]]
    lines = ["| what | usd | on |", "| --- | --- | --- |", "| tea hot \\| cold | 3.5 | 2026-01-02 |", "| milk | 2 |  |"]
    assert await markdown(tmp_path, make({"Costs": rows})) == "\n".join(["## Costs", "", *lines, ""])


async def test_each_slide_has_its_title_text_and_notes(tmp_path: Path) -> None:
    expected = "## Slide 1: Plan\n\n- one\n- two\n\nNotes: say Plan\n\n## Slide 2: End\n\n- bye\n\nNotes: say End\n"
    assert await markdown(tmp_path, sample.slides({"Plan": "one\ntwo", "End": "bye"})) == expected


async def test_texts_and_slides_of_libreoffice_are_read(tmp_path: Path) -> None:
    assert await markdown(tmp_path, sample.odt("Plan", "We go.")) == "# Plan\n\nWe go.\n"
    assert await markdown(tmp_path, sample.odp(["one", "two"])) == "## Slide 1\n\n- one\n- two\n"


async def test_a_book_is_read_in_its_own_order(tmp_path: Path) -> None:
    book = sample.epub({"z%20first.xhtml": "never", "b.xhtml": "<h1>One</h1>It began.", "a.xhtml": "<h1>Two</h1>End."})
    assert await markdown(tmp_path, book) == "# One\n\nIt began.\n\n# Two\n\nEnd.\n"


async def test_a_page_keeps_the_addresses_of_its_links(tmp_path: Path) -> None:
    page = '<!DOCTYPE html><html><script>bad()</script><h2>Hi</h2><a href="https://example.org/x">see</a></html>'
    assert await markdown(tmp_path, page.encode("utf-16")) == "## Hi\n\n[see](https://example.org/x)\n"


async def test_rich_text_is_read(tmp_path: Path) -> None:
    assert await markdown(tmp_path, rb"{\rtf1\ansi Gr\'fc\'dfe, \b Ann\b0}") == "Grüße, Ann\n"


async def test_a_page_is_known_though_a_picture_is_what_it_is_called(tmp_path: Path) -> None:
    (tmp_path / "cat.jpg").write_bytes(b"<html><body>no cat</body></html>")
    found = await inspect_file(tmp_path / "cat.jpg", name="cat.jpg")
    assert (found.kind, found.media, found.markdown) == (FileKind.DOCUMENT, None, "no cat\n")


async def test_a_long_document_is_cut_and_says_so(tmp_path: Path) -> None:
    found = await inspect(tmp_path, sample.xlsx({"Long": [[f"{n} {'x' * 10_000}"] for n in range(250)]}))
    cut, last = found.markdown.rstrip("\n").rsplit("\n", 1)
    assert MAX_MARKDOWN_CHARACTERS - 20_000 < len(cut) <= MAX_MARKDOWN_CHARACTERS
    assert last == REST_LEFT_OUT(characters=len(cut.rstrip("\n")) + 1)
    assert len(found.first_lines) < 2_000


@pytest.mark.parametrize(
    ("content", "reason", "kind"),
    [
        (sample.docx(sample.paragraph("")), "no text", WORD_TYPE),
        (sample.docx("<w:p>"), "damaged", WORD_TYPE),
        (sample.docx(sample.paragraph("Hello"))[:400], "damaged", "application/zip"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 512, "old document", "application/x-ole-storage"),
    ],
)
async def test_what_cannot_be_read_is_refused(tmp_path: Path, content: bytes, reason: str, kind: str) -> None:
    found = await inspect(tmp_path, content)
    assert found.refusal == REFUSALS[reason](name="file", kind=kind, bytes=len(content))
