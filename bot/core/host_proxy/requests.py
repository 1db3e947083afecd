"""Read what a program asks its proxy for. What is not exactly as it should be is refused: of a request that two readers
understand in two ways, one of them may let through what the other would not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.core.host_proxy import texts
from bot.core.named_hosts import parse_host, split_port

MAX_HEAD_BYTES = 16_384
END_OF_LINE, END_OF_HEAD = b"\r\n", b"\r\n\r\n"
REQUEST_LINE_PATTERN = re.compile(rb"([A-Z]{1,20}) ([\x21-\x7e]+) HTTP/1\.[01]")
HEADER_PATTERN = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)")
ABSOLUTE_PATTERN = re.compile(r"http://([^/?#@\\]+)([/?][^#\\]*)?", re.IGNORECASE)
LENGTH_PATTERN = re.compile(r"\d{1,15}")
CONNECT, HTTP_PORT = "CONNECT", 80
# Headers for the next hop alone; what is asked here is never for more than one request
HOP_HEADERS = frozenset(
    ("connection", "host", "keep-alive", "proxy-authorization", "proxy-connection", "te", "trailer", "upgrade")
)

Header = tuple[str, str]


class WrongRequest(Exception):
    """A request that is answered with `status`, and with a text that says why."""

    def __init__(self, text: str, status: str = "400 Bad Request") -> None:
        super().__init__(text)
        self.status = status


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyRequest:
    method: str
    host: str  # as `parse_host` returns it
    port: int
    path: str = ""  # of a plain request
    headers: Sequence[Header] = ()  # of a plain request, without those of the hop
    body_bytes: int = 0

    @property
    def is_tunnel(self) -> bool:
        return self.method == CONNECT

    @property
    def place(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == HTTP_PORT and not self.is_tunnel else f"{host}:{self.port}"

    def head_for(self, target: str, extra: Sequence[Header] = ()) -> bytes:
        """Return the head of the plain request as it is sent on, once, to a server or another proxy."""
        headers = [("Host", self.place), *self.headers, *extra, ("Connection", "close")]
        lines = [f"{self.method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers)]
        return "\r\n".join([*lines, "", ""]).encode("latin-1")


def parse_request(head: bytes) -> ProxyRequest:
    """Return what is asked. `head` ends with an empty line. Raise WrongRequest if anything in it is unusual."""
    first, *others = head.removesuffix(END_OF_HEAD).split(END_OF_LINE)
    asked = REQUEST_LINE_PATTERN.fullmatch(first)
    found = [HEADER_PATTERN.fullmatch(line) for line in others]
    if not asked or not all(found):
        raise WrongRequest(texts.NOT_A_REQUEST)
    method, target = asked[1].decode(), asked[2].decode()
    headers = [(each[1].decode(), each[2].decode("latin-1").strip()) for each in found if each]
    if method == CONNECT:
        return parse_connect(target, headers)
    return parse_plain_request(method, target, headers)


def parse_connect(target: str, headers: Sequence[Header]) -> ProxyRequest:
    host, port = parse_place(target, None)
    reject_other_host(headers, host, port)
    if values_of(headers, "content-length") or values_of(headers, "transfer-encoding"):
        raise WrongRequest(texts.NOT_A_REQUEST)
    return ProxyRequest(method=CONNECT, host=host, port=port)


def parse_plain_request(method: str, target: str, headers: Sequence[Header]) -> ProxyRequest:
    found = ABSOLUTE_PATTERN.fullmatch(target)
    if not found:
        raise WrongRequest(texts.NOT_FOR_PROXY)
    host, port = parse_place(found[1], HTTP_PORT)
    reject_other_host(headers, host, port)
    lengths = values_of(headers, "content-length")
    if len(lengths) > 1 or not all(map(LENGTH_PATTERN.fullmatch, lengths)):
        raise WrongRequest(texts.NOT_A_REQUEST)
    if values_of(headers, "transfer-encoding"):
        raise WrongRequest(texts.NO_LENGTH, "411 Length Required")
    named = {name.strip().lower() for value in values_of(headers, "connection") for name in value.split(",")}
    path = found[2] or "/"
    return ProxyRequest(
        method=method,
        host=host,
        port=port,
        path=path if path.startswith("/") else f"/{path}",
        headers=[each for each in headers if each[0].lower() not in (HOP_HEADERS | named) - {"content-length"}],
        body_bytes=int(lengths[0]) if lengths else 0,
    )


def parse_place(text: str, usual_port: int | None) -> tuple[str, int]:
    """Return the host and port in a request. Raise WrongRequest if there is none, or one in an unusual form."""
    try:
        name, port = split_port(text)
        host = parse_host(name)
    except ValueError:
        raise WrongRequest(texts.NOT_A_HOST) from None
    if (port := port or usual_port) is None:
        raise WrongRequest(texts.NOT_A_HOST)
    return host, port


def reject_other_host(headers: Sequence[Header], host: str, port: int) -> None:
    """Raise WrongRequest if a header names another host than the request itself."""
    named = values_of(headers, "host")
    if len(named) > 1 or any(parse_place(each, port) != (host, port) for each in named):
        raise WrongRequest(texts.ANOTHER_HOST)


def values_of(headers: Sequence[Header], name: str) -> list[str]:
    return [value for key, value in headers if key.lower() == name]
