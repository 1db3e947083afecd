"""Documents as Markdown, each by the library that knows its format. This runs in the examiner's process."""

import posixpath
import re
import xml.etree.ElementTree as ElementTree
import zipfile
from collections.abc import Callable, Iterable
from datetime import date, datetime, time
from typing import IO, Any
from urllib.parse import unquote

from bot.core.web_page import parse_visible_page
from bot.documents import zip_documents as zips
from bot.documents.examiner_answers import Answer, Refused
from bot.documents.file_types import HTML, OLD_OFFICE, RTF, FileType
from bot.documents.markdown_writing import MarkdownTooLong, MarkdownWriter
from bot.documents.plain_text import decode_any_text

MAX_HTML_BYTES = 8 * 2**20
CONTAINER_MEMBER = "META-INF/container.xml"  # of an e-book: it names the list of the book's pages
MANY_EMPTY_LINES = re.compile(r"\n{3,}")

Writer = MarkdownWriter


def convert_docx(file: IO[bytes], to: Writer) -> None:
    import mammoth

    def leave_out(image: Any) -> list[Any]:
        return []

    to.add(html_as_markdown(mammoth.convert_to_html(file, convert_image=leave_out).value))


def html_as_markdown(html: str | bytes) -> str:
    """Return a page of the web as Markdown: without scripts and pictures, and with the addresses of its links."""
    from markdownify import ATX, MarkdownConverter

    page = parse_visible_page(html)
    for cell in page(("td", "th")):
        for words in cell.find_all(string=lambda words: "|" in words):  # it would end the cell
            words.replace_with(words.replace("|", "\\|"))
    converter = MarkdownConverter(heading_style=ATX, bullets="-", strip=["img"], table_infer_header=True)
    markdown: str = converter.convert_soup(page)
    return MANY_EMPTY_LINES.sub("\n\n", "\n".join(line.rstrip() for line in markdown.splitlines())).strip()


def convert_old_office(file: IO[bytes], to: Writer) -> None:
    """Write a spreadsheet of Excel before 2007. Raise Refused if it is another document of that time."""
    from python_calamine import CalamineError

    try:
        convert_spreadsheet(file, to)
    except CalamineError:
        raise Refused("old document") from None


def convert_html(file: IO[bytes], to: Writer) -> None:
    content = file.read(MAX_HTML_BYTES + 1)
    if len(content) > MAX_HTML_BYTES:
        raise Refused("too long")
    if decoded := decode_any_text(content):
        to.add(html_as_markdown(decoded[0]))


def convert_epub(file: IO[bytes], to: Writer) -> None:
    """Write the pages of an e-book in its own order."""
    with zipfile.ZipFile(file) as archive:
        names = set(archive.namelist())
        found = ElementTree.fromstring(archive.read(CONTAINER_MEMBER)).find(".//{*}rootfile")
        list_name = "" if found is None else found.get("full-path", "")
        package = ElementTree.fromstring(archive.read(list_name))
        pages = {item.get("id"): item.get("href", "") for item in package.iterfind(".//{*}manifest/{*}item")}
        for reference in package.iterfind(".//{*}spine/{*}itemref"):
            href = unquote(pages.get(reference.get("idref")) or "")
            name = posixpath.normpath(posixpath.join(posixpath.dirname(list_name), href))
            if name in names:
                to.add(html_as_markdown(archive.read(name)))


def convert_spreadsheet(file: IO[bytes], to: Writer) -> None:
    from python_calamine import CalamineWorkbook, PasswordError

    try:
        workbook = CalamineWorkbook.from_filelike(file)
    except PasswordError:
        raise Refused("encrypted") from None
    for name in workbook.sheet_names:
        rows = workbook.get_sheet_by_name(name).iter_rows()
        to.add(f"## {' '.join(name.split())}")
        to.add_table([cell_text(cell) for cell in row] for row in rows)


def cell_text(cell: object) -> str:
    """Return a cell as people see it: 3 for 3.0, and a date without the time of midnight."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, datetime):
        return str(cell.date()) if cell.time() == time() else cell.isoformat(" ")
    return cell.isoformat() if isinstance(cell, date | time) else str(cell)


def convert_pptx(file: IO[bytes], to: Writer) -> None:
    import pptx

    for number, slide in enumerate(pptx.Presentation(file).slides, 1):
        title = slide.shapes.title
        to.add(f"## Slide {number}: {one_line(title.text)}" if title is not None else f"## Slide {number}")
        write_shapes((shape for shape in slide.shapes if title is None or shape.shape_id != title.shape_id), to)
        if slide.has_notes_slide and (notes := slide.notes_slide.notes_text_frame):
            to.add(f"Notes: {notes.text}" if notes.text.strip() else "")


def write_shapes(shapes: Iterable[Any], to: Writer) -> None:
    for shape in shapes:
        if hasattr(shape, "shapes"):  # a group of others
            write_shapes(shape.shapes, to)
        elif shape.has_table:
            to.add_table([cell.text for cell in row.cells] for row in shape.table.rows)
        elif shape.has_text_frame:
            paragraphs = [each for each in shape.text_frame.paragraphs if each.text.strip()]
            to.add("\n".join(f"{'  ' * each.level}- {one_line(each.text)}" for each in paragraphs))


def one_line(text: str) -> str:
    return " ".join(text.split())


def convert_odt(file: IO[bytes], to: Writer) -> None:
    from odfdo import Document

    to.add(Document(file).to_markdown())  # type: ignore[arg-type]  # it reads any file


def convert_odp(file: IO[bytes], to: Writer) -> None:
    from odfdo import Document

    slides = Document(file).body.get_elements("descendant::draw:page")  # type: ignore[arg-type]  # it reads any file
    for number, slide in enumerate(slides, 1):
        to.add(f"## Slide {number}")
        paragraphs = (one_line(each.inner_text) for each in slide.get_elements("descendant::text:p"))
        to.add("\n".join(f"- {text}" for text in paragraphs if text))


def convert_rtf(file: IO[bytes], to: Writer) -> None:
    from striprtf.striprtf import rtf_to_text

    text: str = rtf_to_text(file.read().decode("latin-1"), errors="replace")  # type: ignore[no-untyped-call]  # without types
    to.add(text)


CONVERTERS: dict[FileType, Callable[[IO[bytes], Writer], None]] = {
    zips.DOCX: convert_docx,
    zips.PPTX: convert_pptx,
    zips.ODT: convert_odt,
    zips.ODP: convert_odp,
    zips.EPUB: convert_epub,
    zips.XLSX: convert_spreadsheet,
    zips.XLSB: convert_spreadsheet,
    zips.ODS: convert_spreadsheet,
    OLD_OFFICE: convert_old_office,
    HTML: convert_html,
    RTF: convert_rtf,
}
COPIED_TYPES = (zips.DOCX, zips.PPTX, zips.ODT, zips.ODP, zips.EPUB)  # others are read from where they are


def convert_document(file: IO[bytes], type_: FileType) -> Answer:
    """Return a document as Markdown: as much as an answer may hold. Raise Refused if it has no text."""
    to, is_cut = MarkdownWriter(), False
    if type_ in COPIED_TYPES:
        with zips.open_archive(file) as archive:
            file = zips.copy_read_members(archive)
    try:
        CONVERTERS[type_](file, to)
    except MarkdownTooLong:
        is_cut = True
    if not (text := to.text()):
        raise Refused("no text")
    return Answer(type_, {"is_cut": is_cut}, text.encode(errors="replace"))
