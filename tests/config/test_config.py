"""Where settings come from, who wins, and what `retinue config` shows of them."""

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from bot.cli import texts
from bot.cli.startup import describe_config_and_workspace
from bot.config import load
from bot.config.roles import load_roles
from bot.config.settings import Config
from bot.core.messages import RoleName
from tests.support.config_folder import SECRET, Home, home
from tests.support.fakes import own_text

__all__ = ["home"]

EXAMPLE = Path(__file__).parents[2] / "config.json.example"


def test_without_any_file_the_defaults_hold_and_folders_are_the_users_own(home: Home) -> None:
    loaded = load()
    assert loaded.path is None
    assert loaded.config.swarm.max_depth == 1
    assert loaded.config.data_dir == home.user / "retinue" / "data"
    assert loaded.config.workspace == home.user / "retinue" / "workspace"
    assert loaded.config.swarm.roles_dir == home.user / "retinue" / "roles"
    assert loaded.config.swarm.groups_dir == home.user / "retinue" / "groups"


def test_folders_lie_beside_the_config_file_wherever_one_stands(home: Home, tmp_path: Path) -> None:
    path = home.config({"workspace": "files", "secrets_dir": "keys"})
    home.secret("model__api_key", folder="keys")
    home.environment.chdir(tmp_path)
    config = load(path).config
    assert (config.data_dir, config.workspace) == (home.here / "data", home.here / "files")
    assert config.secrets_dir == home.here / "keys"


def test_a_path_may_begin_in_the_home_folder(home: Home) -> None:
    home.config({"data_dir": "~/kept"})
    assert load().config.data_dir == home.user / "kept"


def test_a_named_file_wins_over_the_variable_the_users_and_the_folders(home: Home, tmp_path: Path) -> None:
    (home.user / "retinue").mkdir()
    usual = [home.user / "retinue" / "config.json", home.here / "config.json"]
    named, given = tmp_path / "named.json", tmp_path / "given.json"
    for path in (*usual, named, given):
        path.write_text("{}")
    assert load(given).path == given
    assert load().path == usual[0]
    assert load(variables={"RETINUE_CONFIG": str(named)}).path == named
    usual[0].unlink()
    assert load().path == usual[1]


def test_handwritten_files_lie_beside_the_users_config_the_rest_among_data(home: Home) -> None:
    config, kept = home.user / "etc" / "retinue", home.user / "share" / "retinue"
    home.environment.setenv("XDG_CONFIG_HOME", str(config.parent))
    home.environment.setenv("XDG_DATA_HOME", str(kept.parent))
    for _ in range(2):  # without the file, and with it: both are the same bot
        loaded = load().config
        assert (loaded.data_dir, loaded.workspace) == (kept / "data", kept / "workspace")
        assert (loaded.swarm.roles_dir, loaded.swarm.groups_dir) == (config / "roles", config / "groups")
        config.mkdir(parents=True, exist_ok=True)
        (config / "config.json").write_text("{}")
    (config / "data").mkdir()
    (kept / "roles").mkdir(parents=True)
    loaded = load().config
    assert loaded.data_dir == config / "data", "an earlier version has made it there"
    assert loaded.swarm.roles_dir == kept / "roles", "an earlier version has looked there"


def test_the_first_line_names_config_workspace_and_skipped_files(home: Home) -> None:
    home.config({})
    [line] = describe_config_and_workspace(load())
    assert line == texts.WHEREABOUTS(config=home.here / "config.json", workspace=home.here / "workspace")
    users = home.user / "retinue" / "config.json"
    users.parent.mkdir()
    users.write_text("{}")
    _, line = describe_config_and_workspace(load())
    assert line == texts.CONFIG_PASSED_OVER(ignored=home.here / "config.json", path=users, name="config.json")
    assert len([*describe_config_and_workspace(load(home.here / "config.json"))]) == 1


def test_command_line_beats_environment_beats_secrets_beats_file(home: Home) -> None:
    home.config({"model": {"lead": "of the file", "roles": "of the file", "api_key": "of the file"}})
    home.secret("model__lead", "of a secret")
    home.secret("model__roles", "of a secret")
    home.environment.setenv("RETINUE_MODEL__LEAD", "of the environment")
    model = load().config.model
    assert (model.lead, model.roles) == ("of the environment", "of a secret")
    assert load(overrides={"model": {"lead": "of the command line"}}).config.model.lead == "of the command line"
    assert model.api_key
    assert model.api_key.get_secret_value() == "of the file"


@pytest.mark.parametrize(
    ("variable", "key"),
    [("ANTHROPIC_API_KEY", "model"), ("TELEGRAM_BOT_TOKEN", "telegram"), ("DISCORD_BOT_TOKEN", "discord")],
)
def test_keys_are_found_under_the_names_that_everybody_uses(home: Home, variable: str, key: str) -> None:
    home.environment.setenv(variable, SECRET)
    config = load().config
    secrets = {
        "model": config.model.api_key,
        "telegram": config.channels.telegram.token,
        "discord": config.channels.discord.token,
    }
    assert [name for name, secret in secrets.items() if secret and secret.get_secret_value() == SECRET] == [key]


def test_voices_come_from_every_layer(home: Home) -> None:
    home.config({"channels": {"telegram": {"voices": {"writer": "1:a"}}}})
    home.environment.setenv("RETINUE_CHANNELS__TELEGRAM__VOICES__CODER", "2:b")
    home.secret("channels__telegram__voices__analyst", "3:c")
    voices = load().config.channels.telegram.voices
    assert {role: token.get_secret_value() for role, token in voices.items()} == {
        "writer": "1:a",
        "coder": "2:b",
        "analyst": "3:c",
    }


def test_our_own_name_for_a_key_wins_over_everybodys(home: Home) -> None:
    variables = {"ANTHROPIC_API_KEY": "theirs", "RETINUE_MODEL__API_KEY": "ours"}
    api_key = load(variables=variables).config.model.api_key
    assert api_key
    assert api_key.get_secret_value() == "ours"


def test_lists_and_roles_are_json_in_a_variable(home: Home) -> None:
    home.config({"swarm": {"roles": {"coder": {"description": "Writes code."}}}})
    home.environment.setenv("RETINUE_CHANNELS__TELEGRAM__ALLOW_FROM", "[1, -2]")
    home.environment.setenv("RETINUE_CHANNELS__DISCORD__ALLOW_FROM", "*")
    home.environment.setenv("RETINUE_SWARM__ROLES__CODER__TOOLS", '["read_file"]')
    config = load().config
    assert config.channels.telegram.allow_from == (1, -2)
    assert config.channels.discord.allow_from == "*"
    coder = config.swarm.roles["coder"]
    assert (coder.tools, coder.description, coder.system_prompt) == (("read_file",), "Writes code.", None)


def test_an_empty_variable_says_nothing(home: Home) -> None:
    variables = {"ANTHROPIC_API_KEY": "", "RETINUE_BUSY": "", "RETINUE_CONFIG": "", "CREDENTIALS_DIRECTORY": ""}
    config = load(variables=variables).config
    assert config.model.api_key is None
    assert config.busy == "steer"


def test_a_key_of_the_web_does_not_switch_on_what_false_has_switched_off(home: Home) -> None:
    home.config({"web": False})
    home.secret("web__api_key")
    web = load().config.web
    assert (web.enabled, bool(web.api_key)) == (False, True)
    assert load(overrides={"web": True}).config.web.enabled
    assert not load(variables={"RETINUE_WEB": "false"}).config.web.enabled


def test_the_services_credentials_win_over_the_secrets_folder(home: Home) -> None:
    home.config({})
    home.secret("model__api_key", "of the folder")
    home.secret("model__api_key", "of the service\n", folder="credentials", mode=0o440)
    api_key = load(variables={"CREDENTIALS_DIRECTORY": str(home.here / "credentials")}).config.model.api_key
    assert api_key
    assert api_key.get_secret_value() == "of the service"


def test_hidden_files_and_folders_among_the_secrets_are_left_alone(home: Home) -> None:
    home.config({})
    home.secret(".gitkeep", "", mode=0o644)
    (home.here / "secrets" / "old").mkdir()
    assert load().config.model.api_key is None


def test_a_file_may_name_its_schema_and_begin_with_a_mark(home: Home) -> None:
    home.config(text='\ufeff{"$schema": "config.schema.json", "busy": "queue"}')
    assert load().config.busy == "queue"


def test_settings_cannot_be_changed(home: Home) -> None:
    config = load().config
    with pytest.raises(ValidationError, match="frozen"):
        config.model.lead = "another"  # type: ignore[misc]  # what must not work


def test_the_example_has_every_default_and_two_presets_of_roles() -> None:
    example = json.loads(EXAMPLE.read_text())
    assert example["swarm"].pop("roles").keys() == {"researcher", "writer"}
    usual = json.loads(Config().model_dump_json(by_alias=True))
    assert usual["swarm"].pop("roles") == {}
    assert example == usual


def test_the_example_can_be_used_as_it_stands(home: Home) -> None:
    home.config(text=EXAMPLE.read_text())
    loaded = load()
    roles = load_roles(loaded.config, loaded.config_file_named_in_errors)
    for name, preset in json.loads(EXAMPLE.read_text())["swarm"]["roles"].items():
        assert own_text(roles[RoleName(name)].prompt) == preset["system_prompt"]
        assert roles[RoleName(name)].tools == frozenset(preset["tools"])
    swarm = loaded.config.swarm.model_copy(update={"roles": {}})
    home.config({})
    assert loaded.config.model_copy(update={"swarm": swarm}) == load().config


def test_config_shows_what_is_in_effect_and_hides_secrets(home: Home) -> None:
    path = home.config({"busy": "queue", "model": {"api_key": SECRET}})
    home.environment.setenv("TELEGRAM_BOT_TOKEN", SECRET)
    said = home.retinue("config")
    shown = json.loads(said.out)
    assert said.status == 0
    origin = texts.SETTING_FROM(key="channels.telegram.token", origin="TELEGRAM_BOT_TOKEN")
    assert said.err.splitlines() == [texts.SETTINGS_FROM_FILE(path=path), origin]
    assert shown["busy"] == "queue"
    assert shown["data_dir"] == str(home.here / "data")
    assert shown["model"]["api_key"] == shown["channels"]["telegram"]["token"] == "**********"
    assert SECRET not in said.out


def test_config_prints_a_schema_for_editors(home: Home) -> None:
    schema = json.loads(home.retinue("config", "--schema").out)
    assert {"$schema", "model", "swarm", "limits", "channels"} <= schema["properties"].keys()
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000"),
        ("https://models.example.org/claude/v1/", "https://models.example.org/claude"),
        ("https://models.example.org/claude/", "https://models.example.org/claude/"),
        ("https://models.example.org/v12", "https://models.example.org/v12"),
        ("http://v1", "http://v1"),
    ],
)
def test_the_version_at_the_end_of_a_models_address_is_left_out(home: Home, written: str, meant: str) -> None:
    home.config({"model": {"base_url": written}, "channels": {"discord": {"base_url": "https://discord.test/api/v1"}}})
    config = load().config
    assert (config.model.base_url, config.channels.discord.base_url) == (meant, "https://discord.test/api/v1")


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("http://a:8081", "http://a:8081/bot"),
        ("http://a:8081/", "http://a:8081/bot"),
        ("http://a/api", "http://a/api/bot"),
        ("http://a/bot", "http://a/bot"),
        ("http://a/bot{token}/test", "http://a/bot{token}/test"),
    ],
)
def test_the_address_of_telegram_ends_as_its_library_wants_it(given: str, used: str) -> None:
    config = Config.model_validate({"channels": {"telegram": {"base_url": given}}})
    assert config.channels.telegram.base_url == used
