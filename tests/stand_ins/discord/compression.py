"""The gateway's two ways to compress a whole connection, and no compression."""

import importlib
import json
import zlib
from collections.abc import Callable
from typing import Any

Pack = Callable[[str], str | bytes]


def packing(asked: str | None) -> Pack:
    """Return a function that packs a connection's payloads. Raise ValueError if the way is unknown or not installed."""
    if asked is None:
        return str
    if asked == "zlib-stream":
        return zlib_stream()
    if asked == "zstd-stream":
        return zstd_stream()
    raise ValueError(f"unknown compression {asked!r}; there are zlib-stream and zstd-stream")


def zlib_stream() -> Pack:
    stream = zlib.compressobj()
    return lambda text: stream.compress(text.encode()) + stream.flush(zlib.Z_SYNC_FLUSH)


def zstd_stream() -> Pack:
    """Return a function that packs with zstandard. discord.py asks for zstd if this package is installed."""
    try:
        library: Any = importlib.import_module("zstandard")
    except ImportError as missing:
        raise ValueError("zstd-stream needs the package zstandard") from missing
    stream = library.ZstdCompressor().compressobj()
    return lambda text: stream.compress(text.encode()) + stream.flush(library.COMPRESSOBJ_FLUSH_BLOCK)


def as_text(payload: object) -> str:
    return json.dumps(payload, separators=(",", ":"))
