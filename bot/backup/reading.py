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

from bot.backup import CONFIG, CONTENTS, DATABASE, FOLDERS, MANIFEST
from bot.backup.manifest import LONGEST, End, Manifest, read_end, read_manifest
from bot.backup.writing import CHUNK
from bot.errors import ConfigError
from bot.store.exchange import ASIDE, STAGE

MOST_ENTRIES = 2_000_000
LONGEST_HEADER = 1_000_000  # bytes, of one that tarfile would read into memory
LONGEST_NAME = 255  # bytes, of one piece: no disk has longer ones
LONGEST_TAIL = 1_000_000  # bytes after the end; there are zeros
LONG_HEADERS = (
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
)
CUT_OFF = "it is cut off: part of it is missing"


class Cautious(tarfile.TarInfo):
    """A header that is looked at before tarfile acts on it."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> "Cautious":
        found = super().frombuf(buf, encoding, errors)
        if found.size < 0 or (found.type in LONG_HEADERS and found.size > LONGEST_HEADER):
            raise hostile("a header", "its length is impossible")
        return found


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
            raise hostile(self.name, "it is no short file")
        return self.file.read()


@dataclass(slots=True)
class Reader:
    """`manifest` is read already; `end` is known once all entries were."""

    tar: tarfile.TarFile
    packed: gzip.GzipFile
    manifest: Manifest
    end: End | None = None

    def entries(self) -> Iterator[Entry]:
        """All that follows the manifest, but for the end, which must be there."""
        count = 0
        while found := self.tar.next():
            cast(Any, self.tar).members = []  # which would keep them all
            count += 1
            if self.end or count > MOST_ENTRIES:
                raise hostile(found.name, "nothing more may come there")
            entry = checked(self.tar, found)
            if entry.parts == (CONTENTS,):
                self.end = read_end(entry.content())
            else:
                yield entry
        if self.end is None:
            raise ConfigError(CUT_OFF)
        tail = 0
        while part := self.packed.read(CHUNK):  # to its very end, where its check sum is
            tail += len(part)
            if tail > LONGEST_TAIL or part.strip(b"\0"):
                raise hostile("its end", "something follows it")


@contextmanager
def opened(file: IO[bytes]) -> Iterator[Reader]:
    """Read an archive from a file that need not be one: it is read once, from its beginning to its end."""
    as_read: Any = {"tarinfo": Cautious, "encoding": "utf-8", "errors": "surrogateescape"}
    try:
        with (
            gzip.GzipFile(fileobj=file, mode="rb") as packed,
            tarfile.open(fileobj=packed, mode="r|", **as_read) as tar,
        ):
            first = tar.next()
            if first is None or first.name != MANIFEST:
                raise ConfigError("it is no back-up of Retinue: it does not begin with manifest.json")
            yield Reader(tar, packed, read_manifest(checked(tar, first).content()))
    except gzip.BadGzipFile as error:
        is_damaged = "CRC" in str(error) or "length" in str(error)
        raise ConfigError("it is damaged" if is_damaged else "it is no back-up of Retinue") from None
    except EOFError:
        raise ConfigError(CUT_OFF) from None
    except (tarfile.TarError, zlib.error, UnicodeError, RecursionError, OverflowError) as error:
        what = "it is cut off" if "unexpected end" in str(error) else "it is damaged, or no back-up of Retinue"
        raise ConfigError(f"{what} ({' '.join(str(error).split()) or type(error).__name__})") from None


def checked(tar: tarfile.TarFile, found: tarfile.TarInfo) -> Entry:
    parts = tuple(found.name.split("/"))
    is_link, is_plain = found.issym(), found.type in tarfile.REGULAR_TYPES and not found.issparse()
    if any(is_bad(part) for part in parts):
        raise hostile(found.name, "its name leads elsewhere")
    if not (is_link or is_plain or found.isdir()):
        raise hostile(found.name, "it is neither a file nor a folder nor a link to one")
    is_of_folder = parts[0] in FOLDERS and len(parts) > 1 and not parts[1].startswith((ASIDE, STAGE))
    if not (is_of_folder or (len(parts) == 1 and is_plain and parts[0] in (MANIFEST, CONFIG, DATABASE, CONTENTS))):
        raise hostile(found.name, "that is no part of a back-up")
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


def hostile(name: str, why: str) -> ConfigError:
    return ConfigError(f"it is no back-up that Retinue has made: {name[:200]!r}: {why}")
