"""What a tenant's settings must be before a tenant is made of them."""

from pathlib import Path
from typing import Any

import pytest

from bot.core.errors import ConfigError
from bot.tenants import making_texts as texts
from bot.tenants.commands.tenant_input import read_prepared_roles
from bot.tenants.creation import DEFAULT_SWARM_SECTION
from bot.tenants.secret_names import describe_secret_names
from channels.discord import operator_texts as discord_texts
from channels.telegram import operator_texts as telegram_texts
from tests.support.wording import like
from tests.tenants.papers import DISCORD, KEY, PNG, TELEGRAM, blueprint, telegram

HERE = Path("/srv/retinue/acme")
TOKEN = "channels__telegram__token"
BOTH = {TOKEN: TELEGRAM, "model__api_key": KEY}
SECRETS = describe_secret_names()
VOICES = "channels__telegram__voices__"


@pytest.mark.parametrize(
    ("values", "secrets", "says"),
    [
        ({}, BOTH, texts.NO_CHANNEL(keys="channels.telegram.enabled or channels.discord.enabled")),
        (telegram(), {"model__api_key": KEY}, texts.NO_TOKEN(channel="telegram")),
        (telegram(), {"channels__telegram__token": TELEGRAM}, texts.NO_MODEL_KEY),
        (telegram(owner=None), BOTH, texts.OPEN_TO_NOBODY(channel="telegram")),
        (telegram(allow_from="*"), BOTH, texts.OPEN_TO_EVERYBODY(channel="telegram")),
        (telegram(owner="seven"), BOTH, "channels.telegram.owner"),
        (telegram(ownr=7), BOTH, "channels.telegram.owner"),
        (telegram() | {"data_dir": "/var/lib/elsewhere"}, BOTH, texts.FOLDER_ELSEWHERE(key="data_dir", name="data")),
        (
            telegram() | {"workspace": "../zeta/workspace"},
            BOTH,
            texts.FOLDER_ELSEWHERE(key="workspace", name="workspace"),
        ),
        (
            telegram() | {"swarm": {"roles_dir": "/etc"}},
            BOTH,
            texts.FOLDER_ELSEWHERE(key="swarm.roles_dir", name="roles"),
        ),
        (
            telegram() | {"swarm": {"groups_dir": "/etc"}},
            BOTH,
            texts.FOLDER_ELSEWHERE(key="swarm.groups_dir", name="groups"),
        ),
        (telegram() | {"secrets_dir": "secrets"}, BOTH, texts.SECRETS_DIR_SET),
        (telegram() | {"limits": {"day_usd": -1}}, BOTH, "limits.day_usd"),
        (telegram() | {"limits": {"day_usd": 1e300}}, BOTH, "limits.day_usd"),
        (telegram() | {"time_zone": "Mars/Olympus"}, BOTH, "time_zone"),
        (telegram(), BOTH | {TOKEN: f"{TELEGRAM}\n{TELEGRAM}"}, texts.SECRET_WITH_SPACES(name=TOKEN)),
        (telegram(), BOTH | {TOKEN: f'"{TELEGRAM}"'}, texts.SECRET_WITH_SPACES(name=TOKEN)),
        (telegram(), BOTH | {TOKEN: "  "}, texts.SECRET_EMPTY(name=TOKEN)),
        (telegram(), BOTH | {TOKEN: DISCORD}, telegram_texts.TOKEN_NAMES_NO_BOT),
        (telegram(), BOTH | {"channels__discord__token": TELEGRAM}, discord_texts.TOKEN_NAMES_NO_BOT),
        (telegram(), BOTH | {f"{VOICES}writer": DISCORD}, telegram_texts.VOICE_TOKEN_FORM),
        (telegram(), BOTH | {f"{VOICES}writer": TELEGRAM}, telegram_texts.VOICE_TWICE),
        (telegram(), BOTH | {"model__key": KEY}, texts.NO_SUCH_SECRET(name="model__key", secrets=SECRETS)),
        (telegram(), BOTH | {"../../evil": KEY}, texts.NO_SUCH_SECRET(name="../../evil", secrets=SECRETS)),
    ],
)
def test_settings_that_no_bot_can_start_with_are_refused(
    values: dict[str, Any], secrets: dict[str, str], says: str
) -> None:
    with pytest.raises(ConfigError) as refusal:
        blueprint(config_values=values, secrets=secrets).build_checked_config(HERE)
    assert says in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert not [secret for secret in (TELEGRAM, DISCORD, KEY) if secret in str(refusal.value)]


def test_tokens_of_voices_leave_the_config_and_become_secrets_of_their_own() -> None:
    odd = blueprint(config_values=telegram(voices={"My writer": "9:of-it"}))
    odd.move_secrets_out_of_values()
    with pytest.raises(ConfigError, match=like(texts.NO_SUCH_SECRET, name=f"{VOICES}my writer", secrets=SECRETS)):
        odd.build_checked_config(HERE)
    made = blueprint(config_values=telegram(voices={"Writer": "9:of-it"}))
    made.move_secrets_out_of_values()
    assert made.config_values["channels"]["telegram"]["voices"] == {}
    assert made.secrets[f"{VOICES}writer"] == "9:of-it"
    voices = made.build_checked_config(HERE).channels.telegram.voices
    assert {role: token.get_secret_value() for role, token in voices.items()} == {"writer": "9:of-it"}


@pytest.mark.parametrize("settings", [{"owner": 7}, {"owner": None, "allow_from": [8]}])
def test_an_owner_or_somebody_who_is_allowed_is_enough(settings: dict[str, Any]) -> None:
    assert blueprint(config_values=telegram(**settings)).build_checked_config(HERE).channels.telegram.enabled


def test_everybody_is_let_in_if_that_is_said_out_loud() -> None:
    plan = blueprint(config_values=telegram(allow_from="*"), is_public=True)
    assert plan.build_checked_config(HERE).channels.telegram.allow_from == "*"


def test_the_swarm_section_stands_there_for_the_operator_to_find() -> None:
    plan = blueprint(config_values=telegram() | {"swarm": {"max_depth": 2}})
    plan.add_default_swarm_section()
    assert plan.config_values["swarm"] == DEFAULT_SWARM_SECTION | {"max_depth": 2}
    assert plan.build_checked_config(HERE).swarm.max_depth == 2


def test_a_folder_of_role_files_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "cook.md").write_text("You cook.")
    (tmp_path / ".hidden.md").write_text("not this")
    (tmp_path / "notes.txt").write_text("nor this")
    pictures = {"cook.PNG": PNG, "waiter.jpg": b"\xff\xd8\xff", "guest.jpeg": b"\xff\xd8\xff", "wink.gif": b"GIF89a"}
    for name, content in pictures.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / ".hidden.png").write_bytes(PNG)
    assert read_prepared_roles(tmp_path) == {"cook.md": "You cook.", **pictures}


def test_a_folder_without_role_files_is_refused(tmp_path: Path) -> None:
    none = tmp_path / "none"
    (tmp_path / "cook.png").write_bytes(PNG)
    for folder, text in ((tmp_path, like(texts.NO_ROLES, folder=tmp_path)), (none, like(texts.CANNOT_READ, path=none))):
        with pytest.raises(ConfigError, match=text):
            read_prepared_roles(folder)
    (tmp_path / "folder.md").mkdir()
    with pytest.raises(ConfigError, match=like(texts.ROLE_NO_FILE, path=tmp_path / "folder.md")):
        read_prepared_roles(tmp_path)
    (tmp_path / "folder.md").rmdir()
    (tmp_path / "binary.md").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match=like(texts.ROLE_NOT_TEXT, folder=tmp_path)):
        read_prepared_roles(tmp_path)
