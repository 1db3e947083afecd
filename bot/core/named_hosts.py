"""Named hosts: which hosts of the internet a program in the sandbox may reach, as settings and role files name them.

`example.org` is this host alone, `*.example.org` each host below it and not itself, both at the ports 80 and 443.
`example.org:8080` is this host at this port alone. An address in numbers is named in its usual form. `*` is every host
with a name, at the usual ports; only MCP servers may be given that, for browsers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from ipaddress import ip_address

from bot.core.domains import DOMAIN_PATTERN, MAX_DOMAIN_CHARACTERS, is_within, normalize_domain

USUAL_PORTS = frozenset({80, 443})
HIGHEST_PORT = 65_535
WILDCARD = "*."
EVERY_HOST = "*"
PLACE_PATTERN = re.compile(r"(\[[^\[\]]+\]|[^\[\]:]+)(?::(\d{1,5}))?", re.ASCII)
NUMBER_LABEL_PATTERN = re.compile(r"\d+|0x[0-9a-f]*")  # a name that ends so is an address to many programs


@dataclass(frozen=True, slots=True)
class NamedHost:
    name: str  # of a wildcard, what stands behind its star
    is_wildcard: bool = False
    port: int | None = None  # None: the usual ports

    def __str__(self) -> str:
        if self.is_every_host:
            return EVERY_HOST
        host = f"[{self.name}]" if ":" in self.name else self.name
        return f"{WILDCARD if self.is_wildcard else ''}{host}{f':{self.port}' if self.port else ''}"

    @property
    def is_every_host(self) -> bool:
        return not self.name

    @property
    def ports(self) -> frozenset[int]:
        return USUAL_PORTS if self.port is None else frozenset({self.port})

    def covers(self, host: str, port: int) -> bool:
        """Return True if this is the name of that host, which `parse_host` has returned, at that port."""
        if self.is_every_host:
            is_there = not is_address(host)
        elif self.is_wildcard:
            is_there = host != self.name and is_within(host, [self.name])
        else:
            is_there = host == self.name
        return is_there and port in self.ports

    def meet(self, other: NamedHost) -> NamedHost | None:
        """Return what both name; None if they have nothing in common."""
        ports = self.ports & other.ports
        narrow = self if self.is_as_narrow_as(other) else other if other.is_as_narrow_as(self) else None
        if narrow is None or not ports:
            return None
        return NamedHost(narrow.name, narrow.is_wildcard, None if ports == USUAL_PORTS else min(ports))

    def is_as_narrow_as(self, other: NamedHost) -> bool:
        if self.is_wildcard == other.is_wildcard and self.name == other.name:
            return True
        if other.is_every_host:
            return not is_address(self.name)
        return other.is_wildcard and self.name != other.name and is_within(self.name, [other.name])


NamedHosts = Sequence[NamedHost]
NO_HOSTS: NamedHosts = ()


def parse_named_host(text: str) -> NamedHost:
    """Return the host that a person names. Raise ValueError if it is none, or if it names a whole top-level domain."""
    is_wildcard = text.startswith(WILDCARD)
    name, port = split_port(text.removeprefix(WILDCARD))
    host = parse_host(name if name.startswith("[") else normalize_domain(name))
    if is_wildcard and ("." not in host or is_address(host)):
        raise ValueError(text)
    return NamedHost(host, is_wildcard, port)


def parse_named_hosts(texts: Iterable[str]) -> NamedHosts:
    """Return the hosts of a checked setting, which may also be EVERY_HOST."""
    return tuple(NamedHost("", is_wildcard=True) if text == EVERY_HOST else parse_named_host(text) for text in texts)


def split_port(text: str) -> tuple[str, int | None]:
    """Return a host, and its port if there is one. Raise ValueError if the text is not of this form."""
    found = PLACE_PATTERN.fullmatch(text)
    if not found:
        raise ValueError(text)
    port = int(found[2]) if found[2] else None
    if port is not None and not 0 < port <= HIGHEST_PORT:
        raise ValueError(text)
    return found[1], port


def parse_host(text: str) -> str:
    """Return the host that a program names: in small letters, without the dot at its end; an address in its usual form.
    Raise ValueError for all that is neither a name of ASCII letters nor an address as it is usually written. Some
    resolvers would make another host of it: of letters that look alike, `127.1`, `0x7f.1`, or a null character."""
    if text.startswith("[") and text.endswith("]"):
        found = ip_address(text[1:-1])
        if found.version != 6 or "%" in text:
            raise ValueError(text)
        return found.compressed
    host = text.lower().removesuffix(".")
    if not text.isascii() or len(host) > MAX_DOMAIN_CHARACTERS or not DOMAIN_PATTERN.fullmatch(host):
        raise ValueError(text)
    if NUMBER_LABEL_PATTERN.fullmatch(host.rpartition(".")[2]) and str(ip_address(host)) != text:
        raise ValueError(text)
    return host


def is_address(host: str) -> bool:
    return ":" in host or NUMBER_LABEL_PATTERN.fullmatch(host.rpartition(".")[2]) is not None


def is_host_named(host: str, port: int, named: Iterable[NamedHost]) -> bool:
    return any(each.covers(host, port) for each in named)


def hosts_in_both(first: Iterable[NamedHost], second: Sequence[NamedHost]) -> NamedHosts:
    """Return what both lists name."""

    def meetings() -> Iterator[NamedHost]:
        for one in first:
            yield from filter(None, map(one.meet, second))

    return tuple(dict.fromkeys(meetings()))


def names_of_hosts(hosts: Iterable[NamedHost]) -> str:
    """Return the hosts as people read them."""
    return ", ".join(map(str, hosts))
