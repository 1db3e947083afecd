"""Files that the bot sends: as the outbox names them, and as a channel reads them."""

import io
from dataclasses import dataclass
from pathlib import Path
from typing import IO

OUTGOING_FOLDER_NAME = "outgoing"  # below the data folder: a copy of each file that is on its way
MAX_FILES_PER_MESSAGE = 10  # the most that Telegram and Discord show together


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingFile:
    """A file of a message. It was checked and copied when the message was planned, so later changes do not matter."""

    name: str  # as people see it
    size: int  # bytes
    sha256: str
    media_type: str  # judged by its first bytes; `application/octet-stream` if they tell nothing
    width: int = 0  # of an image, in pixels; 0 if unknown
    height: int = 0
    is_animated: bool = False  # a GIF of several pictures
    copy_name: str = ""  # of the copy in the folder of outgoing files
    source: str = ""  # the file's whole path when it was copied, for people at this machine

    @property
    def is_image(self) -> bool:
        return self.media_type.startswith("image/")


@dataclass(frozen=True, slots=True, kw_only=True)
class PartFile:
    """A file of one part of a message, ready to be read."""

    file: OutgoingFile
    path: Path | None = None  # of its copy; None: `text` is its content
    text: str = ""

    def open(self) -> IO[bytes]:
        """Open the file for reading. Raise OSError if its copy is gone."""
        if self.path is None:
            return io.BytesIO(self.text.encode("utf-8", "surrogatepass"))
        return self.path.open("rb")


@dataclass(frozen=True, slots=True)
class PartContent:
    """What one part of a message shows: a text, or files with their caption."""

    text: str
    files: tuple[OutgoingFile, ...] = ()
