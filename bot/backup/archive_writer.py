"""Write an archive as a stream. The archive becomes complete even if files change during that."""

import gzip
import io
import os
import stat
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, Any, Final, cast

from bot.backup import CONTENTS_FILE, manifest, texts
from bot.backup.folder_walk import LeftOutEntry, TreeEntry

GZIP_LEVEL = 3  # higher levels take several times as long and save a few percent
MAX_LEFT_OUT_NAMES = 100  # in the summary
CHUNK_BYTES = 1 << 20  # bytes
TAR_OPTIONS: Final[dict[str, Any]] = {  # these allow every file name
    **{"format": tarfile.PAX_FORMAT, "encoding": "utf-8", "errors": "surrogateescape"},
    "copybufsize": CHUNK_BYTES,
}


@dataclass(slots=True)
class ArchiveWriter:
    """Write the archive. `on_left_out` gets a line for each entry left out, `on_bytes_read` the length of each read."""

    tar: tarfile.TarFile
    on_left_out: Callable[[str], object]
    on_bytes_read: Callable[[int], None]
    file_count: int = 0
    bytes_written: int = 0
    left_out: list[str] = field(default_factory=list)

    def add_content(self, name: str, content: bytes) -> None:
        self.add_open_file(name, io.BytesIO(content), len(content))

    def add_open_file(self, name: str, file: IO[bytes], size: int, mode: int = 0o600, changed_at: float = 0) -> None:
        """Write exactly `size` bytes. If the file has become shorter, write zeros instead and list them as left out."""
        header = tarfile.TarInfo(name)
        header.size, header.mode, header.mtime = size, mode, changed_at
        steady = ZeroPaddedFile(file, self.on_bytes_read)
        self.tar.addfile(header, steady)  # type: ignore[arg-type]  # tarfile only reads it
        self.file_count += 1
        self.bytes_written += size
        if steady.missing_bytes:
            self.record_left_out(LeftOutEntry(name=name, reason=texts.SHORTENED(steady.missing_bytes)))

    def add_tree_entry(self, found: TreeEntry | LeftOutEntry) -> None:
        """Add an entry of a folder. An entry that can no longer be read is left out."""
        if isinstance(found, LeftOutEntry):
            return self.record_left_out(found)
        if found.link_target is None and not found.is_folder:
            return self.add_file_from_disk(found)
        header = tarfile.TarInfo(found.archive_name)
        header.type, header.mode = (tarfile.DIRTYPE, 0o700) if found.is_folder else (tarfile.SYMTYPE, 0o777)
        header.linkname = found.link_target or ""
        self.tar.addfile(header)

    def add_file_from_disk(self, found: TreeEntry) -> None:
        try:
            # The file may have become a link or a pipe since it was found: do not follow it, do not wait for it.
            number = os.open(found.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            reason = texts.UNREADABLE(error=error.strerror)
            return self.record_left_out(LeftOutEntry(name=found.archive_name, reason=reason))
        with open(number, "rb", buffering=0) as file:
            known = os.fstat(number)
            if not stat.S_ISREG(known.st_mode):
                return self.record_left_out(LeftOutEntry(name=found.archive_name, reason=texts.NO_FILE_ANY_MORE))
            mode = stat.S_IMODE(known.st_mode) & 0o700 | 0o600
            self.add_open_file(found.archive_name, file, known.st_size, mode, known.st_mtime)

    def record_left_out(self, what: LeftOutEntry) -> None:
        self.left_out.append(str(what))
        self.on_left_out(str(what))

    def write_contents_summary(self) -> manifest.ContentsSummary:
        end = manifest.ContentsSummary(
            files=self.file_count,
            bytes=self.bytes_written,
            left_out=[os.fsencode(each).decode("utf-8", "replace") for each in self.left_out[:MAX_LEFT_OUT_NAMES]],
            left_out_in_all=len(self.left_out),
        )
        self.add_content(CONTENTS_FILE, manifest.encode_manifest_or_summary(end))
        return end


@dataclass(slots=True)
class ZeroPaddedFile:
    """A file whose reads return exactly the requested length. Zeros replace missing bytes."""

    file: IO[bytes]
    on_bytes_read: Callable[[int], None]
    missing_bytes: int = 0

    def read(self, size: int) -> bytes:
        content = b""
        while len(content) < size:
            try:
                part = self.file.read(min(size - len(content), CHUNK_BYTES))
            except OSError:  # the disk cannot read it
                part = b""
            if not part:
                break
            content += part
        self.on_bytes_read(len(content))
        self.missing_bytes += size - len(content)
        return content + bytes(size - len(content))


@dataclass(slots=True)
class AbortableOutput:
    """The archive's output. After an error it drops all writes: the unfinished archive must lack its end."""

    file: IO[bytes]
    is_discarding: bool = False

    def write(self, content: bytes) -> int:
        return len(content) if self.is_discarding else self.file.write(content)

    def flush(self) -> None:
        if not self.is_discarding:
            self.file.flush()


@contextmanager
def open_archive_writer(
    file: IO[bytes], on_left_out: Callable[[str], object], on_bytes_read: Callable[[int], None]
) -> Iterator[ArchiveWriter]:
    """Yield a writer of an archive. `file` may be a pipe: the writer neither reads nor seeks in it."""
    outlet = AbortableOutput(file)
    with (
        gzip.GzipFile(fileobj=cast(IO[bytes], outlet), mode="wb", compresslevel=GZIP_LEVEL, filename="") as packed,
        tarfile.open(fileobj=packed, mode="w|", **TAR_OPTIONS) as tar,
    ):
        try:
            yield ArchiveWriter(tar=tar, on_left_out=on_left_out, on_bytes_read=on_bytes_read)
        except BaseException:
            outlet.is_discarding = True
            raise
