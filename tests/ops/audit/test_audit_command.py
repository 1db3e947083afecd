"""`retinue doctor --audit` as an operator types it, and its table in the docs."""

import re
from pathlib import Path

import pytest

from bot.config import texts as config_texts
from bot.core.findings import CheckState
from bot.ops.audit import texts
from bot.ops.audit.check_list import CHECKS
from bot.ops.checks import texts as check_texts
from tests.support.config_folder import SECRET, Home, home

__all__ = ["home"]

PAGE = Path(__file__).parents[3] / "docs" / "security.md"
UNREACHABLE = "http://127.0.0.1:9"


@pytest.fixture
def bot(home: Home) -> Home:
    """Where nothing is wrong, and no server can be asked."""
    home.here.chmod(0o755)
    for name in ("data", "workspace"):
        (home.here / name).mkdir(mode=0o700)
    home.config({"model": {"base_url": UNREACHABLE}}).chmod(0o600)
    home.secret("model__api_key")
    (home.here / "secrets").chmod(0o700)
    return home


def lines(out: str, state: str) -> list[str]:
    found = [line.removeprefix(state).strip() for line in out.splitlines() if line.startswith(state)]
    return [each for each in found if not each.startswith("A12 ")]  # whether root runs the tests


def test_each_check_has_its_line_and_no_server_is_asked(bot: Home) -> None:
    said = bot.retinue("doctor", "--audit")
    assert (said.status, said.err) == (0, "")
    assert (lines(said.out, "wrong"), lines(said.out, "warning")) == ([], [])
    assert [line.split()[1] for line in said.out.splitlines()] == [check.id for check in CHECKS]
    assert f"ok       A01 {texts.TITLES['A01']}\n" in said.out


def test_what_is_wrong_is_told_and_fixed(bot: Home) -> None:
    (bot.here / "data").chmod(0o755)
    said = bot.retinue("doctor", "--audit")
    can_read = texts.CAN_READ(what=texts.DATA_FOLDER, path=bot.here / "data", who=texts.EVERYBODY)
    remedy = texts.CHANGE_MODE(mode=0o700, path=bot.here / "data")
    assert (said.status, lines(said.out, "wrong")) == (1, [f"A06 {can_read} → {remedy}"])
    said = bot.retinue("doctor", "--audit", "--fix")
    assert said.status == 0
    assert check_texts.MENDED(finding=f"A06 {can_read}") in said.out
    assert (bot.here / "data").stat().st_mode & 0o777 == 0o700


def test_settings_that_cannot_be_read_are_told_alone(bot: Home) -> None:
    bot.config({"workspace": "data"})
    said = bot.retinue("doctor", "--audit")
    assert said.status == 1
    fault = config_texts.DATA_IN_WORKSPACE(origin=bot.here / "config.json")
    assert said.out == f"wrong    {check_texts.WRONG_CONFIG(fault=fault)} → {check_texts.MEND_THAT}\n"


def test_secrets_that_everybody_can_read_are_fixed_before_the_rest(bot: Home) -> None:
    path = bot.secret("model__api_key", mode=0o604)
    assert bot.retinue("doctor", "--audit").out.count("\n") == 1
    said = bot.retinue("doctor", "--audit", "--fix")
    assert (said.status, path.stat().st_mode & 0o777) == (0, 0o600)
    assert said.out.count("\n") == len(CHECKS) + 1
    assert SECRET not in said.out


def test_every_check_has_its_row_in_the_docs() -> None:
    rows = re.findall(r"^\| (A\d\d) \| (.+?) \| (\w+) \| (\w*) \|$", PAGE.read_text(), re.MULTILINE)
    states = {CheckState.WRONG: "wrong", CheckState.WARNING: "warning"}
    assert rows == [(check.id, check.title, states[check.state], "yes" if check.has_fix else "") for check in CHECKS]


def test_ids_are_numbered_without_gaps() -> None:
    assert [check.id for check in CHECKS] == [f"A{number:02}" for number in range(1, len(CHECKS) + 1)]
    assert texts.TITLES.keys() == {check.id for check in CHECKS}
