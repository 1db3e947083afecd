"""Which addresses are public. Python's own judgement is too kind to some of them."""

import pytest

from bot.core.errors import FetchError
from bot.core.guarded_fetch import GuardedFetcher, is_ordinary_name, texts
from bot.core.guarded_fetch.addresses import is_public, parse_address

PRIVATE = [
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "127.1.2.3",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.0.2.1",
    "168.63.129.16",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.7",
    "203.0.113.7",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:0:127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::1",
    "100::1",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fd00:ec2::254",
    "ff02::1",
    "2001::1",
    "2001:0:53aa:64c:0:0:80ff:fffe",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:a00:1::1",
    "3fff::1",
    "2a00:1450::5efe:10.0.0.1",
    "2a00:1450::200:5efe:127.0.0.1",
    "fec0::1",
]
PUBLIC = [
    "1.1.1.1",
    "93.184.216.34",
    "172.32.0.1",
    "223.255.255.255",
    "2606:4700::1111",
    "::ffff:1.1.1.1",
    "64:ff9b::101:101",
]


@pytest.mark.parametrize("text", PRIVATE)
def test_an_address_that_is_not_of_the_internet_is_not_public(text: str) -> None:
    address = parse_address(text)
    assert address is not None
    assert not is_public(address)


@pytest.mark.parametrize("text", PUBLIC)
def test_an_address_of_the_internet_is_public(text: str) -> None:
    address = parse_address(text)
    assert address is not None
    assert is_public(address)


# Each of these is understood by the resolver of some system as an address of this machine.
DISGUISED = ["2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]"]


@pytest.mark.parametrize("host", [*DISGUISED, "localhost", "\uff11\uff12\uff17.0.0.1", "127。0。0。1", "ⓛocalhost"])
async def test_this_machine_is_refused_however_it_is_written(host: str) -> None:
    with pytest.raises(FetchError) as refused:
        await GuardedFetcher().fetch(f"http://{host}/")
    assert str(refused.value).endswith(texts.NOT_PUBLIC(host="").strip())


NOT_ALLOWED = [
    "file:///etc/passwd",
    "gopher://1.1.1.1/",
    "ftp://1.1.1.1/",
    "data:text/plain,hello",
    "//1.1.1.1/",
    "1.1.1.1",
    "",
    "http://",
    "http:///path",
    "http://ann:secret@1.1.1.1/",
    "http://ann@1.1.1.1/",
    "http://1.1.1.1:22/",
    "http://1.1.1.1:6379/",
    "http://1.1.1.1:99999/",
    "http://1.1.1.1\\@127.0.0.1/",
    "http://1.1.1.1\t/",
    "http://1.1.1.1/\0",
    "http://[fe80::1%25eth0]/",
    "http://[::1/",
    "http://1.1.1.1/" + "a" * 4_000,
]


@pytest.mark.parametrize("address", NOT_ALLOWED)
async def test_an_address_in_a_form_that_is_not_allowed_asks_nobody(address: str) -> None:
    async def resolve(host: str, port: int) -> list[str]:
        raise AssertionError("it was resolved")

    with pytest.raises(FetchError) as refused:
        await GuardedFetcher(resolve=resolve).fetch(address)
    assert refused.value.seconds is None


INSIDE = ["localhost", "a.local", "metadata.google.internal.", "10.0.0.1", "[fd00:ec2::254]", "169.254.169.254"]


@pytest.mark.parametrize("address", [*NOT_ALLOWED, *(f"http://{host}/" for host in (*DISGUISED, *INSIDE))])
def test_what_is_never_fetched_is_known_without_a_name_server(address: str) -> None:
    with pytest.raises(FetchError):
        GuardedFetcher().reject_never_fetched(address)


@pytest.mark.parametrize("address", ["https://no-such-name.example/prices?a=1#b", "http://1.1.1.1/", "http://printer/"])
def test_what_may_be_public_is_not_refused_before_it_is_fetched(address: str) -> None:
    GuardedFetcher().reject_never_fetched(address)


@pytest.mark.parametrize(
    "host", ["localhost", "printer", "a.local", "x.internal", "127.1", "10.0.0.1", "::1", "a.0x7f"]
)
def test_a_local_name_is_not_left_to_a_proxy(host: str) -> None:
    assert not is_ordinary_name(host)


def test_a_public_name_is_left_to_a_proxy() -> None:
    assert is_ordinary_name("www.example.com.")
