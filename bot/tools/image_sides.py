"""Find an image's width and height in its header, and whether a GIF moves. Nothing is unpacked, so no image is
dangerous."""

import struct
from typing import IO

from bot.documents.file_types import JPEG, PNG, WEBP, FileType

MAX_JPEG_SEGMENTS = 1_000  # before the one with the sides
JPEG_FRAME_MARKERS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}  # the others there begin tables
JPEG_MARKERS_WITHOUT_LENGTH = frozenset({0x01, *range(0xD0, 0xD9)})

GIF_HEADER_LENGTH, GIF_PICTURE_LENGTH = 13, 9
GIF_EXTENSION, GIF_PICTURE = b"!", b","
MAX_GIF_PIECES = 200_000  # of 255 bytes: of more than 50 MB

Sides = tuple[int, int]
UNKNOWN_SIDES = (0, 0)


def find_image_sides(file: IO[bytes], type_: FileType) -> Sides:
    """Return the width and the height in pixels of an opened PNG, JPEG or WebP; (0, 0) if they are not found."""
    file.seek(0)
    try:
        if type_ == PNG:
            width, height = struct.unpack(">II", file.read(24)[16:])
            return width, height
        if type_ == WEBP:
            return find_webp_sides(file.read(30))
        return find_jpeg_sides(file) if type_ == JPEG else UNKNOWN_SIDES
    except (struct.error, IndexError):  # it ends too early
        return UNKNOWN_SIDES


def find_webp_sides(head: bytes) -> Sides:
    match head[12:16]:
        case b"VP8 ":
            width, height = struct.unpack("<HH", head[26:30])
            return width & 0x3FFF, height & 0x3FFF
        case b"VP8L":
            [packed] = struct.unpack("<I", head[21:25])
            return (packed & 0x3FFF) + 1, (packed >> 14 & 0x3FFF) + 1
        case b"VP8X":
            width, height = (struct.unpack("<I", each + b"\0")[0] + 1 for each in (head[24:27], head[27:30]))
            return width, height
    return UNKNOWN_SIDES


def find_jpeg_sides(file: IO[bytes]) -> Sides:
    file.seek(2)
    for _ in range(MAX_JPEG_SEGMENTS):
        if file.read(1) != b"\xff":
            return UNKNOWN_SIDES
        while (marker := file.read(1)[0]) == 0xFF:  # fill bytes
            pass
        if marker in JPEG_MARKERS_WITHOUT_LENGTH:
            continue
        [length] = struct.unpack(">H", file.read(2))
        if marker in JPEG_FRAME_MARKERS:
            height, width = struct.unpack(">xHH", file.read(5))
            return width, height
        file.seek(length - 2, 1)
    return UNKNOWN_SIDES


def is_animated_gif(file: IO[bytes]) -> bool:
    """Return True if an opened GIF has a second picture, in its first MAX_GIF_PIECES pieces."""
    file.seek(0)
    pieces_left = MAX_GIF_PIECES
    pictures = 0
    try:
        skip_gif_colours(file, file.read(GIF_HEADER_LENGTH)[10])
        while (block := file.read(1)) in (GIF_EXTENSION, GIF_PICTURE) and pieces_left > 0:
            if block == GIF_PICTURE:
                if (pictures := pictures + 1) > 1:
                    return True
                skip_gif_colours(file, file.read(GIF_PICTURE_LENGTH)[8])
            file.seek(1, 1)  # the extension's kind, or how the picture is packed
            while (length := file.read(1)[0]) and pieces_left > 0:
                file.seek(length, 1)
                pieces_left -= 1
    except IndexError:  # it ends too early
        pass
    return False


def skip_gif_colours(file: IO[bytes], flags: int) -> None:
    """Skip a table of colours if there is one."""
    if flags & 0x80:
        file.seek(3 << (flags & 7) + 1, 1)
