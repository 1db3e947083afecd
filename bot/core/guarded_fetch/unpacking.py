"""Unpack a page while it arrives, and never more of it than is allowed."""

import zlib

GZIP, DEFLATE = "gzip", "deflate"
KNOWN_ENCODINGS = ("", "identity", GZIP, "x-gzip", DEFLATE)


class PageTooLarge(Exception):
    """The page has more bytes than are allowed, packed or unpacked."""


class PageUnpacker:
    """Collect the bytes of a page. `feed` raises PageTooLarge, or zlib.error if the page is damaged."""

    def __init__(self, encoding: str, most_bytes: int) -> None:
        self.encoding = encoding
        self.left = self.packed_left = most_bytes
        self.found: list[bytes] = []
        self.inflater = None if encoding in ("", "identity") else zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)
        self.is_begun = False

    def feed(self, piece: bytes) -> None:
        self.packed_left -= len(piece)
        if self.packed_left < 0:
            raise PageTooLarge
        if self.inflater is None:
            self.add(piece)
            return
        if not self.is_begun and piece:
            self.is_begun = True
            if self.encoding == DEFLATE and piece[0] & 0x0F != 8:  # some servers send it without its header
                self.inflater = zlib.decompressobj(wbits=-zlib.MAX_WBITS)
        while piece:
            self.add(self.inflater.decompress(piece, self.left + 1))
            piece = self.inflater.unconsumed_tail
            if self.inflater.eof:  # a page may be packed in several parts
                piece = self.inflater.unused_data
                self.inflater = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)

    def add(self, piece: bytes) -> None:
        self.left -= len(piece)
        if self.left < 0:
            raise PageTooLarge
        self.found.append(piece)

    def whole(self) -> bytes:
        return b"".join(self.found)
