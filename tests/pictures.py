"""Files that are no text, made here: images of any size, and PDFs of any length."""

import struct
import zlib


def png(width: int = 8, height: int = 8, *, padding: int = 0) -> bytes:
    """A whole one, if not a sensible one; `padding` bytes longer than it must be."""
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = [chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(b"\0" * min(width + 1, 64))), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts) + b"\0" * padding


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def gif(width: int = 8, height: int = 8) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\0\0\0;"


def jpeg(width: int = 8, height: int = 8) -> bytes:
    """With what comes before the frame: a head, filling, a table."""
    frame = b"\xff\xc0" + struct.pack(">HBHH", 8, 8, height, width) + b"\0"
    return b"\xff\xd8\xff\xe0\0\x06JFIF" + b"\xff\xff\xc4\0\x04\0\0" + frame + b"\xff\xd9"


def webp(kind: str = "VP8X", width: int = 8, height: int = 8) -> bytes:
    match kind:
        case "VP8X":
            body = b"\0\0\0\0" + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
        case "VP8L":
            body = b"\x2f" + struct.pack("<I", (width - 1) | (height - 1) << 14)
        case _:
            body = b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", width, height)
    whole = b"WEBP" + kind.ljust(4).encode() + struct.pack("<I", len(body)) + body
    return b"RIFF" + struct.pack("<I", len(whole)) + whole


def pdf(pages: int = 1, *, is_packed: bool = False, count: int = 0, rest: bytes = b"") -> bytes:
    """`is_packed`: its pages stand in a compressed stream, as newer programs write them."""
    objects = b"".join(b"<< /Type /Page /Parent 1 0 R >>\n" for _ in range(pages))
    if is_packed:
        packed = zlib.compress(objects)
        head = b"<< /Type /ObjStm /N %d /First 0 /DecodeParms << /Columns 4 >> /Length %d >>" % (pages, len(packed))
        objects = head + b"\nstream\r\n" + packed + b"\nendstream\n"
    return b"%%PDF-1.7\n1 0 obj << /Type /Pages /Count %d >>\n" % count + objects + rest + b"\n%%EOF\n"
