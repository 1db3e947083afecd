"""Read an archive as a stream and trust nothing in it. Raise ConfigError if an entry or the end is wrong."""

import gzip
import os
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any, cast

from bot.backup import ARCHIVE_FILES, ARCHIVE_FOLDERS, CONTENTS_FILE, MANIFEST_FILE, texts
from bot.backup.archive_writer import CHUNK_BYTES
from bot.backup.manifest import MAX_SHORT_ENTRY_BYTES, Manifest, parse_manifest, require_readable_contents_summary
from bot.core.errors import ConfigError
from bot.store.restore_exchange import REPLACED_DATA_PREFIX, STAGE_FOLDER_PREFIX

MAX_ENTRIES = 2_000_000
MAX_LONG_HEADER_BYTES = 1_000_000  # of one header that tarfile would read into memory
MAX_ENTRY_HEADERS_BYTES = 4_000_000  # of all headers of one entry
MAX_PATH_PART_BYTES = 255  # of one part of a path: no disk has longer ones
MAX_PADDING_BYTES = 1_000_000  # after the end; all of them must be zeros
LONG_HEADER_TYPES = (
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
)


class CheckedTarInfo(tarfile.TarInfo):
    """A header whose length is checked before tarfile acts on it."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> "CheckedTarInfo":
        found = super().frombuf(buf, encoding, errors)
        if found.size < 0 or (found.type in LONG_HEADER_TYPES and found.size > MAX_LONG_HEADER_BYTES):
            raise ConfigError(texts.HOSTILE_HEADER(reason=texts.IMPOSSIBLE_LENGTH))
        return found


@dataclass(slots=True)
class BoundedStream:
    """Limit how much is unpacked before the next entry. Otherwise false headers could make tarfile read without end."""

    gzip_file: gzip.GzipFile
    bytes_left: int = MAX_ENTRY_HEADERS_BYTES

    def read(self, size: int) -> bytes:
        content = self.gzip_file.read(size)
        self.bytes_left -= len(content)
        if self.bytes_left < 0:
            raise ConfigError(texts.HOSTILE_HEADER(reason=texts.IMPOSSIBLE_LENGTH))
        return content


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveEntry:
    """One entry of the archive. Its name leads to no place outside the archive's folders."""

    name_parts: tuple[str, ...]
    size: int
    mode: int
    modified_at: float
    file: IO[bytes] | None  # readable until the next entry is requested; None for folders and links
    link_target: str | None  # not checked yet

    @property
    def name(self) -> str:
        return "/".join(self.name_parts)

    def read_short_content(self) -> bytes:
        """Return the content of a short file. Raise ConfigError if the entry is not a short file."""
        if self.file is None or self.size > MAX_SHORT_ENTRY_BYTES:
            raise bad_entry_error(self.name, texts.NOT_SHORT)
        return self.file.read()


@dataclass(slots=True)
class ArchiveReader:
    """An open archive. Its manifest is already read."""

    tar: tarfile.TarFile
    bounded_stream: BoundedStream
    manifest: Manifest

    def entries(self) -> Iterator[ArchiveEntry]:
        """Yield every entry between the manifest and the summary. Raise ConfigError if an entry or the end is wrong."""
        count, is_at_end = 0, False
        while found := read_next_header(self.tar):
            cast(Any, self.tar).members = []  # otherwise tarfile would keep all headers
            self.bounded_stream.bytes_left = max(0, found.size) + MAX_ENTRY_HEADERS_BYTES  # of the next entry
            count += 1
            if is_at_end or count > MAX_ENTRIES:
                raise bad_entry_error(found.name, texts.BEHIND_END)
            entry = parse_archive_entry(self.tar, found)
            if entry.name_parts == (CONTENTS_FILE,):
                require_readable_contents_summary(entry.read_short_content())
                is_at_end = True
            else:
                yield entry
        if not is_at_end:
            raise ConfigError(texts.CUT_OFF)
        tail = 0
        while part := self.bounded_stream.gzip_file.read(CHUNK_BYTES):  # gzip checks its checksum at the end
            tail += len(part)
            if tail > MAX_PADDING_BYTES or part.strip(b"\0"):
                raise ConfigError(texts.HOSTILE_END)


@contextmanager
def open_archive(file: IO[bytes]) -> Iterator[ArchiveReader]:
    """Yield a reader of the archive. `file` may be a pipe: it is read once. Raise ConfigError if it is not whole."""
    as_read: Any = {"tarinfo": CheckedTarInfo, "encoding": "utf-8", "errors": "surrogateescape"}
    try:
        with (
            gzip.GzipFile(fileobj=file, mode="rb") as packed,
            tarfile.open(fileobj=cast(IO[bytes], metered := BoundedStream(packed)), mode="r|", **as_read) as tar,
        ):
            first = read_next_header(tar)
            if first is None or first.name != MANIFEST_FILE:
                raise ConfigError(texts.NO_MANIFEST)
            yield ArchiveReader(tar, metered, parse_manifest(parse_archive_entry(tar, first).read_short_content()))
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


def read_next_header(tar: tarfile.TarFile) -> tarfile.TarInfo | None:
    """Return the next header, or None at the end. Raise ConfigError if it is malformed."""
    try:
        return tar.next()
    except UnicodeError:
        raise
    except ValueError:  # a malformed number
        raise ConfigError(texts.HOSTILE_HEADER(reason=texts.UNREADABLE_NUMBER)) from None


def parse_archive_entry(tar: tarfile.TarFile, found: tarfile.TarInfo) -> ArchiveEntry:
    """Return the entry of a header. Raise ConfigError if our back-ups have no such entry."""
    parts = tuple(found.name.split("/"))
    is_link, is_plain = found.issym(), found.type in tarfile.REGULAR_TYPES and not found.issparse()
    if any(part in ("", ".", "..") or "\0" in part or len(os.fsencode(part)) > MAX_PATH_PART_BYTES for part in parts):
        raise bad_entry_error(found.name, texts.NAME_LEADS_ELSEWHERE)
    if not (is_link or is_plain or found.isdir()):
        raise bad_entry_error(found.name, texts.OF_ODD_KIND)
    is_in_folder = parts[0] in ARCHIVE_FOLDERS and len(parts) > 1
    is_of_folder = is_in_folder and not parts[1].startswith((REPLACED_DATA_PREFIX, STAGE_FOLDER_PREFIX))
    if not (is_of_folder or (len(parts) == 1 and is_plain and parts[0] in ARCHIVE_FILES)):
        raise bad_entry_error(found.name, texts.NO_PART)
    return ArchiveEntry(
        name_parts=parts,
        size=found.size,
        mode=found.mode & 0o700 | 0o600,
        modified_at=found.mtime if 0 <= found.mtime < 2**40 else 0,
        file=tar.extractfile(found) if is_plain else None,
        link_target=found.linkname if is_link else None,
    )


def bad_entry_error(name: str, reason: str) -> ConfigError:
    return ConfigError(texts.HOSTILE(name=name[:200], reason=reason))
