"""Make documents: those that people send, and those that are made to do harm."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from datetime import date

import pptx
import xlsxwriter
from odfdo import Document, DrawPage, Frame, Header, Paragraph, Table

WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
CONTENT_TYPES = (
    f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
RELATIONSHIPS = (
    f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" Type="{OFFICE}/officeDocument" '
    'Target="word/document.xml"/></Relationships>'
)


def zipped(members: Mapping[str, str | bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def docx(body: str, *, prolog: str = "") -> bytes:
    """Return a document of Word with this XML as its body."""
    document = f"{prolog}<w:document {WORD}><w:body>{body}</w:body></w:document>"
    return zipped({"[Content_Types].xml": CONTENT_TYPES, "_rels/.rels": RELATIONSHIPS, "word/document.xml": document})


def paragraph(text: str, style: str = "") -> str:
    styled = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f'<w:p>{styled}<w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'


def word_table(rows: Sequence[Sequence[str]]) -> str:
    lines = ("".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) for row in rows)
    return f"<w:tbl>{''.join(f'<w:tr>{line}</w:tr>' for line in lines)}</w:tbl>"


def xlsx(
    sheets: Mapping[str, Sequence[Sequence[object]]], far_cells: Mapping[tuple[int, int], str] | None = None
) -> bytes:
    """Return a workbook of Excel. `far_cells` are further ones of its last sheet, by row and column from 0."""
    file = io.BytesIO()
    with xlsxwriter.Workbook(file, {"default_date_format": "yyyy-mm-dd"}) as workbook:
        for name, rows in sheets.items():
            sheet = workbook.add_worksheet(name)
            for number, row in enumerate(rows):
                sheet.write_row(number, 0, row)
        for (row_number, column), value in (far_cells or {}).items():
            sheet.write(row_number, column, value)
    return file.getvalue()


def slides(titles: Mapping[str, str]) -> bytes:
    """Return slides of PowerPoint, each with a title, a text and a note."""
    file, shown = io.BytesIO(), pptx.Presentation()
    for title, text in titles.items():
        slide = shown.slides.add_slide(shown.slide_layouts[1])
        assert slide.shapes.title
        slide.shapes.title.text = title
        slide.placeholders[1].text = text
        notes = slide.notes_slide.notes_text_frame
        assert notes
        notes.text = f"say {title}"
    shown.save(file)
    return file.getvalue()


def odt(title: str, text: str) -> bytes:
    document = Document("text")
    document.body.clear()
    document.body.append(Header(1, title))
    document.body.append(Paragraph(text))
    return saved(document)


def odp(texts: Sequence[str]) -> bytes:
    document = Document("presentation")
    document.body.clear()
    page = DrawPage("page1")
    page.append(Frame.text_frame([Paragraph(text) for text in texts], size=("7cm", "5cm"), position=("1cm", "1cm")))
    document.body.append(page)
    return saved(document)


def ods(name: str, rows: Sequence[Sequence[str | float | date]]) -> bytes:
    document = Document("spreadsheet")
    document.body.clear()
    table = Table(name)
    for row in rows:
        table.append_row()
        for column, value in enumerate(row):
            table.set_value((column, table.height - 1), value)
    document.body.append(table)
    return saved(document)


def saved(document: Document) -> bytes:
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def epub(pages: Mapping[str, str]) -> bytes:
    """Return an e-book whose pages are in the order of their names backwards, so that only its own list knows it."""
    items = "".join(f'<item id="p{n}" href="{name}"/>' for n, name in enumerate(pages))
    order = "".join(f'<itemref idref="p{n}"/>' for n in range(len(pages)))
    package = (
        f'<package xmlns="http://www.idpf.org/2007/opf"><manifest>{items}</manifest><spine>{order}</spine></package>'
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
    )
    written = {f"OEBPS/{name}": f"<html><body>{content}</body></html>" for name, content in sorted(pages.items())}
    begin = {"mimetype": "application/epub+zip", "META-INF/container.xml": container, "OEBPS/book.opf": package}
    return zipped({**begin, **written})
