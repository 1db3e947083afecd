"""Pictures for models: no larger than models look at, the right way up, and without what the camera noted. This runs
in the examiner's process."""

import io
from typing import IO

from PIL import Image, ImageOps

from bot.documents.examiner_answers import Answer, Refused
from bot.documents.file_types import AVIF, BMP, GIF, HEIC, JPEG, MODEL_IMAGE_TYPES, PNG, TIFF, WEBP, FileType

MAX_DECODED_PIXELS = 25_000_000  # four bytes each, and one more where they stand in a palette
MAX_JPEG_PIXELS = 250_000_000  # a JPEG can be decoded at an eighth of its size
PILLOW_FORMATS = {
    PNG: "PNG",
    JPEG: "JPEG",
    GIF: "GIF",
    WEBP: "WEBP",
    BMP: "BMP",
    TIFF: "TIFF",
    AVIF: "AVIF",
    HEIC: "HEIF",
}
DRAWN_TYPES = (PNG, GIF, BMP)  # these hold screenshots and drawings, whose edges JPEG would blur
MAX_DRAWN_BYTES = 2**20  # of a copy that keeps every pixel; what takes more is a photo
JPEG_QUALITY = 88
NOTES = ("exif", "xmp", "XML:com.adobe.xmp", "photoshop", "comment")  # in `info`: where, when and who took it
WHITE = (255, 255, 255)


def examine_picture(file: IO[bytes], type_: FileType, max_bytes: int, max_side: int) -> Answer:
    """Return a picture for models: no bytes if the file can be shown as it is, else those of a copy."""
    if type_ not in PILLOW_FORMATS:
        raise Refused("other picture")
    if type_ == HEIC:
        from pi_heif import register_heif_opener

        register_heif_opener(decode_threads=1)
    Image.MAX_IMAGE_PIXELS = None  # they are compared here, in words
    length = file.seek(0, io.SEEK_END)
    file.seek(0)
    with Image.open(file, formats=[PILLOW_FORMATS[type_]]) as picture:
        width, height = size = picture.size
        if not width or not height:
            raise Refused("damaged")
        is_small = length <= max_bytes and max(size) <= max_side
        if type_ in MODEL_IMAGE_TYPES and is_small and not any(picture.info.get(note) for note in NOTES):
            return Answer(type_, {"width": width, "height": height})
        refuse_many_pixels(picture)
        content, copy_type = encode_copy(make_copy(picture, max_side), type_, max_bytes)
        with Image.open(io.BytesIO(content)) as copy:
            return Answer(type_, {"width": copy.width, "height": copy.height, "copy_type": copy_type}, content)


def refuse_many_pixels(picture: Image.Image) -> None:
    width, height = picture.size
    most = MAX_DECODED_PIXELS
    if picture.format == "JPEG" and not picture.info.get("progressive"):  # those stand in memory whole
        most = MAX_JPEG_PIXELS
    if width * height > most:
        raise Refused("too many pixels", {"width": width, "height": height, "most": most // 1_000_000})


def make_copy(picture: Image.Image, max_side: int) -> Image.Image:
    """Return the first frame of a picture, no larger than `max_side`, turned as its camera was held."""
    if picture.format == "JPEG":
        picture.draft("RGB", (max_side, max_side))
        refuse_many_pixels(picture)
    picture.load()
    if picture.mode in ("P", "PA", "1"):  # their values are no colours to take the mean of
        picture = picture.convert("RGBA" if "transparency" in picture.info or picture.mode == "PA" else "RGB")
    picture.thumbnail((max_side, max_side))
    picture = ImageOps.exif_transpose(picture)
    if picture.mode.startswith("I;16"):
        picture = picture.convert("I")
    if picture.mode == "I":
        picture = picture.point(lambda value: value / 256)
    if picture.mode in ("I", "F"):
        picture = picture.convert("L")
    if picture.mode not in ("L", "LA", "RGB", "RGBA"):
        picture = picture.convert("RGBA" if picture.has_transparency_data else "RGB")
    return picture


def encode_copy(picture: Image.Image, original: FileType, max_bytes: int) -> tuple[bytes, str]:
    """Return the bytes of a copy, and its media type. Nothing but pixels is in them."""
    picture.info.clear()
    if original in DRAWN_TYPES or picture.mode in ("LA", "RGBA"):
        content = io.BytesIO()
        picture.save(content, "PNG")
        if content.tell() <= min(MAX_DRAWN_BYTES, max_bytes):
            return content.getvalue(), PNG.media_type
    if picture.mode in ("LA", "RGBA"):
        opaque = Image.new("RGB", picture.size, WHITE)
        opaque.paste(picture.convert("RGBA"), mask=picture.getchannel("A"))
        picture = opaque
    content = io.BytesIO()
    picture.save(content, "JPEG", quality=JPEG_QUALITY)
    return content.getvalue(), JPEG.media_type
