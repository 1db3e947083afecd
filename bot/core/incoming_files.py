"""Files that people send: what a channel says about one before anybody has fetched it, and what became of it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NewType

FileId = NewType("FileId", str)  # made of its message's id and its number there


class IncomingFileKind(StrEnum):
    """How a platform shows a file. What a file is, its content decides, never this."""

    PHOTO = "photo"
    FILE = "file"
    VOICE = "voice"  # a voice note, recorded in the chat
    AUDIO = "audio"  # a piece of sound
    VIDEO = "video"
    STICKER = "sticker"


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingFile:
    """A file that came with a message. Everything in it is what the platform or the sender claims."""

    kind: IncomingFileKind
    name: str  # as the sender named it; empty if the platform has no name for it
    reference: str  # what its channel needs to fetch it; only the channel understands it
    size_bytes: int | None = None  # None: the platform does not say
    seconds: int | None = None  # of sound or video
    media_type: str = ""
    is_quoted: bool = False  # it came with the message that the person replied to or forwarded


class FileState(StrEnum):
    WAITING = "waiting"  # it is still to be fetched
    KEPT = "kept"  # it was fetched
    REFUSED = "refused"  # a rule says no
    FAILED = "failed"  # it could not be fetched
    REMOVED = "removed"  # it was kept, and is deleted or about to be


@dataclass(frozen=True, slots=True, kw_only=True)
class FileContent:
    """What a fetched file holds, as the model is told."""

    media_type: str = ""  # by its content
    size_bytes: int = 0
    said: str = ""  # what is said in it, turned into text
    said_cost_micros: int = 0  # what that has cost
    note: str = ""  # why the model can neither see nor read it, as a sentence
    beginning: str = ""  # its first lines, if it is or has a text
    text_path: str = ""  # the file with a document's whole text; empty if there is none
    is_cut: bool = False  # `beginning` is not the whole text
    shown_type: str = ""  # the media type of the picture or PDF that the model sees; empty if it sees none
    shown_bytes: int = 0
    tokens: int = 0  # of what the model sees, estimated
    pages: int = 0  # of a PDF


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrivedFile:
    """A file of a message that has been dealt with: it was kept, or `why` says why not."""

    id: FileId
    kind: IncomingFileKind
    name: str
    is_quoted: bool
    state: FileState
    path: str = ""  # in the workspace of the message's turn; empty if it lies nowhere
    why: str = ""  # why it was refused or could not be fetched, as a sentence
    content: FileContent = FileContent()


def make_file_id(message: str, number: int) -> FileId:
    return FileId(f"file:{message}:{number}")


def number_of_file(id: FileId) -> int:
    return int(id.rpartition(":")[2])
