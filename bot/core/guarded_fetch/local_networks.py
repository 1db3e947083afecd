"""Which addresses lead to this machine, or to its local network, although they are public by their numbers.

A server is reached at its own public address over its loopback, past its firewall. Where IPv6 is native, each device of
a home has a public address, and those of the machine's own network share a prefix with it."""

import socket
from collections.abc import Iterator
from contextlib import suppress
from ipaddress import IPv6Address, IPv6Network
from pathlib import Path

from bot.core.guarded_fetch.addresses import AnyAddress, reached_address

INTERFACES_FILE = Path("/proc/net/if_inet6")  # Linux alone has it
ANY_PORT = 9  # nothing is sent there


def is_on_site(address: AnyAddress, interfaces: Path = INTERFACES_FILE) -> bool:
    """Return True if the address is one of this machine, or lies in an IPv6 network that one of its interfaces is
    directly in. Where the file of interfaces is missing, only the machine's own addresses are known."""
    reached = reached_address(address)
    return is_own(reached) or any(reached in network for network in read_ipv6_networks(interfaces))


def is_own(address: AnyAddress) -> bool:
    """Return True if this machine has the address: it would speak to it from that same address. Nothing is sent."""
    family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as asking:  # OSError: no way leads there
        asking.connect((str(address), ANY_PORT))
        return str(asking.getsockname()[0]) == str(address)
    return False


def read_ipv6_networks(interfaces: Path) -> Iterator[IPv6Network]:
    """Yield the networks of the interfaces, from lines such as `2a00…01 04 40 20 80 eth0`: address, index, length of
    the prefix, both in hexadecimal digits, and what else is known of it."""
    with suppress(OSError):
        for line in interfaces.read_text().splitlines():
            digits, _, prefix_length, *_ = line.split()
            yield IPv6Network((IPv6Address(int(digits, 16)), int(prefix_length, 16)), strict=False)
