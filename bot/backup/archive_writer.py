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

from bot.backup import CONTENTS, manifest, texts
from bot.backup.folder_walk import LeftOut, TreeEntry

GZIP_LEVEL = 3  # higher levels take several times as long and save a few percent
MAX_LEFT_OUT_NAMES = 100  # in the summary
CHUNK = 1 << 20  # bytes
TAR_OPTIONS: Final[dict[str, Any]] = {  # these allow every file name
    **{"format": tarfile.PAX_FORMAT, "encoding": "utf-8", "errors": "surrogateescape"},
    "copybufsize": CHUNK,
}


@dataclass(slots=True)
class ArchiveWriter:
    """Write the archive. `on_left_out` gets a line for each entry left out, `on_bytes` the length of each read."""

    tar: tarfile.TarFile
    on_left_out: Callable[[str], object]
    on_bytes: Callable[[int], None]
    files: int = 0
    bytes_written: int = 0
    left_out: list[str] = field(default_factory=list)

    def put(self, name: str, content: bytes) -> None:
        self.put_file(name, io.BytesIO(content), len(content))

    def put_file(self, name: str, file: IO[bytes], size: int, mode: int = 0o600, changed_at: float = 0) -> None:
        """Write exactly `size` bytes. If the file has become shorter, write zeros instead and list them as left out."""
        header = tarfile.TarInfo(name)
        header.size, header.mode, header.mtime = size, mode, changed_at
        steady = FixedLengthFile(file, self.on_bytes)
        self.tar.addfile(header, steady)  # type: ignore[arg-type]  # tarfile only reads it
        self.files += 1
        self.bytes_written += size
        if steady.missing_bytes:
            self.leave_out(LeftOut(name=name, why=texts.SHORTENED(steady.missing_bytes)))

    def add_entry(self, found: TreeEntry | LeftOut) -> None:
        """Add an entry of a folder. An entry that can no longer be read is left out."""
        if isinstance(found, LeftOut):
            return self.leave_out(found)
        if found.target is None and not found.is_folder:
            return self.add_file(found)
        header = tarfile.TarInfo(found.name)
        header.type, header.mode = (tarfile.DIRTYPE, 0o700) if found.is_folder else (tarfile.SYMTYPE, 0o777)
        header.linkname = found.target or ""
        self.tar.addfile(header)

    def add_file(self, found: TreeEntry) -> None:
        try:
            # The file may have become a link or a pipe since it was found: do not follow it, do not wait for it.
            number = os.open(found.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            return self.leave_out(LeftOut(name=found.name, why=texts.UNREADABLE(error=error.strerror)))
        with open(number, "rb", buffering=0) as file:
            known = os.fstat(number)
            if not stat.S_ISREG(known.st_mode):
                return self.leave_out(LeftOut(name=found.name, why=texts.NO_FILE_ANY_MORE))
            mode = stat.S_IMODE(known.st_mode) & 0o700 | 0o600
            self.put_file(found.name, file, known.st_size, mode, known.st_mtime)

    def leave_out(self, what: LeftOut) -> None:
        self.left_out.append(str(what))
        self.on_left_out(str(what))

    def finish(self) -> manifest.ContentsSummary:
        end = manifest.ContentsSummary(
            files=self.files,
            bytes=self.bytes_written,
            left_out=[os.fsencode(each).decode("utf-8", "replace") for each in self.left_out[:MAX_LEFT_OUT_NAMES]],
            left_out_in_all=len(self.left_out),
        )
        self.put(CONTENTS, manifest.encode_manifest_part(end))
        return end


@dataclass(slots=True)
class FixedLengthFile:
    """A file whose reads return exactly the requested length. Zeros replace missing bytes."""

    file: IO[bytes]
    on_bytes: Callable[[int], None]
    missing_bytes: int = 0

    def read(self, size: int) -> bytes:
        content = b""
        while len(content) < size:
            try:
                part = self.file.read(min(size - len(content), CHUNK))
            except OSError:  # the disk cannot read it
                part = b""
            if not part:
                break
            content += part
        self.on_bytes(len(content))
        self.missing_bytes += size - len(content)
        return content + bytes(size - len(content))


@dataclass(slots=True)
class ClosableOutput:
    """The archive's output. After an error it drops all writes: the unfinished archive must lack its end."""

    file: IO[bytes]
    is_closed: bool = False

    def write(self, content: bytes) -> int:
        return len(content) if self.is_closed else self.file.write(content)

    def flush(self) -> None:
        if not self.is_closed:
            self.file.flush()


@contextmanager
def open_archive_writer(
    file: IO[bytes], on_left_out: Callable[[str], object], on_bytes: Callable[[int], None]
) -> Iterator[ArchiveWriter]:
    """Yield a writer of an archive. `file` may be a pipe: the writer neither reads nor seeks in it."""
    outlet = ClosableOutput(file)
    with (
        gzip.GzipFile(fileobj=cast(IO[bytes], outlet), mode="wb", compresslevel=GZIP_LEVEL, filename="") as packed,
        tarfile.open(fileobj=packed, mode="w|", **TAR_OPTIONS) as tar,
    ):
        try:
            yield ArchiveWriter(tar=tar, on_left_out=on_left_out, on_bytes=on_bytes)
        except BaseException:
            outlet.is_closed = True
            raise
