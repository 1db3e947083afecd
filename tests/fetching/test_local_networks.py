"""Which public addresses lead to this machine, or to its local network. The interfaces are written down here."""

from pathlib import Path

import pytest

from bot.core.errors import FetchError
from bot.core.guarded_fetch import GuardedFetcher
from bot.core.guarded_fetch.addresses import AnyAddress, parse_address
from bot.core.guarded_fetch.local_networks import is_on_site
from tests.fetching.conftest import Names

INTERFACES = """\
2a0014500001000200000000000000fe 02 40 00 80     eth0
26060000000000000000000000000001 03 80 00 80     tun0
00000000000000000000000000000001 01 80 10 80       lo
"""


@pytest.fixture
def interfaces(tmp_path: Path) -> Path:
    file = tmp_path / "if_inet6"
    file.write_text(INTERFACES)
    return file


def parsed(text: str) -> AnyAddress:
    address = parse_address(text)
    assert address is not None
    return address


@pytest.mark.parametrize(
    ("text", "is_here"),
    [
        ("2a00:1450:1:2::fe", True),  # the machine itself
        ("2a00:1450:1:2:a:b:c:d", True),  # a device beside it
        ("2a00:1450:1:3::1", False),
        ("2606::1", True),
        ("2606::2", False),  # beyond a tunnel
        ("1.1.1.1", False),
    ],
)
def test_an_address_beside_an_interface_is_on_site(interfaces: Path, text: str, is_here: bool) -> None:
    assert is_on_site(parsed(text), interfaces) is is_here


@pytest.mark.parametrize("text", ["127.0.0.1", "::ffff:127.0.0.1", "64:ff9b::7f00:1"])
def test_an_address_that_this_machine_has_is_on_site_wherever_no_file_tells(tmp_path: Path, text: str) -> None:
    assert is_on_site(parsed(text), tmp_path / "missing")


async def test_a_name_that_leads_here_is_refused(names: Names, interfaces: Path) -> None:
    names.answers["printer.example"] = [["1.1.1.1", "2a00:1450:1:2::9"]]
    fetcher = GuardedFetcher(resolve=names.resolve, is_on_site=lambda address: is_on_site(address, interfaces))
    with pytest.raises(FetchError):
        await fetcher.check_host("printer.example", 443)
    names.answers["away.example"] = [["1.1.1.1", "2a00:1450:1:3::9"]]
    assert await fetcher.check_host("away.example", 443)
