"""Files that are made to do harm: small as they are sent, and as large or slow as can be when they are opened."""

import gzip
import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable

from tests.support import sample_documents as sample
from tests.support.sample_media import chunk, jpeg

MIB = 2**20
GIB = 2**30
CHUNK = b" " * MIB


def zip_of_spaces(
    name: str, amount: int, begin: str = "", end: str = "", others: dict[str, str] | None = None
) -> bytes:
    """Return an archive with one member of that many spaces between `begin` and `end`."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for other, content in (others or {}).items():
            archive.writestr(other, content)
        with archive.open(name, "w", force_zip64=False) as member:
            member.write(begin.encode())
            for _ in range(amount // MIB):
                member.write(CHUNK)
            member.write(end.encode())
    return file.getvalue()


def understated(archive: bytes, name: str, size: int) -> bytes:
    """Return an archive that says of one member that it has only `size` bytes."""
    changed = bytearray(archive)
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        local = opened.getinfo(name).header_offset
    central = archive.rindex(name.encode()) - 46  # the list of members is at the end
    for place in (local + 22, central + 24):
        struct.pack_into("<I", changed, place, size)
    return bytes(changed)


WORD_PACKAGE = {"[Content_Types].xml": sample.CONTENT_TYPES, "_rels/.rels": sample.RELATIONSHIPS}
WORD_BEGIN, WORD_END = f"<w:document {sample.WORD}><w:body>", "</w:body></w:document>"
SHEET = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'


def word_of_spaces(amount: int = GIB // 8) -> bytes:
    return zip_of_spaces("word/document.xml", amount, WORD_BEGIN, WORD_END, WORD_PACKAGE)


def many_laughs() -> bytes:
    """Entities that each hold ten of the one before."""
    named = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(12))
    return sample.docx("<w:p><w:r><w:t>&e12;</w:t></w:r></w:p>", prolog=f'<!DOCTYPE x [<!ENTITY e0 "ha">{named}]>')


def nested_word(depth: int = 40_000) -> bytes:
    return sample.docx("<w:p>" * depth + "</w:p>" * depth)


def word_of_many_elements(count: int = 300_000) -> bytes:
    element = '<w:r w:a="1"/>'
    return sample.docx(f"<w:p>{element * count}</w:p>")


def sheet_with_far_cells() -> bytes:
    """Two cells, at the first and at the last place that there is."""
    return sample.xlsx({"Far": [["near"]]}, far_cells={(1_048_575, 16_383): "far"})


def sheet_that_repeats() -> bytes:
    """One cell of OpenDocument that stands for seventeen billion."""
    name = "urn:oasis:names:tc:opendocument:xmlns"
    content = (
        f'<office:document-content xmlns:office="{name}:office:1.0" xmlns:table="{name}:table:1.0" '
        f'xmlns:text="{name}:text:1.0"><office:body><office:spreadsheet><table:table table:name="T">'
        '<table:table-row table:number-rows-repeated="1048576"><table:table-cell office:value-type="string" '
        'table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell></table:table-row></table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    manifest = f'<manifest:manifest xmlns:manifest="{name}:manifest:1.0"/>'
    mimetype = "application/vnd.oasis.opendocument.spreadsheet"
    return sample.zipped({"mimetype": mimetype, "content.xml": content, "META-INF/manifest.xml": manifest})


def shared_words_of_a_sheet() -> bytes:
    """A table of words, of which one is very long."""
    with zipfile.ZipFile(io.BytesIO(sample.xlsx({"A": [["word"]]}))) as small:
        others = {name: small.read(name).decode() for name in small.namelist() if "sharedStrings" not in name}
    words = f"<sst {SHEET}><si><t>", "</t></si></sst>"
    return zip_of_spaces("xl/sharedStrings.xml", GIB // 4, *words, others)


def text_of_many_spaces() -> bytes:
    """A text of OpenDocument with an element that stands for a billion spaces."""
    with zipfile.ZipFile(io.BytesIO(sample.odt("Title", "MARK"))) as small:
        members = {name: small.read(name) for name in small.namelist()}
    members["content.xml"] = members["content.xml"].replace(b"MARK", b'a<text:s text:c="1000000000"/>b')
    return sample.zipped(members)


def slides_of_spaces() -> bytes:
    with zipfile.ZipFile(io.BytesIO(sample.slides({"One": "two"}))) as small:
        others = {
            each: small.read(each).decode("latin-1") for each in small.namelist() if each.endswith((".xml", "rels"))
        }
    page = others.pop("ppt/slides/slide1.xml")
    return zip_of_spaces("ppt/slides/slide1.xml", GIB // 8, page.rpartition("</p:sld>")[0], "</p:sld>", others)


def nested_archive(depth: int = 30) -> bytes:
    content = b"0" * MIB
    for number in range(depth):
        content = sample.zipped({f"{number}.zip": content})
    return content


def tar_of_spaces() -> bytes:
    """A file of spaces in a compressed archive that has no list of its files."""
    member = tarfile.TarInfo("spaces.txt")
    member.size = GIB
    return gzip.compress(member.tobuf()) + gzip.compress(CHUNK * 16, 1) * (GIB // MIB // 16)


def greedy_stream() -> bytes:
    """A compressed stream that demands 4 GiB to be unpacked."""
    packed = bytearray(lzma.compress(b"1"))
    begin, end = 12, 12 + (packed[12] + 1) * 4  # the first block's header: its length, what it needs, and its checksum
    packed[begin + 4] = 40
    packed[end - 4 : end] = struct.pack("<I", zlib.crc32(packed[begin : end - 4]))
    return bytes(packed)


def tar_with_a_long_name() -> bytes:
    """A file whose name is longer than the memory."""
    member = tarfile.TarInfo("long")
    member.type, member.size = tarfile.GNUTYPE_LONGNAME, GIB
    return gzip.compress(member.tobuf()) + gzip.compress(CHUNK * 16, 1) * (GIB // MIB // 16)


def png_of_zeros(width: int, height: int) -> bytes:
    """Return a complete PNG of one colour."""
    packing, packed = zlib.compressobj(1), bytearray()
    row = bytes(width // 8 + 1)
    for _ in range(height):
        packed += packing.compress(row)
    packed += packing.flush()
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    parts = chunk(b"IHDR", head), chunk(b"IDAT", bytes(packed)), chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def gif_of_one_colour(side: int = 65_535) -> bytes:
    return (
        b"GIF89a"
        + struct.pack("<HH", side, side)
        + b"\x80\0\0"
        + bytes(6)
        + b","
        + struct.pack("<HHHHB", 0, 0, side, side, 0)
    )


def tiff_of_zeros(side: int = 60_000) -> bytes:
    """A TIFF whose one strip is said to hold everything."""
    entries = [(256, side), (257, side), (258, 8), (259, 1), (262, 1), (273, 8), (277, 1), (278, side), (279, side)]
    body = struct.pack("<H", len(entries)) + b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in entries)
    return b"II*\0" + struct.pack("<I", 8) + body + bytes(4)


def webp_head(side: int = 16_383) -> bytes:
    wide = (side - 1).to_bytes(3, "little")
    body = b"VP8X" + struct.pack("<I", 10) + b"\2\0\0\0" + wide + wide
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body


BOMBS: dict[str, Callable[[], bytes]] = {
    "word of spaces": word_of_spaces,
    "understated word": lambda: understated(word_of_spaces(), "word/document.xml", 10_000),
    "many laughs": many_laughs,
    "nested word": nested_word,
    "many elements": word_of_many_elements,
    "far cells": sheet_with_far_cells,
    "repeated cells": sheet_that_repeats,
    "shared words": shared_words_of_a_sheet,
    "many spaces": text_of_many_spaces,
    "slides of spaces": slides_of_spaces,
    "nested archive": nested_archive,
    "stream of spaces": tar_of_spaces,
    "greedy stream": greedy_stream,
    "name of spaces": tar_with_a_long_name,
    "nested page": lambda: b"<html>" + b"<div>" * 60_000,
    "rich text": lambda: rb"{\rtf1 " + b"{\\b x}" * 300_000,
    "one bit a pixel": lambda: png_of_zeros(40_000, 20_000),
    "gif": gif_of_one_colour,
    "tiff": tiff_of_zeros,
    "webp": webp_head,
    "jpeg": lambda: jpeg(65_500, 65_500),
}
