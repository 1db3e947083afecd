"""What a tenant's bot says of its health: it may be hostile, and is a line in a table of all of them."""

import json

import pytest

from bot.core.errors import ConfigError
from bot.tenants import texts
from bot.tenants.commands.list_tenants import TenantStatus, format_table_row, tenant_status_as_json_object
from bot.tenants.deployment import parse_health_output
from bot.tenants.programs import ProgramOutcome
from tests.support.wording import like

ROWS = {"step": 1, "received": 2, "said": None, "unsent": 0}


def said(**changes: object) -> ProgramOutcome:
    return ProgramOutcome(status=0, out=json.dumps({"healthy": True, "problems": [], **changes}), err="")


@pytest.mark.parametrize(
    "changes",
    [
        {"budget": {"spent_usd": 10**400, "limit_usd": 1}},
        {"budget": {"spent_usd": float("nan"), "limit_usd": float("inf")}},
        {"budget": [1]},
        {"problems": 5},
        {"last_message_at": "yesterday"},
        {"last_message_at": 5},
        {"rows": {**ROWS, "step": "1"}},
        {"rows": {**ROWS, "unsent": {}}},
        {"rows": {**ROWS, "more": 1}},
    ],
)
def test_invalid_health_is_one_complaint(changes: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=like(texts.HEALTH_UNKNOWN)):
        parse_health_output(said(**changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"last_message_at": "2026-01-01T00:00:00"},
        {"last_message_at": "0001-01-01T00:00:00+23:59"},
        {"problems": ["x" * 10**6] * 20, "version": "v" * 10**6},
        {"version": "\x1b]0;mine\x07", "rows": ROWS},
    ],
)
def test_odd_values_are_shown_and_fill_no_screen(changes: dict[str, object]) -> None:
    health = parse_health_output(said(**changes))
    line = TenantStatus(name="acme", health=health, state="running", notes=health.problems)
    assert "\x1b" not in "".join(format_table_row(line))
    assert len(json.dumps(tenant_status_as_json_object(line))) < 10_000
