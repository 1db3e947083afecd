"""Files in the body of a call: read as the Bot API reads them, judged as Telegram judges them."""

from __future__ import annotations

import hashlib
import io
import re
from dataclasses import dataclass
from typing import Any

from PIL import Image

from tests.stand_ins.telegram.errors import Json, bad

MAX_PHOTO_BYTES = 10 * 1024 * 1024
MAX_PHOTO_SIDES = 10_000
MAX_PHOTO_RATIO = 20
NAME = re.compile(rb'[; ]name="([^"]*)"')
FILE_NAME = re.compile(rb'filename="([^"]*)"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file that was sent. Only its hash is kept, and for an image its sides."""

    name: str
    mime: str
    size: int
    sha256: str
    width: int = 0  # 0: it is no image
    height: int = 0
    looks_like: str = ""  # "video", "audio" or "gif", by its first bytes

    @property
    def told(self) -> Json:
        return {"file_id": f"up-{self.sha256[:16]}", "file_unique_id": f"u-{self.sha256[:16]}", "file_size": self.size}

    @property
    def told_with_name(self) -> Json:
        return {**self.told, "file_name": self.name, "mime_type": self.mime}

    def as_kind(self, kind: str) -> Json:
        """Return the field of a kind of file. What is none of that kind becomes a document, except a photo, which is
        refused."""
        match kind:
            case "photo":
                return self.as_photo()
            case "video" if self.looks_like == "video":
                return {"video": {**self.told_with_name, "width": 640, "height": 480, "duration": 5}}
            case "animation" if self.looks_like in ("video", "gif"):  # a document too, for old programs
                sides = {"width": self.width or 640, "height": self.height or 480, "duration": 1}
                return {"animation": {**self.told_with_name, **sides}, "document": self.told_with_name}
            case "audio" if self.looks_like == "audio":
                return {"audio": {**self.told_with_name, "duration": 200}}
        return {"document": self.told_with_name}

    def as_photo(self) -> Json:
        """Return the field of a photo. Raise Refusal if Telegram cannot show it as one."""
        if self.size > MAX_PHOTO_BYTES:
            raise bad("file is too big for a photo")
        if not self.width:
            raise bad("IMAGE_PROCESS_FAILED")
        sides = sorted((self.width, self.height))
        if sum(sides) > MAX_PHOTO_SIDES or sides[1] > MAX_PHOTO_RATIO * sides[0]:
            raise bad("PHOTO_INVALID_DIMENSIONS")
        return {"photo": [{**self.told, "width": self.width, "height": self.height}]}


def read_form(kind: str, body: bytes) -> dict[str, Any]:
    """Return the fields of a multipart body. The value of a file is its Upload."""
    found = re.search(r'boundary="?([^";]+)', kind)
    assert found, "a form has a boundary"
    fields: dict[str, Any] = {}
    for each in (b"\r\n" + body).split(b"\r\n--" + found[1].encode())[1:-1]:
        head, _, content = each.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        name, file = NAME.search(head), FILE_NAME.search(head)
        assert name, "each part has a name"
        fields[name[1].decode()] = read_upload(head, file[1].decode(), content) if file else content
    return fields


def read_upload(head: bytes, name: str, content: bytes) -> Upload:
    mime = re.search(rb"(?i)content-type: *([^\r\n]+)", head)
    try:
        with Image.open(io.BytesIO(content)) as picture:
            width, height = picture.size
    except Exception:  # noqa: BLE001 -- whatever is wrong with it, it is no image
        width = height = 0
    return Upload(
        name=name,
        mime=mime[1].decode() if mime else "application/octet-stream",
        size=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        width=width,
        height=height,
        looks_like=looks_like(content),
    )


def looks_like(content: bytes) -> str:
    if content[4:8] == b"ftyp":
        return "audio" if content[8:12] == b"M4A " else "video"
    if content.startswith((b"GIF87a", b"GIF89a")):
        return "gif"
    return "audio" if content.startswith((b"ID3", b"\xff\xfb")) else ""


def upload_of(given: Json, value: Any) -> Upload:
    """Return the file that an argument names: itself, or `attach://` and the name of another part."""
    if isinstance(value, str) and value.startswith("attach://"):
        value = given.get(value.removeprefix("attach://"))
    if not isinstance(value, Upload):
        raise bad("wrong file identifier/HTTP URL specified")
    if not value.size:
        raise bad("file must be non-empty")
    return value
