"""Read the summary of a back-up from its beginning and its end, without unpacking anything.

The tenant wrote the stream, so it may contain anything. It is read in pieces, and only two short texts of it are
parsed.
"""

import gzip
import json
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.core.errors import ConfigError
from bot.tenants import texts

BLOCK = 512  # bytes, of a tar archive
CHUNK = 1 << 20
FIRST_HEADER, LAST_HEADER = b"manifest.json\0", b"contents.json\0"  # the headers begin with the names of the members
MAX_MEMBER_BYTES = 1_000_000  # bytes, of either
TAIL_BYTES = MAX_MEMBER_BYTES + 64 * BLOCK  # the last text, and the zeros after it
MAX_SHOWN_CHARACTERS = 40  # characters shown of each text in a back-up


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveSummary:
    bytes: int  # of the file
    version: str  # of Retinue
    made_at: str  # ISO 8601, UTC
    step: int  # of the database's migrations
    conversations: int
    messages: int
    newest: str  # when the newest message was stored; empty: there is no message
    has_secrets: bool
    files: int
    left_out: int

    def describe(self) -> str:
        """Return what is in it, as "2 conversations, 30 messages, 4 files"."""
        held = [texts.CONVERSATIONS(self.conversations), texts.MESSAGES(self.messages)]
        if self.newest:
            held.append(texts.NEWEST(moment=self.newest[:16].replace("T", " ")))
        held.append(texts.FILES(self.files))
        if self.left_out:
            held.append(texts.LEFT_OUT(count=self.left_out))
        return ", ".join(held)


def read_archive_summary(path: Path) -> ArchiveSummary:
    """Return the summary of the back-up. Raise ConfigError if the file is not a back-up, is cut off or is damaged."""
    try:
        with path.open("rb") as raw, gzip.GzipFile(fileobj=raw) as packed:
            first, last = read_both_ends(packed)
            size = raw.tell()
        if first["format"] != "retinue back-up":
            raise ValueError
        shown = {key: str(first[key] or "")[:MAX_SHOWN_CHARACTERS] for key in ("version", "made_at", "newest")}
        return ArchiveSummary(
            **shown,
            bytes=size,
            step=int(first["step"]),
            conversations=int(first["conversations"]),
            messages=int(first["messages"]),
            has_secrets=first["has_secrets"] is True,
            files=int(last["files"]),
            left_out=int(last["left_out_in_all"]),
        )
    except (gzip.BadGzipFile, zlib.error):
        raise ConfigError(texts.BACKUP_DAMAGED(path=path)) from None
    except EOFError:
        raise ConfigError(texts.BACKUP_CUT_OFF(path=path)) from None
    except OSError as error:
        raise ConfigError(texts.CANNOT_READ(path=path, error=error.strerror)) from None
    except (ValueError, TypeError, KeyError, RecursionError):
        raise ConfigError(texts.NO_WHOLE_BACKUP(path=path)) from None


def read_both_ends(packed: gzip.GzipFile) -> tuple[Any, Any]:
    """Return the first and the last text. Everything between is decompressed and dropped, to verify the checksum."""
    beginning = packed.read(MAX_MEMBER_BYTES + 2 * BLOCK)
    tail = beginning
    while part := packed.read(CHUNK):
        tail = (tail + part)[-TAIL_BYTES:]
    header = tail.rfind(LAST_HEADER)
    if header < 0 or not beginning.startswith(FIRST_HEADER):
        raise ValueError
    return parse_member(beginning), parse_member(tail[header:])


def parse_member(tar: bytes) -> Any:
    """Return the JSON in the member that `tar` begins with. Raise ValueError if it is too long or malformed."""
    size = int(tar[124:136].rstrip(b"\0 "), 8)  # a tar header holds the size here, in octal digits
    if size > MAX_MEMBER_BYTES:
        raise ValueError
    return json.loads(tar[BLOCK : BLOCK + size])
