"""The width and the height of an image, from its header."""

import io

import pytest
from PIL import Image

from bot.documents.file_types import GIF, JPEG, PNG, WEBP, FileType
from bot.tools.image_sides import MAX_GIF_PIECES, UNKNOWN_SIDES, find_image_sides, is_animated_gif
from tests.support.sample_media import animated_gif, gif, jpeg, png, webp


def drawn(kind: str, **look: bool) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (31, 17)).save(file, kind, **look)
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "type_"),
    [
        (png(31, 17), PNG),
        (jpeg(31, 17), JPEG),
        (drawn("JPEG", progressive=True), JPEG),
        *((webp(kind, 31, 17), WEBP) for kind in ("VP8X", "VP8L", "VP8 ")),
    ],
)
def test_the_sides_of_an_image_are_found(content: bytes, type_: FileType) -> None:
    assert find_image_sides(io.BytesIO(content), type_) == (31, 17)


@pytest.mark.parametrize("type_", [PNG, JPEG, WEBP, GIF])
def test_an_image_that_ends_too_early_has_none(type_: FileType) -> None:
    whole = {PNG: png(), JPEG: jpeg(), WEBP: webp(), GIF: b"GIF89a"}[type_]
    for length in range(18):
        assert find_image_sides(io.BytesIO(whole[:length]), type_) == UNKNOWN_SIDES


@pytest.mark.parametrize(("content", "moves"), [(animated_gif(), True), (drawn("GIF"), False), (gif(), False)])
def test_a_gif_of_several_pictures_moves(content: bytes, moves: bool) -> None:
    assert is_animated_gif(io.BytesIO(content)) is moves


def test_a_gif_that_ends_too_early_does_not_move() -> None:
    whole = drawn("GIF")
    assert not any(is_animated_gif(io.BytesIO(whole[:length])) for length in range(len(whole)))


def test_a_gif_without_an_end_is_looked_at_for_a_while() -> None:
    endless = gif()[:-2] + b"\1x" * (MAX_GIF_PIECES + 10) + animated_gif()[13:]
    assert not is_animated_gif(io.BytesIO(endless))
