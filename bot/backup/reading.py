"""Read an archive as a stream, and believe nothing in it: names, kinds, lengths, order and end are looked at first.

Whatever is wrong with it is a ConfigError that says what.
"""

import gzip
import os
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any, cast

from bot.backup import CONFIG, CONTENTS, DATABASE, FOLDERS, MANIFEST, texts
from bot.backup.manifest import LONGEST, End, Manifest, read_end, read_manifest
from bot.backup.writing import CHUNK
from bot.errors import ConfigError
from bot.store.exchange import ASIDE, STAGE

MOST_ENTRIES = 2_000_000
LONGEST_HEADER = 1_000_000  # bytes, of one that tarfile would read into memory
LONGEST_HEADERS = 4_000_000  # bytes, of all that stand before one entry
LONGEST_NAME = 255  # bytes, of one piece: no disk has longer ones
LONGEST_TAIL = 1_000_000  # bytes after the end; there are zeros
LONG_HEADERS = (
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
)


class Cautious(tarfile.TarInfo):
    """A header that is looked at before tarfile acts on it."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> "Cautious":
        found = super().frombuf(buf, encoding, errors)
        if found.size < 0 or (found.type in LONG_HEADERS and found.size > LONGEST_HEADER):
            raise ConfigError(texts.HOSTILE_HEADER(reason=texts.IMPOSSIBLE_LENGTH))
        return found


class Metered:
    """What is unpacked, no more of it than is allowed until the next entry: tarfile reads on as long as headers say."""

    def __init__(self, packed: gzip.GzipFile) -> None:
        self.packed = packed
        self.left = LONGEST_HEADERS

    def allow(self, size: int) -> None:
        """An entry of that size may be read, and the headers of the one behind it."""
        self.left = max(0, size) + LONGEST_HEADERS

    def read(self, size: int) -> bytes:
        content = self.packed.read(size)
        self.left -= len(content)
        if self.left < 0:
            raise ConfigError(texts.HOSTILE_HEADER(reason=texts.IMPOSSIBLE_LENGTH))
        return content


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One thing in it, whose name leads nowhere else."""

    parts: tuple[str, ...]
    size: int
    mode: int
    changed_at: float
    file: IO[bytes] | None  # to read from before the next one is asked for; None for folders and links
    target: str | None  # of a link; where it leads is for who makes it to look at

    @property
    def name(self) -> str:
        return "/".join(self.parts)

    def content(self, most: int = LONGEST) -> bytes:
        if self.file is None or self.size > most:
            raise hostile(self.name, texts.NOT_SHORT)
        return self.file.read()


@dataclass(slots=True)
class Reader:
    """`manifest` is read already; `end` is known once all entries were."""

    tar: tarfile.TarFile
    metered: Metered
    manifest: Manifest
    end: End | None = None

    def entries(self) -> Iterator[Entry]:
        """All that follows the manifest, but for the end, which must be there."""
        count = 0
        while found := following(self.tar):
            cast(Any, self.tar).members = []  # which would keep them all
            self.metered.allow(found.size)
            count += 1
            if self.end or count > MOST_ENTRIES:
                raise hostile(found.name, texts.BEHIND_END)
            entry = checked(self.tar, found)
            if entry.parts == (CONTENTS,):
                self.end = read_end(entry.content())
            else:
                yield entry
        if self.end is None:
            raise ConfigError(texts.CUT_OFF)
        tail = 0
        while part := self.metered.packed.read(CHUNK):  # to its very end, where its check sum is
            tail += len(part)
            if tail > LONGEST_TAIL or part.strip(b"\0"):
                raise ConfigError(texts.HOSTILE_END)


@contextmanager
def opened(file: IO[bytes]) -> Iterator[Reader]:
    """Read an archive from a file that need not be one: it is read once, from its beginning to its end."""
    as_read: Any = {"tarinfo": Cautious, "encoding": "utf-8", "errors": "surrogateescape"}
    try:
        with (
            gzip.GzipFile(fileobj=file, mode="rb") as packed,
            tarfile.open(fileobj=cast(IO[bytes], metered := Metered(packed)), mode="r|", **as_read) as tar,
        ):
            first = following(tar)
            if first is None or first.name != MANIFEST:
                raise ConfigError(texts.NO_MANIFEST)
            yield Reader(tar, metered, read_manifest(checked(tar, first).content()))
    except gzip.BadGzipFile as error:
        is_damaged = "CRC" in str(error) or "length" in str(error)
        raise ConfigError(texts.DAMAGED if is_damaged else texts.NO_BACKUP) from None
    except EOFError:
        raise ConfigError(texts.CUT_OFF) from None
    except (tarfile.TarError, zlib.error, UnicodeError, RecursionError, OverflowError) as error:
        words = " ".join(str(error).split()) or type(error).__name__
        if "unexpected end" in words:
            raise ConfigError(texts.CUT_OFF_BY(error=words)) from None
        raise ConfigError(texts.DAMAGED_OR_NO_BACKUP(error=words)) from None


def following(tar: tarfile.TarFile) -> tarfile.TarInfo | None:
    """The next header."""
    try:
        return tar.next()
    except UnicodeError:
        raise
    except ValueError:  # a number that is none
        raise ConfigError(texts.HOSTILE_HEADER(reason=texts.UNREADABLE_NUMBER)) from None


def checked(tar: tarfile.TarFile, found: tarfile.TarInfo) -> Entry:
    parts = tuple(found.name.split("/"))
    is_link, is_plain = found.issym(), found.type in tarfile.REGULAR_TYPES and not found.issparse()
    if any(is_bad(part) for part in parts):
        raise hostile(found.name, texts.NAME_LEADS_ELSEWHERE)
    if not (is_link or is_plain or found.isdir()):
        raise hostile(found.name, texts.OF_ODD_KIND)
    is_of_folder = parts[0] in FOLDERS and len(parts) > 1 and not parts[1].startswith((ASIDE, STAGE))
    if not (is_of_folder or (len(parts) == 1 and is_plain and parts[0] in (MANIFEST, CONFIG, DATABASE, CONTENTS))):
        raise hostile(found.name, texts.NO_PART)
    return Entry(
        parts=parts,
        size=found.size,
        mode=found.mode & 0o700 | 0o600,
        changed_at=found.mtime if 0 <= found.mtime < 2**40 else 0,
        file=tar.extractfile(found) if is_plain else None,
        target=found.linkname if is_link else None,
    )


def is_bad(part: str) -> bool:
    return part in ("", ".", "..") or "\0" in part or len(os.fsencode(part)) > LONGEST_NAME


def hostile(name: str, reason: str) -> ConfigError:
    return ConfigError(texts.HOSTILE(name=name[:200], reason=reason))
