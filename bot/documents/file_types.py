"""What a file is, by its content: a name is only what somebody calls it. Nothing here unpacks anything."""

from dataclasses import dataclass
from enum import StrEnum

BYTES_READ_TO_RECOGNISE = 4_096


class FileKind(StrEnum):
    """What can be done with a file: models see images and PDFs, and read texts and documents."""

    IMAGE = "image"
    PDF = "pdf"
    TEXT = "text"
    DOCUMENT = "document"
    AUDIO = "audio"
    VIDEO = "video"
    ARCHIVE = "archive"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class FileType:
    """A type of files. `media_type` is its registered name, as image/png."""

    kind: FileKind
    media_type: str


PNG = FileType(FileKind.IMAGE, "image/png")
JPEG = FileType(FileKind.IMAGE, "image/jpeg")
GIF = FileType(FileKind.IMAGE, "image/gif")
WEBP = FileType(FileKind.IMAGE, "image/webp")
BMP = FileType(FileKind.IMAGE, "image/bmp")
TIFF = FileType(FileKind.IMAGE, "image/tiff")
AVIF = FileType(FileKind.IMAGE, "image/avif")
HEIC = FileType(FileKind.IMAGE, "image/heic")
PHOTOSHOP = FileType(FileKind.IMAGE, "image/vnd.adobe.photoshop")
PDF = FileType(FileKind.PDF, "application/pdf")
ZIP = FileType(FileKind.ARCHIVE, "application/zip")
TAR = FileType(FileKind.ARCHIVE, "application/x-tar")
GZIP = FileType(FileKind.ARCHIVE, "application/gzip")
BZIP2 = FileType(FileKind.ARCHIVE, "application/x-bzip2")
XZ = FileType(FileKind.ARCHIVE, "application/x-xz")
OLD_OFFICE = FileType(FileKind.DOCUMENT, "application/x-ole-storage")  # Word, Excel and PowerPoint before 2007
RTF = FileType(FileKind.DOCUMENT, "application/rtf")
HTML = FileType(FileKind.DOCUMENT, "text/html")
TEXT = FileType(FileKind.TEXT, "text/plain")
UNKNOWN = FileType(FileKind.UNKNOWN, "application/octet-stream")
PROGRAM = FileType(FileKind.UNKNOWN, "application/x-executable")

MODEL_IMAGE_TYPES = frozenset({PNG, JPEG, GIF, WEBP})  # models take these as they are
TYPES_BY_FIRST_BYTES = (
    (b"\x89PNG\r\n\x1a\n", PNG),
    (b"\xff\xd8\xff", JPEG),
    (b"GIF87a", GIF),
    (b"GIF89a", GIF),
    (b"II*\0", TIFF),
    (b"MM\0*", TIFF),
    (b"8BPS", PHOTOSHOP),
    (b"%PDF-", PDF),
    (b"PK\x03\x04", ZIP),
    (b"PK\x05\x06", ZIP),  # an empty one
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", OLD_OFFICE),
    (b"{\\rtf", RTF),
    (b"Rar!\x1a\x07", FileType(FileKind.ARCHIVE, "application/vnd.rar")),
    (b"7z\xbc\xaf\x27\x1c", FileType(FileKind.ARCHIVE, "application/x-7z-compressed")),
    (b"\x1f\x8b", GZIP),
    (b"BZh", BZIP2),
    (b"\xfd7zXZ\0", XZ),
    (b"\x28\xb5\x2f\xfd", FileType(FileKind.ARCHIVE, "application/zstd")),
    (b"OggS", FileType(FileKind.AUDIO, "audio/ogg")),
    (b"ID3", FileType(FileKind.AUDIO, "audio/mpeg")),
    (b"\xff\xfb", FileType(FileKind.AUDIO, "audio/mpeg")),
    (b"\xff\xf3", FileType(FileKind.AUDIO, "audio/mpeg")),
    (b"\xff\xf2", FileType(FileKind.AUDIO, "audio/mpeg")),
    (b"\xff\xf1", FileType(FileKind.AUDIO, "audio/aac")),
    (b"\xff\xf9", FileType(FileKind.AUDIO, "audio/aac")),
    (b"fLaC", FileType(FileKind.AUDIO, "audio/flac")),
    (b"#!AMR", FileType(FileKind.AUDIO, "audio/amr")),
    (b"MZ", PROGRAM),
    (b"\x7fELF", PROGRAM),
    (b"\xcf\xfa\xed\xfe", PROGRAM),
)
TYPES_BY_RIFF_FORM = {
    b"WEBP": WEBP,
    b"WAVE": FileType(FileKind.AUDIO, "audio/wav"),
    b"AVI ": FileType(FileKind.VIDEO, "video/x-msvideo"),
}
HEIC_BRANDS = (b"heic", b"heix", b"hevc", b"mif1", b"msf1")
TYPES_BY_BRAND = {  # the box "ftyp", with which MP4 and its relatives begin
    **dict.fromkeys(HEIC_BRANDS, HEIC),
    b"avif": AVIF,
    b"avis": AVIF,
    b"M4A ": FileType(FileKind.AUDIO, "audio/mp4"),
    b"M4B ": FileType(FileKind.AUDIO, "audio/mp4"),
    b"qt  ": FileType(FileKind.VIDEO, "video/quicktime"),
}
MP4 = FileType(FileKind.VIDEO, "video/mp4")
WEBM = FileType(FileKind.VIDEO, "video/webm")
MATROSKA_FIRST_BYTES = b"\x1a\x45\xdf\xa3"
TAR_MARK, TAR_MARK_PLACE = b"ustar", 257
BMP_HEADER_LENGTHS = (12, 40, 52, 56, 64, 108, 124)
UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
HTML_BEGINNINGS = ("<!doctype html", "<html")
CHARACTERS_BEFORE_HTML = 500  # comments and an XML declaration may stand before it


def recognise(head: bytes) -> FileType | None:
    """Return the type of a file by its first BYTES_READ_TO_RECOGNISE bytes; None if they may be text, or anything."""
    if head.startswith(b"RIFF"):
        return TYPES_BY_RIFF_FORM.get(head[8:12])
    if head[4:8] == b"ftyp":
        return TYPES_BY_BRAND.get(head[8:12], MP4)
    if head.startswith(MATROSKA_FIRST_BYTES):
        return WEBM
    if head.startswith(b"BM") and int.from_bytes(head[14:18], "little") in BMP_HEADER_LENGTHS:
        return BMP  # "BM" alone also begins words
    if head.startswith(UTF_16_MARKS):
        return None
    if head.startswith(TAR_MARK, TAR_MARK_PLACE):
        return TAR
    fitting = (type_ for begin, type_ in TYPES_BY_FIRST_BYTES if head.startswith(begin))
    found = next(fitting, None)
    is_binary = found is not PROGRAM or b"\0" in head  # "MZ" alone also begins words
    return found if is_binary else None


def recognise_text(head: str) -> FileType:
    """Return what a text is by its beginning: a page of the web, or plain text."""
    beginning = head[:CHARACTERS_BEFORE_HTML].lstrip("\ufeff \t\r\n").lower()
    if beginning.startswith(HTML_BEGINNINGS):
        return HTML
    is_after_preface = beginning.startswith(("<?xml", "<!--")) and any(each in beginning for each in HTML_BEGINNINGS)
    return HTML if is_after_preface else TEXT
