"""Documents that are zip archives: which kind one is, and a copy of it that holds only what is read. This runs in the
examiner's process."""

import io
import zipfile
from typing import IO

from bot.documents.examiner_answers import Refused
from bot.documents.file_types import ZIP, FileKind, FileType

MAX_MEMBERS = 20_000
MAX_UNPACKED_BYTES = 48 * 2**20  # of all members that are read; a book of 1,000 pages has 5 to 20
CHUNK_BYTES = 2**16
READ_SUFFIXES = (".xml", ".rels", ".xhtml", ".html", ".htm", ".opf")
MIMETYPE_MEMBER = "mimetype"  # OpenDocument and e-books say in it what they are

OPEN_XML = "application/vnd.openxmlformats-officedocument"
DOCX = FileType(FileKind.DOCUMENT, f"{OPEN_XML}.wordprocessingml.document")
XLSX = FileType(FileKind.DOCUMENT, f"{OPEN_XML}.spreadsheetml.sheet")
XLSB = FileType(FileKind.DOCUMENT, "application/vnd.ms-excel.sheet.binary.macroenabled.12")
PPTX = FileType(FileKind.DOCUMENT, f"{OPEN_XML}.presentationml.presentation")
ODT = FileType(FileKind.DOCUMENT, "application/vnd.oasis.opendocument.text")
ODS = FileType(FileKind.DOCUMENT, "application/vnd.oasis.opendocument.spreadsheet")
ODP = FileType(FileKind.DOCUMENT, "application/vnd.oasis.opendocument.presentation")
EPUB = FileType(FileKind.DOCUMENT, "application/epub+zip")
TYPES_BY_MAIN_MEMBER = {
    "word/document.xml": DOCX,
    "xl/workbook.xml": XLSX,
    "xl/workbook.bin": XLSB,
    "ppt/presentation.xml": PPTX,
}
TYPES_BY_MIMETYPE = {each.media_type: each for each in (ODT, ODS, ODP, EPUB)}


def open_archive(file: IO[bytes]) -> zipfile.ZipFile:
    """Return the archive. Raise Refused if it is damaged, or has very many members."""
    try:
        archive = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        raise Refused("damaged") from None
    if len(archive.infolist()) > MAX_MEMBERS:
        raise Refused("archive", {})
    return archive


def recognise_archive(archive: zipfile.ZipFile) -> FileType:
    """Return which kind of document an archive is; plain ZIP if it is none."""
    names = {each.filename for each in archive.infolist()}
    for name, type_ in TYPES_BY_MAIN_MEMBER.items():
        if name in names:
            return type_
    if MIMETYPE_MEMBER in names:
        with archive.open(MIMETYPE_MEMBER) as member:
            said = member.read(100).decode(errors="replace").strip()
        return TYPES_BY_MIMETYPE.get(said.removesuffix("-template"), ZIP)
    return ZIP


def copy_read_members(archive: zipfile.ZipFile) -> io.BytesIO:
    """Return a copy of the archive: its texts as they are, and everything else, such as pictures, empty. So no library
    unpacks more than was measured here. Raise Refused if that is too much, or if a member is encrypted."""
    file, left, copied = io.BytesIO(), MAX_UNPACKED_BYTES, set[str]()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as copy:
        for member in archive.infolist():
            if member.filename in copied:
                continue
            copied.add(member.filename)
            if not is_read(member.filename):
                copy.writestr(member.filename, b"")
                continue
            if member.flag_bits & 1:
                raise Refused("encrypted")
            with archive.open(member) as source, copy.open(member.filename, "w") as target:
                while chunk := source.read(CHUNK_BYTES):
                    if (left := left - len(chunk)) < 0:
                        raise Refused("too long")
                    target.write(chunk)
    file.seek(0)
    return file


def is_read(name: str) -> bool:
    return name == MIMETYPE_MEMBER or name.lower().endswith(READ_SUFFIXES)
