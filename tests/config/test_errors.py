"""Everything that can be wrong with the settings: one line that says where, what and how to mend it; exit status 2."""

import errno
import os
from typing import Any

import pytest

from bot.cli import texts as cli_texts
from bot.config import texts
from bot.core.errors import SecretExposed
from bot.core.texts import setting_values
from channels.telegram import operator_texts as telegram_texts
from tests.support.config_folder import SECRET, Home, Said, home

__all__ = ["home"]

PATH = "PATH"  # stands for the path of the file


def wrong(key: str, problem: str) -> str:
    return texts.WRONG_VALUE(key=key, problem=problem)


IN_THE_FILE: list[tuple[Any, str]] = [
    ({"swarm": {"max_dept": 1}}, texts.UNKNOWN_SETTING(key="swarm.max_dept", nearest="swarm.max_depth")),
    ({"max_depth": 1}, texts.UNKNOWN_SETTING(key="max_depth", nearest="swarm.max_depth")),
    ({"telegram": {}}, texts.UNKNOWN_SETTING(key="telegram", nearest="channels.telegram")),
    ({"model": {"apikey": SECRET}}, texts.UNKNOWN_SETTING(key="model.apikey", nearest="model.api_key")),
    ({"channels": {"telegram": {"gateway_url": "wss://x"}}},
     texts.UNKNOWN_SETTING(key="channels.telegram.gateway_url", nearest="channels.discord.gateway_url")),
    ({"swarm": {"roles": {"QA": {"tool": []}}}},
     texts.UNKNOWN_SETTING(key="swarm.roles.QA.tool", nearest="swarm.roles.QA.tools")),
    ({"a\nb": 1}, texts.UNKNOWN_SETTING(key=r"a\nb", nearest="web")),
    ({"web": 3}, wrong("web", setting_values.MUST_BE_OBJECT)),
    ({"web": {"allowed_domains": ["a.example"], "blocked_domains": ["b.example"]}},
     wrong("web", setting_values.ALLOWED_AND_BLOCKED)),
    ({"web": {"allowed_domains": ["https://a.example"]}},
     wrong("web.allowed_domains", setting_values.NOT_A_DOMAIN(name="https://a.example"))),
    ({"web": {"provider": "google"}}, "web.provider must be 'brave', 'searxng' or 'tavily'"),
    ({"model": {"api_key": 12345}}, wrong("model.api_key", setting_values.MUST_BE_TEXT)),
    ({"model": {"api_key": ""}}, wrong("model.api_key", setting_values.MUST_NOT_BE_EMPTY)),
    ({"model": {"lead": ""}}, wrong("model.lead", setting_values.MUST_NOT_BE_EMPTY)),
    ({"model": None}, wrong("model", setting_values.MUST_BE_OBJECT)),
    ({"model": {"effort": "huge"}}, "model.effort must be 'low', 'medium', 'high', 'xhigh' or 'max'"),
    ({"model": {"base_url": "localhost:8000"}}, wrong("model.base_url", setting_values.NOT_A_WEB_ADDRESS)),
    ({"model": {"base_url": f"http://me:{SECRET}@host"}}, wrong("model.base_url", setting_values.PASSWORD_IN_ADDRESS)),
    ({"swarm": {"max_depth": "1"}}, wrong("swarm.max_depth", setting_values.MUST_BE_WHOLE)),
    ({"swarm": {"max_depth": True}}, wrong("swarm.max_depth", setting_values.MUST_BE_WHOLE)),
    ({"swarm": {"max_depth": 1.5}}, wrong("swarm.max_depth", setting_values.MUST_BE_WHOLE)),
    ({"swarm": {"max_depth": -1}}, "swarm.max_depth must be greater than or equal to 0"),
    ({"swarm": {"max_concurrent": 0}}, "swarm.max_concurrent must be greater than or equal to 1"),
    ({"swarm": {"enabled": "yes"}}, wrong("swarm.enabled", setting_values.MUST_BE_BOOLEAN)),
    ({"swarm": {"roles": {"QA": {"tools": ["a", 1]}}}}, wrong("swarm.roles.QA.tools[1]", setting_values.MUST_BE_TEXT)),
    ({"swarm": {"roles": {"QA": {"limits": {"seconds": 0}}}}},
     "swarm.roles.QA.limits.seconds must be greater than or equal to 1"),
    ({"swarm": {"roles": {"QA": {}, "qa": {}}}}, wrong("swarm.roles", setting_values.ROLES_ALIKE)),
    ({"limits": {"day_usd": "20"}}, wrong("limits.day_usd", setting_values.MUST_BE_NUMBER)),
    ({"limits": {"day_usd": 0}}, "limits.day_usd must be greater than 0"),
    ({"busy": SECRET}, "busy must be 'steer' or 'queue'"),
    ({"keep_days": -1}, "keep_days must be greater than or equal to 0"),
    ({"keep_days": 10**9}, "keep_days must be less than or equal to 100000"),
    ({"limits": {"turn_tokens": 10**19}}, "limits.turn_tokens must be less than or equal to 1000000000"),
    ({"limits": {"turn_usd": 1e300}}, "limits.turn_usd must be less than or equal to 1000000000"),
    ({"data_dir": 1}, wrong("data_dir", setting_values.MUST_BE_TEXT)),
    ({"data_dir": "a\0b"}, wrong("data_dir", setting_values.NULL_CHARACTER)),
    ({"data_dir": "~nobody-here/data"}, wrong("data_dir", setting_values.NO_SUCH_HOME)),
    ({"time_zone": "Europe/Berlim"}, wrong("time_zone", setting_values.NO_TIME_ZONE)),
    ({"time_zone": "Europe"}, wrong("time_zone", setting_values.NO_TIME_ZONE)),
    ({"channels": {"telegram": {"allow_from": ["@ann"]}}},
     wrong("channels.telegram.allow_from", setting_values.NOT_PEOPLE)),
    ({"channels": {"telegram": {"voices": {"writer": SECRET}}}},
     wrong("channels.telegram.voices.writer", telegram_texts.VOICE_TOKEN_FORM)),
    ({"channels": {"telegram": {"voices": {"writer": "7:a", "coder": "07:b"}}}},
     wrong("channels.telegram.voices", telegram_texts.VOICE_TWICE)),
    ({"channels": {"telegram": {"token": "7:a", "voices": {"writer": "7:b"}}}},
     wrong("channels.telegram.voices", telegram_texts.VOICE_TWICE)),
    ({"channels": {"telegram": {"voices": {"writer": "7:a", "Writer": "8:b"}}}},
     wrong("channels.telegram.voices", setting_values.ROLES_ALIKE)),
    ({"channels": {"discord": {"owner": "7"}}}, wrong("channels.discord.owner", setting_values.MUST_BE_WHOLE)),
    ({"channels": {"discord": {"gateway_url": "https://x"}}},
     wrong("channels.discord.gateway_url", setting_values.NOT_A_SOCKET_ADDRESS)),
]  # fmt: skip

IN_THE_WHOLE_FILE: list[tuple[Any, str]] = [
    ({"workspace": "."}, texts.ROLES_IN_WORKSPACE(origin=PATH)),
    ({"swarm": {"groups_dir": "workspace/teams"}}, texts.GROUPS_IN_WORKSPACE(origin=PATH)),
    ({"workspace": "groups/one/workspace"}, texts.WORKSPACE_IN_GROUPS(origin=PATH)),
    ({"model": {"lead": "a\ud83d"}}, texts.HALF_A_CHARACTER(path=PATH, key="model.lead")),
    ({"swarm": {"roles": {"QA": {"tools": ["a", "\udc00"]}}}},
     texts.HALF_A_CHARACTER(path=PATH, key="swarm.roles.QA.tools[1]")),
    ({"swarm": {"\ud83d": 1}}, texts.HALF_A_CHARACTER(path=PATH, key=texts.KEY_AT(key="swarm.\\ud83d"))),
    ([], texts.NOT_AN_OBJECT(path=PATH)),
]  # fmt: skip

UNREADABLE = [
    ('{"busy": "steer",\n "busy": "queue"}', f"{PATH}: " + texts.KEY_TWICE(key='"busy"')),
    ('{\n  "busy": "steer"\n  "keep_days": 1\n}',
     texts.NOT_JSON(path=PATH, line=3, reason="Expecting ',' delimiter", column=3)),
    ('{"limits": {"day_usd": NaN}}', f"{PATH}: " + texts.NO_NUMBER(value="NaN")),
    ("[" * 100_000, texts.TOO_DEEP(path=PATH)),
    (" ", texts.NOT_JSON(path=PATH, line=1, reason="Expecting value", column=2)),
]  # fmt: skip

IN_A_VARIABLE = [
    ("RETINUE_BUZY", "queue", texts.UNKNOWN_SETTING(key="buzy", nearest="busy")),
    ("RETINUE_SWARM__MAX_DEPT", "1", texts.UNKNOWN_SETTING(key="swarm.max_dept", nearest="swarm.max_depth")),
    ("RETINUE_SWARM__MAX_DEPTH", "two", wrong("swarm.max_depth", setting_values.MUST_BE_WHOLE)),
    ("RETINUE_SWARM__MAX_DEPTH", "-1", "swarm.max_depth must be greater than or equal to 0"),
    ("RETINUE_SWARM__ENABLED", "perhaps", wrong("swarm.enabled", setting_values.MUST_BE_BOOLEAN)),
    ("RETINUE_SWARM__ROLES", "{", wrong("swarm.roles", setting_values.MUST_BE_OBJECT)),
    ("RETINUE_SWARM__ROLES__QA__TOOLS", "read_file", wrong("swarm.roles.qa.tools", setting_values.MUST_BE_LIST)),
    ("RETINUE_MODEL", '{"lead": 1}', wrong("model.lead", setting_values.MUST_BE_TEXT)),
    ("RETINUE_BUSY", SECRET, "busy must be 'steer' or 'queue'"),
    ("RETINUE_KEEP_DAYS", "9" * 5000, wrong("keep_days", setting_values.MUST_BE_SMALLER)),
    ("RETINUE_DATA_DIR__X", "1", wrong("data_dir", setting_values.MUST_BE_TEXT)),
    ("RETINUE_SECRETS_DIR", "~nobody-here/x", wrong("secrets_dir", setting_values.NO_SUCH_HOME)),
    ("RETINUE_MODEL__LEAD", "\udcff", wrong("model.lead", setting_values.BYTES_NOT_UTF8)),
    ("RETINUE_LIMITS__DAY_USD", "inf", "limits.day_usd must be a finite number"),
]


def assert_refused(said: Said, line: str) -> None:
    assert said == Said(status=2, out="", err=f"retinue: {line}\n")
    assert SECRET not in said.err


@pytest.mark.parametrize(("content", "line"), IN_THE_FILE, ids=[line[:40] for _, line in IN_THE_FILE])
def test_a_fault_in_the_file_is_told_with_its_key(home: Home, content: Any, line: str) -> None:
    path = home.config(content)
    assert_refused(home.retinue("config"), f"{path}: {line}")


@pytest.mark.parametrize(("content", "line"), IN_THE_WHOLE_FILE, ids=[line[:40] for _, line in IN_THE_WHOLE_FILE])
def test_a_fault_of_the_whole_file_is_told_with_its_path(home: Home, content: Any, line: str) -> None:
    path = home.config(content)
    assert_refused(home.retinue("config"), line.replace(PATH, str(path)))


def test_all_mistakes_of_a_file_are_said_at_once_a_line_each(home: Home) -> None:
    path = home.config({"model": {"effort": "huge", "lead": 1}, "keep_day": 1})
    said = home.retinue("config")
    assert said.status == 2
    lines = said.err.splitlines()
    assert len(lines) == 3
    assert all(line.startswith(f"retinue: {path}: ") for line in lines)
    assert [next(key for key in ("effort", "lead", "keep_day") if key in line) for line in lines]


def test_another_programs_file_in_the_current_folder_is_called_that(home: Home) -> None:
    path = home.config({"name": "a web page", "scripts": {"build": "make"}})
    assert_refused(home.retinue("config"), texts.NOT_OURS(path=path))
    named = home.retinue("config", "--config", str(path))
    assert named.status == 2
    assert len(named.err.splitlines()) == 2  # somebody means it, so each key is named


@pytest.mark.parametrize(("text", "line"), UNREADABLE, ids=[line[:40] for _, line in UNREADABLE])
def test_invalid_json_is_told_with_its_line(home: Home, text: str, line: str) -> None:
    path = home.config(text=text)
    assert_refused(home.retinue("config"), line.replace(PATH, str(path)))


@pytest.mark.parametrize(("variable", "value", "line"), IN_A_VARIABLE, ids=[line[:40] for _, _, line in IN_A_VARIABLE])
def test_a_fault_in_the_environment_names_the_variable(home: Home, variable: str, value: str, line: str) -> None:
    home.config({"swarm": {"max_depth": 1}})
    home.environment.setenv(variable, value)
    assert_refused(home.retinue("config"), f"{variable}: {line}")


def test_a_file_that_is_named_must_be_there(home: Home) -> None:
    missing = home.here / "missing.json"
    line = texts.FILE_NOT_READABLE(path=missing, reason=os.strerror(errno.ENOENT))
    assert_refused(home.retinue("config", "--config", "missing.json"), line)
    home.environment.setenv("RETINUE_CONFIG", "missing.json")
    assert_refused(home.retinue("run"), line)


def test_a_file_that_cannot_be_read_is_not_passed_over(home: Home) -> None:
    path = home.here / "config.json"
    path.symlink_to(path)
    assert_refused(home.retinue("config"), texts.FILE_NOT_READABLE(path=path, reason=os.strerror(errno.ELOOP)))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may do everything")
@pytest.mark.parametrize("named", [(), ("--config", "config.json")], ids=["found", "named"])
def test_a_file_that_is_not_ours_to_read_is_one_line_however_it_was_found(home: Home, named: tuple[str, ...]) -> None:
    path = home.config({})
    path.chmod(0)
    assert_refused(home.retinue("config", *named), texts.FILE_NOT_READABLE(path=path, reason=os.strerror(errno.EACCES)))


def test_a_folder_is_no_config_file(home: Home) -> None:
    assert_refused(
        home.retinue("config", "--config", "."),
        texts.FILE_NOT_READABLE(path=home.here, reason=os.strerror(errno.EISDIR)),
    )


def test_a_file_must_be_utf8(home: Home) -> None:
    path = home.here / "config.json"
    path.write_bytes('{"model": {"lead": "ä"}}'.encode("latin-1"))
    assert_refused(home.retinue("config"), texts.NOT_UTF8(path=path))


def test_a_secret_that_everybody_can_read_is_refused(home: Home) -> None:
    home.config({})
    path = home.secret("model__api_key", mode=0o644)
    assert_refused(home.retinue("config"), str(SecretExposed(path)))
    path.chmod(0o640)
    assert home.retinue("config").status == 0


def test_a_secret_file_must_have_the_name_of_a_key(home: Home) -> None:
    home.config({})
    path = home.secret("channels__telegram__tokn")
    line = f"{path}: {texts.UNKNOWN_SETTING(key='channels.telegram.tokn', nearest='channels.telegram.token')}"
    assert_refused(home.retinue("config"), line)


def test_a_secret_file_must_hold_something(home: Home) -> None:
    home.config({})
    path = home.secret("model__api_key", "\n")
    assert_refused(home.retinue("config"), texts.SECRET_EMPTY(path=path))


def test_a_folder_of_secrets_that_is_named_must_be_there(home: Home) -> None:
    home.config({"secrets_dir": "keys"})
    reason = os.strerror(errno.ENOENT)
    line = texts.SECRETS_FOLDER_NOT_READABLE(path=home.here / "keys", name="secrets_dir", reason=reason)
    assert_refused(home.retinue("config"), line)


def test_run_says_that_no_channel_is_enabled(home: Home) -> None:
    keys = "channels.telegram.enabled or channels.discord.enabled"
    wanted = cli_texts.NO_CHANNEL(origin=texts.NO_CONFIG_FILE, command="retinue setup", keys=keys)
    assert_refused(home.retinue("run"), wanted)
    path = home.config({})
    wanted = cli_texts.NO_CHANNEL(origin=path, command="retinue setup", keys=keys)
    assert_refused(home.retinue("run", "--config", str(path)), wanted)


def test_run_says_that_there_is_no_model(home: Home) -> None:
    path = home.config({"channels": {"discord": {"enabled": True, "token": SECRET}}})
    assert_refused(home.retinue("run"), cli_texts.NO_MODEL(origin=path))


@pytest.mark.parametrize(("name", "variable"), [("telegram", "TELEGRAM_BOT_TOKEN"), ("discord", "DISCORD_BOT_TOKEN")])
def test_run_says_which_channel_has_no_token(home: Home, name: str, variable: str) -> None:
    path = home.config({"channels": {name: {"enabled": True}}})
    home.environment.setenv("ANTHROPIC_API_KEY", SECRET)
    missing = f"channels.{name}.enabled is true, but there is no token; set channels.{name}.token ({variable})"
    assert_refused(home.retinue("run"), f"{path}: {missing}")
