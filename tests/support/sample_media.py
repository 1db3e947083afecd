"""Make files that are no text: images of any size, and PDFs of any length."""

import io
import struct
import zlib
from base64 import b64decode
from collections.abc import Iterable

from PIL import Image


def png(width: int = 8, height: int = 8, *, padding: int = 0) -> bytes:
    """Return a complete PNG whose picture makes no sense. Add `padding` bytes at its end."""
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = [chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(b"\0" * min(width + 1, 64))), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts) + b"\0" * padding


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def gif(width: int = 8, height: int = 8) -> bytes:
    frame = b"," + struct.pack("<HHHHB", 0, 0, width, height, 0) + b"\x02\x02\x44\x01\0"
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\0\0\0" + frame + b";"


def animated_gif(pictures: int = 2) -> bytes:
    """Return a GIF that moves."""
    head, picture, end = gif()[:13], gif()[13:-1], gif()[-1:]
    return head + b"!\xf9\x04\0\x0a\0\0\0" + picture * pictures + end


def mp4(brand: bytes = b"isom") -> bytes:
    """Return the beginning of a video, or with the brand "M4A " of a piece of music."""
    return b"\0\0\0\x18ftyp" + brand + b"\0\0\2\0isomiso2" + b"\0\0\0\x08free"


def jpeg(width: int = 8, height: int = 8) -> bytes:
    """Return a JPEG with parts before its frame: a header, fill bytes, a table."""
    frame = b"\xff\xc0" + struct.pack(">HBHHB", 11, 8, height, width, 1) + b"\x01\x11\0"
    scan = b"\xff\xda\0\x08\x01\x01\0\0\x3f\0"
    return b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0" + b"\xff" + frame + scan + b"\xff\xd9"


def webp(kind: str = "VP8X", width: int = 8, height: int = 8) -> bytes:
    file = io.BytesIO()
    look = {"VP8X": {"icc_profile": b"colours"}, "VP8L": {"lossless": True}}.get(kind, {})
    Image.new("RGB", (width, height)).save(file, "WEBP", **look)  # type: ignore[arg-type]  # it takes any
    content = file.getvalue()
    assert content[12:16].strip() == kind.strip().encode()
    return content


HEIC = b64decode(  # 64 by 48 pixels of one red: nothing here can write this format
    "AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAX1tZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAACJpbG9jAA"
    "AAAERAAAEAAQAAAAABoQABAAAAAAAAABoAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABodmMxAAAAAA5waXRtAAAAAAABAAAA/WlwcnAA"
    "AADdaXBjbwAAAHZodmNDAQNwAAAAkAAAAAAAHvAA/P34+AAADwNgAAEAGEABDAH//wNwAAADAJAAAAMAAAMAHroCQGEAAQAqQgEBA3AAAAMAkA"
    "AAAwAAAwAeoCCBBZbq5Ka5uAhoMCAAAAMDIAAAAwAhYgABAAZEAcFzwIkAAAATY29scm5jbHgAAQANAAaAAAAAFGlzcGUAAAAAAAAAQAAAAEAA"
    "AAAoY2xhcAAAAEAAAAABAAAAMAAAAAEAAAAAAAAAAv////AAAAACAAAAEHBpeGkAAAAAAwgICAAAABhpcG1hAAAAAAAAAAEAAQWBAgMFhAAAAC"
    "JtZGF0AAAAFigBrxmA70mlv//gZl/35a/5frWmPm4="
)


def pdf(pages: int = 1, *, is_packed: bool = False, count: int | None = None, more: Iterable[bytes] = ()) -> bytes:
    """Return a PDF. `is_packed`: its pages are in a compressed stream, as newer programs write them. `count` is the
    number of pages that it claims. `more` are further objects."""
    kids = b" ".join(b"%d 0 R" % number for number in range(3, 3 + pages))
    said = pages if count is None else count
    catalog, tree = b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type /Pages/Kids[%b]/Count %d>>" % (kids, said)
    leaves = [b"<</Type /Page /Parent 2 0 R/MediaBox[0 0 9 9]>>"] * pages
    if is_packed:
        return with_packed_objects([catalog, tree, *leaves])
    return with_objects([catalog, tree, *leaves, *more])


def with_objects(objects: Iterable[bytes], trailer: bytes = b"") -> bytes:
    content, places = bytearray(b"%PDF-1.7\n"), []
    for number, each in enumerate(objects, 1):
        places.append(len(content))
        content += b"%d 0 obj\n%b\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"xref\n0 %d\n0000000000 65535 f \n%btrailer<</Size %d/Root 1 0 R%b>>\nstartxref\n%d\n%%%%EOF\n"
    return bytes(content) + end % (len(places) + 1, table, len(places) + 1, trailer, len(content))


def with_packed_objects(objects: list[bytes]) -> bytes:
    places, at = [], 0
    for each in objects:
        places.append(at)
        at += len(each) + 1
    head = b" ".join(b"%d %d" % (number, place) for number, place in enumerate(places, 1)) + b"\n"
    packed = stream(b"/Type /ObjStm /N %d/First %d" % (len(objects), len(head)), head + b"\n".join(objects))
    own, table = len(objects) + 1, len(objects) + 2
    content = b"%%PDF-1.7\n%d 0 obj\n%b\nendobj\n" % (own, packed)
    rows = [struct.pack(">BIH", 0, 0, 65535), *(struct.pack(">BIH", 2, own, index) for index in range(len(objects)))]
    rows += [struct.pack(">BIH", 1, len(b"%PDF-1.7\n"), 0), struct.pack(">BIH", 1, len(content), 0)]
    xref = stream(b"/Type /XRef /W[1 4 2]/Size %d/Root 1 0 R" % (table + 1), b"".join(rows))
    return content + b"%d 0 obj\n%b\nendobj\nstartxref\n%d\n%%%%EOF\n" % (table, xref, len(content))


def stream(head: bytes, content: bytes) -> bytes:
    packed = zlib.compress(content, 9)
    return b"<<%b/Filter/FlateDecode/Length %d>>\nstream\n%b\nendstream" % (head, len(packed), packed)
