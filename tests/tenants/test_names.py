"""What a tenant may be called."""

import re

import pytest

from bot.core.errors import ConfigError
from bot.tenants import making_texts as texts
from bot.tenants.tenant import RESERVED_TENANT_NAMES, check_tenant_name


@pytest.mark.parametrize("name", ["acme", "a1b", "a-b", "north-sea-2", "a" * 32])
def test_a_plain_name_is_taken(name: str) -> None:
    assert check_tenant_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        *(
            "",
            "a",
            "ab",
            "a" * 33,
            "a" * 300,
            "Acme",
            "ACME",
            "1st",
            "-x",
            "--help",
            "x-",
            "a b",
            "a_b",
            "a.b",
            ".",
            "..",
        ),
        *(
            "../evil",
            "a/b",
            "/etc",
            "ok\n../../evil",
            "acme\n",
            "\nacme",
            "acme\0",
            "\uff41cme",
            "äcme",
            "acmé",
            "\u0430cme",
        ),
        *("acme;id", "$(id)", "`id`", "a%i", "a\\b", "acme\u200b", "con:", "a*", "acme\ud800"),
    ],
)
def test_anything_else_is_refused_whole(name: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(texts.NAME_IMPOSSIBLE(name=name))) as refusal:
        check_tenant_name(name)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("name", sorted(RESERVED_TENANT_NAMES))
def test_a_reserved_name_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(texts.NAME_RESERVED(name=name))):
        check_tenant_name(name)
