"""Pictures for models: scaled, turned and without notes, or refused in words. The file itself never changes."""

import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from bot.core.images_and_pdfs import MAX_IMAGE_BYTES, MAX_IMAGE_SIDE_PIXELS, Media
from bot.documents.inspection import inspect_file
from bot.documents.people_texts import REFUSALS
from tests.support.sample_media import HEIC, jpeg

RED, BLUE = (220, 20, 20), (20, 20, 220)
ORIENTATION, MAKER = 0x0112, 0x010F
SIDEWAYS = 6  # the camera was held upright, and the picture must be turned by 90 degrees


def encode(picture: Image.Image, format_: str, **options: Any) -> bytes:
    file = io.BytesIO()
    picture.save(file, format_, **options)
    return file.getvalue()


async def shown(folder: Path, content: bytes) -> Media:
    """Return what a model is shown of a picture."""
    path = folder / "kept"
    path.write_bytes(content)
    found = await inspect_file(path, name="picture")
    assert found.media, found.refusal
    assert path.read_bytes() == content
    return found.media


def opened(media: Media) -> Image.Image:
    return Image.open(io.BytesIO(media.data))


@pytest.mark.parametrize(
    ("format_", "mode"),
    [
        ("PNG", "RGB"),
        ("PNG", "RGBA"),
        ("PNG", "P"),
        ("PNG", "1"),
        ("PNG", "LA"),
        ("PNG", "I;16"),
        ("JPEG", "L"),
        ("JPEG", "CMYK"),
        ("WEBP", "RGBA"),
        ("GIF", "P"),
        ("TIFF", "F"),
    ],
)
async def test_a_large_picture_is_scaled(tmp_path: Path, format_: str, mode: str) -> None:
    picture = Image.new("L", (4_000, 1_000), 200).convert("I").convert(mode) if mode in ("I;16", "F") else None
    media = await shown(tmp_path, encode(picture or Image.new("RGB", (4_000, 1_000), RED).convert(mode), format_))
    with opened(media) as copy:
        assert copy.size == (MAX_IMAGE_SIDE_PIXELS, MAX_IMAGE_SIDE_PIXELS // 4)
        assert copy.format in ("PNG", "JPEG")
    assert media.type == f"image/{copy.format.lower()}"
    assert media.tokens == 56 * 14


@pytest.mark.parametrize("format_", ["BMP", "TIFF", "AVIF"])
async def test_a_type_that_no_model_takes_is_converted(tmp_path: Path, format_: str) -> None:
    media = await shown(tmp_path, encode(Image.new("RGB", (80, 40), RED), format_))
    with opened(media) as copy:
        red, green, blue = copy.convert("RGB").getpixel((40, 20))  # type: ignore[misc]  # it is a tuple
    assert red > 200 > 60 > max(green, blue)


async def test_a_photo_of_a_phone_is_converted(tmp_path: Path) -> None:
    media = await shown(tmp_path, HEIC)
    with opened(media) as copy:
        assert (media.type, copy.size, copy.getpixel((32, 24))) == ("image/jpeg", (64, 48), (220, 20, 20))


async def test_a_photo_is_turned_as_its_camera_was_held(tmp_path: Path) -> None:
    picture, exif = Image.new("RGB", (200, 100), RED), Image.Exif()
    picture.paste(BLUE, (0, 0, 100, 100))  # the left half, which is then above
    exif[ORIENTATION] = SIDEWAYS
    with opened(await shown(tmp_path, encode(picture, "JPEG", exif=exif))) as copy:
        assert copy.size == (100, 200)
        red, _, blue = copy.getpixel((50, 20))  # type: ignore[misc]  # as above
        assert blue > 200 > red


@pytest.mark.parametrize("format_", ["JPEG", "PNG", "WEBP"])
async def test_what_the_camera_noted_is_not_sent(tmp_path: Path, format_: str) -> None:
    exif = Image.Exif()
    exif[MAKER] = "Snoop Cameras"
    content = encode(Image.new("RGB", (80, 40), RED), format_, exif=exif)
    assert b"Snoop" in content
    assert b"Snoop" not in (await shown(tmp_path, content)).data


async def test_a_picture_with_too_many_bytes_is_encoded_again(tmp_path: Path) -> None:
    noise = Image.effect_noise((1_000, 1_000), 200)
    content = encode(Image.merge("RGB", [noise] * 3), "PNG") + b"\0" * MAX_IMAGE_BYTES
    media = await shown(tmp_path, content)
    assert len(media.data) <= MAX_IMAGE_BYTES
    assert media.type == "image/jpeg"


async def test_a_large_photo_is_decoded_small(tmp_path: Path) -> None:
    with opened(await shown(tmp_path, encode(Image.new("RGB", (9_000, 9_000), RED), "JPEG"))) as copy:
        assert copy.size == (MAX_IMAGE_SIDE_PIXELS, MAX_IMAGE_SIDE_PIXELS)


async def test_a_photo_of_a_billion_pixels_is_refused(tmp_path: Path) -> None:
    (tmp_path / "huge.jpg").write_bytes(jpeg(60_000, 60_000))
    found = await inspect_file(tmp_path / "huge.jpg", name="huge.jpg")
    refusal = REFUSALS["too many pixels"](name="huge.jpg", width=60_000, height=60_000, most=250)
    assert (found.refusal, found.media) == (refusal, None)
