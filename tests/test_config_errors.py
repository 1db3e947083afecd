"""Everything that can be wrong with the settings: one line that says where, what and how to mend it; exit status 2."""

import os
from typing import Any

import pytest

from bot.cli import texts
from bot.config import NOT_OURS
from bot.errors import SecretExposed
from tests.settings import SECRET, Home, Said, home

__all__ = ["home"]

IN_THE_FILE: list[tuple[Any, str]] = [
    ({"swarm": {"max_dept": 1}}, "swarm.max_dept is not a setting; the nearest is swarm.max_depth"),
    ({"max_depth": 1}, "max_depth is not a setting; the nearest is swarm.max_depth"),
    ({"telegram": {}}, "telegram is not a setting; the nearest is channels.telegram"),
    ({"model": {"apikey": SECRET}}, "model.apikey is not a setting; the nearest is model.api_key"),
    ({"channels": {"telegram": {"gateway_url": "wss://x"}}}, "channels.telegram.gateway_url is not a setting; "
     "the nearest is channels.discord.gateway_url"),
    ({"swarm": {"roles": {"QA": {"tool": []}}}}, "swarm.roles.QA.tool is not a setting; "
     "the nearest is swarm.roles.QA.tools"),
    ({"a\nb": 1}, r"a\nb is not a setting; the nearest is web"),
    ({"model": {"api_key": 12345}}, "model.api_key must be text"),
    ({"model": {"api_key": ""}}, "model.api_key must not be empty; leave it out instead"),
    ({"model": {"lead": ""}}, "model.lead must not be empty; leave it out instead"),
    ({"model": None}, "model must be an object"),
    ({"model": {"effort": "huge"}}, "model.effort must be 'low', 'medium', 'high', 'xhigh' or 'max'"),
    ({"model": {"base_url": "localhost:8000"}}, "model.base_url must begin with http:// or https:// and name a host"),
    ({"model": {"base_url": f"http://me:{SECRET}@host"}}, "model.base_url must not hold a name or password: "
     "keys and tokens have settings of their own"),
    ({"swarm": {"max_depth": "1"}}, "swarm.max_depth must be a whole number"),
    ({"swarm": {"max_depth": True}}, "swarm.max_depth must be a whole number"),
    ({"swarm": {"max_depth": 1.5}}, "swarm.max_depth must be a whole number"),
    ({"swarm": {"max_depth": -1}}, "swarm.max_depth must be greater than or equal to 0"),
    ({"swarm": {"max_concurrent": 0}}, "swarm.max_concurrent must be greater than or equal to 1"),
    ({"swarm": {"enabled": "yes"}}, "swarm.enabled must be true or false"),
    ({"swarm": {"roles": {"QA": {"tools": ["a", 1]}}}}, "swarm.roles.QA.tools[1] must be text"),
    ({"swarm": {"roles": {"QA": {"limits": {"seconds": 0}}}}},
     "swarm.roles.QA.limits.seconds must be greater than or equal to 1"),
    ({"swarm": {"roles": {"QA": {}, "qa": {}}}}, "swarm.roles holds two roles whose names differ only in case"),
    ({"limits": {"day_usd": "20"}}, "limits.day_usd must be a number"),
    ({"limits": {"day_usd": 0}}, "limits.day_usd must be greater than 0"),
    ({"busy": SECRET}, "busy must be 'steer' or 'queue'"),
    ({"keep_days": -1}, "keep_days must be greater than or equal to 0"),
    ({"keep_days": 10**9}, "keep_days must be less than or equal to 100000"),
    ({"limits": {"turn_tokens": 10**19}}, "limits.turn_tokens must be less than or equal to 1000000000"),
    ({"limits": {"turn_usd": 1e300}}, "limits.turn_usd must be less than or equal to 1000000000"),
    ({"data_dir": 1}, "data_dir must be text"),
    ({"data_dir": "a\0b"}, "data_dir must not hold a null character"),
    ({"data_dir": "~nobody-here/data"}, "data_dir begins with a home folder that nobody has"),
    ({"time_zone": "Europe/Berlim"}, 'time_zone is no time zone; write one as in "Europe/Berlin"'),
    ({"time_zone": "Europe"}, 'time_zone is no time zone; write one as in "Europe/Berlin"'),
    ({"channels": {"telegram": {"allow_from": ["@ann"]}}}, "channels.telegram.allow_from must be a list of ids "
     '(whole numbers), or "*" for everybody'),
    ({"channels": {"discord": {"owner": "7"}}}, "channels.discord.owner must be a whole number"),
    ({"channels": {"discord": {"gateway_url": "https://x"}}}, "channels.discord.gateway_url must begin with "
     "ws:// or wss:// and name a host"),
    ({"workspace": "."}, "swarm.roles_dir must not lie in the workspace, where a role could write itself a role; "
     "set swarm.roles_dir or workspace to another folder"),
    ({"swarm": {"groups_dir": "workspace/teams"}}, "swarm.groups_dir must not lie in the workspace, where a role could "
     "write itself a group; set swarm.groups_dir or workspace to another folder"),
    ({"workspace": "groups/one/workspace"}, "workspace must not lie in swarm.groups_dir, where a group's files are its "
     "own alone; set one of both to another folder"),
    ({"model": {"lead": "a\ud83d"}}, "model.lead holds half a character (a lone surrogate); write the whole one"),
    ({"swarm": {"roles": {"QA": {"tools": ["a", "\udc00"]}}}}, "swarm.roles.QA.tools[1] holds half a character "
     "(a lone surrogate); write the whole one"),
    ({"swarm": {"\ud83d": 1}}, "the key swarm.\\ud83d holds half a character (a lone surrogate); write the whole one"),
    ([], "must hold one object: { … }"),
]  # fmt: skip

UNREADABLE = [
    ('{"busy": "steer",\n "busy": "queue"}', ': the key "busy" stands twice in one object'),
    ('{\n  "busy": "steer"\n  "keep_days": 1\n}', ":3: not valid JSON: Expecting ',' delimiter (column 3)"),
    ('{"limits": {"day_usd": NaN}}', ": not valid JSON: NaN is no number"),
    ("[" * 100_000, ": not valid JSON: too many levels inside one another"),
    (" ", ":1: not valid JSON: Expecting value (column 2)"),
]

IN_A_VARIABLE = [
    ("RETINUE_BUZY", "queue", "buzy is not a setting; the nearest is busy"),
    ("RETINUE_SWARM__MAX_DEPT", "1", "swarm.max_dept is not a setting; the nearest is swarm.max_depth"),
    ("RETINUE_SWARM__MAX_DEPTH", "two", "swarm.max_depth must be a whole number"),
    ("RETINUE_SWARM__MAX_DEPTH", "-1", "swarm.max_depth must be greater than or equal to 0"),
    ("RETINUE_SWARM__ENABLED", "perhaps", "swarm.enabled must be true or false"),
    ("RETINUE_SWARM__ROLES", "{", "swarm.roles must be an object"),
    ("RETINUE_SWARM__ROLES__QA__TOOLS", "read_file", "swarm.roles.qa.tools must be a list"),
    ("RETINUE_MODEL", '{"lead": 1}', "model.lead must be text"),
    ("RETINUE_BUSY", SECRET, "busy must be 'steer' or 'queue'"),
    ("RETINUE_KEEP_DAYS", "9" * 5000, "keep_days must be a smaller number"),
    ("RETINUE_DATA_DIR__X", "1", "data_dir must be text"),
    ("RETINUE_SECRETS_DIR", "~nobody-here/x", "secrets_dir begins with a home folder that nobody has"),
    ("RETINUE_MODEL__LEAD", "\udcff", "model.lead holds bytes that are no UTF-8 text; write it anew"),
    ("RETINUE_LIMITS__DAY_USD", "inf", "limits.day_usd must be a finite number"),
]


def assert_refused(said: Said, line: str) -> None:
    assert said == Said(status=2, out="", err=f"retinue: {line}\n")
    assert SECRET not in said.err


@pytest.mark.parametrize(("content", "line"), IN_THE_FILE, ids=[line[:40] for _, line in IN_THE_FILE])
def test_what_is_wrong_in_the_file_is_said_with_its_key(home: Home, content: Any, line: str) -> None:
    path = home.config(content)
    assert_refused(home.retinue("config"), f"{path}: {line}")


def test_all_mistakes_of_a_file_are_said_at_once_a_line_each(home: Home) -> None:
    path = home.config({"model": {"effort": "huge", "lead": 1}, "keep_day": 1})
    said = home.retinue("config")
    assert said.status == 2
    lines = said.err.splitlines()
    assert len(lines) == 3
    assert all(line.startswith(f"retinue: {path}: ") for line in lines)
    assert [next(key for key in ("effort", "lead", "keep_day") if key in line) for line in lines]


def test_a_file_of_another_program_in_the_current_folder_is_said_to_be_that(home: Home) -> None:
    path = home.config({"name": "a web page", "scripts": {"build": "make"}})
    assert_refused(home.retinue("config"), NOT_OURS.format(path))
    named = home.retinue("config", "--config", str(path))
    assert named.status == 2
    assert len(named.err.splitlines()) == 2  # somebody means it, so each key is named


@pytest.mark.parametrize(("text", "line"), UNREADABLE, ids=[line[:40] for _, line in UNREADABLE])
def test_what_is_no_json_is_said_with_its_line(home: Home, text: str, line: str) -> None:
    path = home.config(text=text)
    assert_refused(home.retinue("config"), f"{path}{line}")


@pytest.mark.parametrize(("variable", "value", "line"), IN_A_VARIABLE, ids=[line[:40] for _, _, line in IN_A_VARIABLE])
def test_what_is_wrong_in_the_environment_names_the_variable(home: Home, variable: str, value: str, line: str) -> None:
    home.config({"swarm": {"max_depth": 1}})
    home.environment.setenv(variable, value)
    assert_refused(home.retinue("config"), f"{variable}: {line}")


def test_a_file_that_is_named_must_be_there(home: Home) -> None:
    missing = home.here / "missing.json"
    line = f"{missing}: cannot read this file: No such file or directory"
    assert_refused(home.retinue("config", "--config", "missing.json"), line)
    home.environment.setenv("RETINUE_CONFIG", "missing.json")
    assert_refused(home.retinue("run"), line)


def test_a_file_that_cannot_be_read_is_not_passed_over(home: Home) -> None:
    path = home.here / "config.json"
    path.symlink_to(path)
    assert_refused(home.retinue("config"), f"{path}: cannot read this file: Too many levels of symbolic links")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may do everything")
@pytest.mark.parametrize("named", [(), ("--config", "config.json")], ids=["found", "named"])
def test_a_file_that_is_not_ours_to_read_is_one_line_however_it_was_found(home: Home, named: tuple[str, ...]) -> None:
    path = home.config({})
    path.chmod(0)
    assert_refused(home.retinue("config", *named), f"{path}: cannot read this file: Permission denied")


def test_a_folder_is_no_config_file(home: Home) -> None:
    assert_refused(home.retinue("config", "--config", "."), f"{home.here}: cannot read this file: Is a directory")


def test_a_file_must_be_utf8(home: Home) -> None:
    path = home.here / "config.json"
    path.write_bytes('{"model": {"lead": "ä"}}'.encode("latin-1"))
    assert_refused(home.retinue("config"), f"{path}: is not UTF-8 text")


def test_a_secret_that_everybody_can_read_is_refused(home: Home) -> None:
    home.config({})
    path = home.secret("model__api_key", mode=0o644)
    assert_refused(home.retinue("config"), str(SecretExposed(path)))
    path.chmod(0o640)
    assert home.retinue("config").status == 0


def test_a_secret_file_must_have_the_name_of_a_key(home: Home) -> None:
    home.config({})
    path = home.secret("channels__telegram__tokn")
    line = f"{path}: channels.telegram.tokn is not a setting; the nearest is channels.telegram.token"
    assert_refused(home.retinue("config"), line)


def test_a_secret_file_must_hold_something(home: Home) -> None:
    home.config({})
    path = home.secret("model__api_key", "\n")
    assert_refused(home.retinue("config"), f"{path}: this secret is empty; write it, or remove the file")


def test_a_folder_of_secrets_that_is_named_must_be_there(home: Home) -> None:
    home.config({"secrets_dir": "keys"})
    line = f"{home.here / 'keys'}: cannot read this folder, which is secrets_dir: No such file or directory"
    assert_refused(home.retinue("config"), line)


def test_run_says_that_no_channel_is_enabled(home: Home) -> None:
    keys = "channels.telegram.enabled or channels.discord.enabled"
    wanted = texts.NO_CHANNEL(origin="no config file", command="retinue setup", keys=keys)
    assert_refused(home.retinue("run"), wanted)
    path = home.config({})
    wanted = texts.NO_CHANNEL(origin=path, command="retinue setup", keys=keys)
    assert_refused(home.retinue("run", "--config", str(path)), wanted)


def test_run_says_that_there_is_no_model(home: Home) -> None:
    path = home.config({"channels": {"discord": {"enabled": True, "token": SECRET}}})
    assert_refused(home.retinue("run"), texts.NO_MODEL(origin=path))


@pytest.mark.parametrize(("name", "variable"), [("telegram", "TELEGRAM_BOT_TOKEN"), ("discord", "DISCORD_BOT_TOKEN")])
def test_run_says_which_channel_has_no_token(home: Home, name: str, variable: str) -> None:
    path = home.config({"channels": {name: {"enabled": True}}})
    home.environment.setenv("ANTHROPIC_API_KEY", SECRET)
    missing = f"channels.{name}.enabled is true, but there is no token; set channels.{name}.token ({variable})"
    assert_refused(home.retinue("run"), f"{path}: {missing}")
