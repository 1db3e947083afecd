"""What archives hold: the names and sizes of their files. Nothing is unpacked to be kept. This runs in the examiner's
process.

A compressed tar archive has no list of its files: its stream is unpacked and thrown away up to a limit, because its
sender decides how long it is.
"""

import bz2
import gzip
import lzma
import tarfile
import zlib
from collections.abc import Iterable, Iterator
from typing import IO, Protocol, cast

from bot.core.texts import escape_unprintable
from bot.documents import texts, zip_documents
from bot.documents.examiner_answers import Answer, Refused, Value
from bot.documents.file_types import BZIP2, GZIP, TAR, XZ, ZIP, FileType

MAX_LISTED_FILES = 1_000
MAX_LISTED_NAME_CHARACTERS = 200
MAX_STREAM_BYTES = 256 * 2**20  # of an unpacked stream that is looked through: about two seconds
MAX_XZ_MEMORY_BYTES = 72 * 2**20  # what the strongest usual setting takes
FAULTS = (tarfile.TarError, EOFError, OSError, zlib.error, lzma.LZMAError, ValueError)

Member = tuple[str, int]  # a file's name, and its size in bytes


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class StreamTooLong(Exception):
    """The unpacked stream is longer than what is looked through."""


class LimitedStream:
    """A stream that ends with StreamTooLong after MAX_STREAM_BYTES."""

    def __init__(self, stream: Readable) -> None:
        self.stream = stream
        self.left = MAX_STREAM_BYTES

    def read(self, size: int, /) -> bytes:
        """Return up to `size` bytes. Raise StreamTooLong."""
        content = self.stream.read(min(size, self.left + 1))
        if (left := self.left - len(content)) < 0:
            raise StreamTooLong
        self.left = left
        return content


class XzStream:
    """An unpacked stream of xz, whose sender cannot demand any amount of memory."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.decompressor = lzma.LZMADecompressor(memlimit=MAX_XZ_MEMORY_BYTES)

    def read(self, size: int, /) -> bytes:
        """Return the next bytes, `size` at most; none at the end."""
        while not self.decompressor.eof:
            packed = self.file.read(2**16) if self.decompressor.needs_input else b""
            if content := self.decompressor.decompress(packed, size):
                return content
            if self.decompressor.needs_input and not packed:
                raise EOFError
        return b""


def list_archive(file: IO[bytes], type_: FileType) -> Answer:
    """Return the files of an archive, a line for each. Raise Refused if it is damaged, or nothing can list it."""
    if type_ is ZIP:
        with zip_documents.open_archive(file) as archive:
            members = [(each.filename, each.file_size) for each in archive.infolist() if not each.is_dir()]
        return make_answer(type_, members)
    if type_ is TAR:
        return make_answer(type_, list_members_of_tar(file))
    if type_ is GZIP:
        return list_packed_tar(gzip.GzipFile(fileobj=file), type_)
    if type_ is BZIP2:
        return list_packed_tar(bz2.BZ2File(file), type_)
    if type_ is XZ:
        return list_packed_tar(XzStream(file), type_)
    raise Refused("archive")


def list_packed_tar(stream: Readable, type_: FileType) -> Answer:
    """Return the files of a compressed tar archive. Raise Refused if it is something else that is compressed."""
    return make_answer(type_, list_members_of_tar(LimitedStream(stream)))


def list_members_of_tar(stream: Readable) -> Iterator[Member]:
    """Yield the files of a tar archive. Raise Refused if it is none, and StreamTooLong after a while."""
    is_first = True
    try:
        with tarfile.open(fileobj=cast(IO[bytes], stream), mode="r|", errorlevel=0) as archive:
            while member := archive.next():
                is_first = False
                archive.members.clear()  # type: ignore[attr-defined]  # it would keep them all
                if not member.isdir():
                    yield member.name, member.size
    except FAULTS:
        raise Refused("archive" if is_first else "damaged") from None


def make_answer(type_: FileType, members: Iterable[Member]) -> Answer:
    lines, count, unpacked, seen_bytes = list[str](), 0, 0, 0
    try:
        for name, size in members:
            count, unpacked = count + 1, unpacked + size
            if count <= MAX_LISTED_FILES:
                shown = escape_unprintable(name, MAX_LISTED_NAME_CHARACTERS)
                lines.append(f"{texts.ARCHIVED_FILE(size, name=shown)}\n")
    except StreamTooLong:
        seen_bytes = MAX_STREAM_BYTES
    values: dict[str, Value] = {"count": count, "unpacked": unpacked, "listed": len(lines), "seen_bytes": seen_bytes}
    return Answer(type_, values, "".join(lines).encode(errors="replace"))
