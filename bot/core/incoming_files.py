"""Files that people send: what a channel says about one before anybody has fetched it."""

from dataclasses import dataclass
from enum import StrEnum


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
