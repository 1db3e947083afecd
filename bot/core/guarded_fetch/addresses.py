"""Which addresses of the internet may be fetched from: public ones. `ipaddress.is_global` is not enough for that: for
Python 3.11 it calls multicast, 6to4 and translated addresses global."""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

AnyAddress = IPv4Address | IPv6Address
AnyNetwork = IPv4Network | IPv6Network

# From the special-purpose registries of IANA, and one address that a cloud uses for itself
NOT_PUBLIC_IPV4 = [
    IPv4Network(each)
    for each in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",  # link-local, and where clouds keep their metadata
        "168.63.129.16/32",  # public by its number, but on machines of Azure it is the platform itself
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/3",  # multicast, reserved, broadcast
    )
]
PUBLIC_IPV6 = IPv6Network("2000::/3")  # all others are local, mapped, multicast or reserved
NOT_PUBLIC_IPV6 = [
    IPv6Network(each)
    for each in (
        "2001::/23",  # protocols of the network itself, Teredo among them, which holds an IPv4 address
        "2001:db8::/32",
        "2002::/16",  # 6to4, which holds an IPv4 address
        "3fff::/20",
    )
]
TRANSLATED_IPV6 = IPv6Network("64:ff9b::/96")  # NAT64: the last 32 bits are the IPv4 address that is reached
ISATAP_MARK = 0x5EFE  # in the third quarter of an address whose last 32 bits are an IPv4 address


def parse_address(text: str) -> AnyAddress | None:
    """Return the address that the text is, without its zone; None if it is a name."""
    try:
        return ip_address(text.partition("%")[0])
    except ValueError:
        return None


def parse_networks(texts: Sequence[str]) -> tuple[AnyNetwork, ...]:
    return tuple(ip_network(each) for each in texts)


def reached_address(address: AnyAddress) -> AnyAddress:
    """Return the IPv4 address that one of IPv6 is mapped or translated to; any other address as it is."""
    if isinstance(address, IPv4Address):
        return address
    if address in TRANSLATED_IPV6:
        return last_bits(address)
    return address.ipv4_mapped or address


def is_public(address: AnyAddress) -> bool:
    """Return True if the address belongs to the public internet, also by what it is translated to on the way."""
    reached = reached_address(address)
    if isinstance(reached, IPv4Address):
        return not any(reached in network for network in NOT_PUBLIC_IPV4)
    if (int(reached) >> 32) & 0xFFFF == ISATAP_MARK and not is_public(last_bits(reached)):
        return False
    return reached in PUBLIC_IPV6 and not any(reached in network for network in NOT_PUBLIC_IPV6)


def last_bits(address: IPv6Address) -> IPv4Address:
    return IPv4Address(int(address) & 0xFFFF_FFFF)
