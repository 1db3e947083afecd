"""Which sites are within a list of domains."""

import re

import pytest

from bot.core.domains import DomainRules, normalize_domain

HOSTS = ("a.example", "www.a.example", "WWW.A.Example.", "ba.example", "a.example.evil", "127.0.0.1", "::1", "[::1]")


def test_a_domain_stands_for_itself_and_all_below_it() -> None:
    rules = DomainRules(allowed=("a.example",))
    assert [host for host in HOSTS if rules.allows(host)] == ["a.example", "www.a.example", "WWW.A.Example."]
    rules = DomainRules(blocked=("a.example",))
    assert [host for host in HOSTS if rules.allows(host)] == [*HOSTS[3:]]


def test_a_name_of_another_script_is_the_same_however_it_is_written() -> None:
    rules = DomainRules(blocked=(normalize_domain("b\u00fccher.example"),))
    assert not [
        host
        for host in ("xn--bcher-kva.example", "B\u00dcCHER.example", "b\u00fccher\uff0eexample")
        if rules.allows(host)
    ]


@pytest.mark.parametrize("name", [".", "a b", "*.a.example", "a.example/x", "https://a", "a..b", "-a.b", "x" * 64])
def test_what_is_no_domain_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=re.escape(name)):
        normalize_domain(name)
