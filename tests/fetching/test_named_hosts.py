"""Named hosts: what may be named, what a name covers, and what two lists have in common."""

# ruff: noqa: RUF001  # letters that look alike are meant

from collections.abc import Callable

import pytest

from bot.core.named_hosts import (
    hosts_in_both,
    is_host_named,
    names_of_hosts,
    parse_host,
    parse_named_host,
    parse_named_hosts,
)


def is_accepted(parse: Callable[[str], object], text: str) -> bool:
    try:
        parse(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("example.org", "example.org"),
        ("Files.Example.ORG.", "files.example.org"),
        ("*.example.org", "*.example.org"),
        ("*.example.org:8443", "*.example.org:8443"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("93.184.216.34:80", "93.184.216.34:80"),
        ("[2606:2800:220:1::1]:443", "[2606:2800:220:1::1]:443"),
        ("localhost", "localhost"),  # may be named; the guard refuses its address
    ],
)
def test_a_host_is_named_in_its_usual_form(text: str, named: str) -> None:
    assert str(parse_named_host(text)) == named


@pytest.mark.parametrize(
    "text",
    [
        *("", "*", "*.", "*.org", "*.*.org", "*example.org", "a.*.org", "*.1.2.3.4", "*.[::1]"),
        *("http://example.org", "example.org/path", "user@example.org", "a b", "a..b", "-a.org", "example.org:"),
        *("example.org:0", "example.org:65536", "example.org:٣", "example.org:80:80", "exa\0mple.org", "a\nb.org"),
        *("127.1", "2130706433", "0x7f.1", "0177.0.0.1", "1.2.3.256", "[fe80::1%eth0]", "[1.2.3.4]", "a" * 254),
    ],
)
def test_what_is_no_host_cannot_be_named(text: str) -> None:
    assert not is_accepted(parse_named_host, text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "ⓔxample.org",
            "еxample.org",
            "example。org",
            "evil.example\0.example.org",
            "127。0。0。1",
            "１.2.3.4",
            "ﬀ.org",
        ),
        *("127.1", "0x7f000001", "2130706433", "017700000001", "1.2.3", "01.2.3.4", "example.0x1", "example.1"),
        *("", ".", "..", "example..org", "[::1", "::1", "[::ffff:1.2.3.4%1]", "example.org ", "example.org:80"),
        *("a/b", "a\\b", "a@b", "a#b", "a?b", "a%00b", "*.example.org", "-"),
    ],
)
def test_a_program_cannot_name_a_host_in_unusual_ways(text: str) -> None:
    assert not is_accepted(parse_host, text)


@pytest.mark.parametrize(
    ("named", "host", "port", "is_covered"),
    [
        ("example.org", "example.org", 443, True),
        ("*", "example.org", 443, True),
        ("*", "example.org", 22, False),
        ("*", "93.184.216.34", 443, False),
        ("*", "2606:2800:220:1::1", 443, False),
        ("example.org", "example.org", 80, True),
        ("example.org", "example.org", 22, False),
        ("example.org", "www.example.org", 443, False),
        ("example.org", "badexample.org", 443, False),
        ("*.example.org", "a.b.example.org", 443, True),
        ("*.example.org", "example.org", 443, False),
        ("*.example.org", "badexample.org", 443, False),
        ("*.example.org", "example.org.evil.example", 443, False),
        ("example.org:8080", "example.org", 8080, True),
        ("example.org:8080", "example.org", 443, False),
    ],
)
def test_a_name_covers_this_host_and_port(named: str, host: str, port: int, *, is_covered: bool) -> None:
    assert is_host_named(host, port, parse_named_hosts([named])) == is_covered


def test_a_programs_host_is_read_in_small_letters_without_a_last_dot() -> None:
    assert (parse_host("WWW.Example.Org."), parse_host("[::FFFF]")) == ("www.example.org", "::ffff")


@pytest.mark.parametrize(
    ("first", "second", "both"),
    [
        ("a.example", "a.example", "a.example"),
        ("a.example", "b.example", ""),
        ("a.b.example", "*.b.example:443", "a.b.example:443"),
        ("*.example.org", "*.b.example.org", "*.b.example.org"),
        ("b.example", "*.b.example", ""),
        ("a.example", "a.example:8080", ""),
        ("a.example:80", "a.example:443", ""),
    ],
)
def test_two_lists_allow_what_both_name(first: str, second: str, both: str) -> None:
    one, other = parse_named_hosts([first, "c.example"]), parse_named_hosts([second])
    assert names_of_hosts(hosts_in_both(one, other)) == names_of_hosts(hosts_in_both(other, one)) == both
