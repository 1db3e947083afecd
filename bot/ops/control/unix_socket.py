"""Make the control socket, connect to it, check who may speak on it, and ask a running bot without asyncio.

A socket's path has at most 107 bytes (on macOS 103). If the path is longer, use a shorter name of its folder.
"""

from __future__ import annotations

import json
import os
import socket
import stat
import struct
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

FolderPath = str | os.PathLike[str]

SOCKET_NAME = "control.sock"
SOCKET_MODE = 0o600
MAX_PATH_BYTES = 100  # every system takes this many
READ_CHUNK_BYTES = 65_536
LISTEN_BACKLOG = 128  # connections that the kernel queues until we accept them
DESCRIPTORS_FOLDER = "/proc/self/fd"
ROOT_UID = 0  # root may read the data folder anyway


def listen_on_socket(folder: FolderPath) -> socket.socket:
    """Return the listening socket. Raise OSError if the folder cannot have a socket. The caller holds the lock on
    the folder, so no process uses an old socket there."""
    remove_socket(folder)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with suppress(OSError):  # only Linux can; elsewhere the folder keeps others out until the `chmod`
            os.fchmod(listening.fileno(), SOCKET_MODE)
        with short_socket_path(folder) as place:
            listening.bind(place)
        os.chmod(os.path.join(folder, SOCKET_NAME), SOCKET_MODE)
        listening.listen(LISTEN_BACKLOG)
    except OSError:
        listening.close()
        raise
    return listening


def connect_to_bot(folder: FolderPath, seconds: float) -> socket.socket | None:
    """Return a connection to the folder's bot, or None if no bot accepts it. Each call on it may take `seconds`."""
    asking = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    asking.settimeout(seconds)
    try:
        with short_socket_path(folder) as place:
            asking.connect(place)
    except OSError:  # no socket, or one left by a bot that was killed
        asking.close()
        return None
    return asking


def ask_running_bot(folder: FolderPath, seconds: float, **request: Any) -> dict[str, Any] | None:
    """Return the answer of the folder's bot. Return None if no bot runs, or if it has not answered in `seconds`."""
    until = time.monotonic() + seconds
    connection = connect_to_bot(folder, seconds)
    if connection is None:
        return None
    with connection:
        try:
            connection.sendall(json.dumps(request).encode() + b"\n")
            said = b""
            while not said.endswith(b"\n"):
                connection.settimeout(max(0.001, until - time.monotonic()))
                if not (more := connection.recv(READ_CHUNK_BYTES)):
                    return None
                said += more
            answer = json.loads(said)
        except (OSError, ValueError):
            return None
    return answer if isinstance(answer, dict) else None


def remove_socket(folder: FolderPath) -> None:
    """Remove the socket, no matter which process made it. If a file of that name is not a socket, it stays."""
    path = os.path.join(folder, SOCKET_NAME)
    with suppress(FileNotFoundError):
        if stat.S_ISSOCK(os.lstat(path).st_mode):
            os.unlink(path)


@contextmanager
def short_socket_path(folder: FolderPath) -> Iterator[str]:
    """Yield a path of the socket that is short enough. It is valid until the block ends."""
    path = os.path.join(folder, SOCKET_NAME)
    if len(os.fsencode(path)) <= MAX_PATH_BYTES:
        yield path
    elif os.path.isdir(DESCRIPTORS_FOLDER):
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            yield f"{DESCRIPTORS_FOLDER}/{opened}/{SOCKET_NAME}"
        finally:
            os.close(opened)
    else:
        import tempfile  # here: only systems without /proc, such as macOS, need it

        with tempfile.TemporaryDirectory(prefix="retinue-") as beside:
            link = os.path.join(beside, "data")
            os.symlink(os.path.abspath(folder), link)
            yield os.path.join(link, SOCKET_NAME)


def is_peer_allowed(connection: socket.socket) -> bool:
    """Return True if the process at the other end belongs to this user or to root."""
    return peer_user_id(connection) in (os.geteuid(), ROOT_UID)


def peer_user_id(connection: socket.socket) -> int:
    """Return the user id of the process at the other end, as the kernel reports it, or -1 if it does not."""
    if hasattr(socket, "SO_PEERCRED"):
        _, user, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        return int(user)
    if sys.platform == "darwin":  # SOL_LOCAL and LOCAL_PEERCRED, as getpeereid uses them
        _, user = struct.unpack_from("2I", connection.getsockopt(0, 1, 76))
        return int(user)
    return -1
