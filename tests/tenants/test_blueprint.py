"""What a tenant's settings must be before a tenant is made of them."""

from pathlib import Path
from typing import Any

import pytest

from bot.errors import ConfigError
from bot.tenants.blueprint import SWARM, role_files
from tests.tenants.papers import DISCORD, KEY, TELEGRAM, blueprint, telegram

HERE = Path("/srv/retinue/acme")
BOTH = {"channels__telegram__token": TELEGRAM, "model__api_key": KEY}


@pytest.mark.parametrize(
    ("values", "secrets", "says"),
    [
        ({}, BOTH, "no channel is enabled"),
        (telegram(), {"model__api_key": KEY}, "give the secret channels__telegram__token"),
        (telegram(), {"channels__telegram__token": TELEGRAM}, "give the secret model__api_key"),
        (telegram(owner=None), BOTH, "nobody could talk to it"),
        (telegram(allow_from="*"), BOTH, "say --public"),
        (telegram(owner="seven"), BOTH, "must be a whole number"),
        (telegram(ownr=7), BOTH, "nearest is channels.telegram.owner"),
        (telegram() | {"data_dir": "/var/lib/elsewhere"}, BOTH, "data_dir must be 'data'"),
        (telegram() | {"workspace": "../zeta/workspace"}, BOTH, "workspace must be"),
        (telegram() | {"swarm": {"roles_dir": "/etc"}}, BOTH, "swarm.roles_dir must be"),
        (telegram() | {"swarm": {"groups_dir": "/etc"}}, BOTH, "swarm.groups_dir must be"),
        (telegram() | {"secrets_dir": "secrets"}, BOTH, "secrets_dir must not be set"),
        (telegram() | {"limits": {"day_usd": -1}}, BOTH, "limits.day_usd"),
        (telegram() | {"limits": {"day_usd": 1e300}}, BOTH, "limits.day_usd"),
        (telegram() | {"time_zone": "Mars/Olympus"}, BOTH, "no time zone"),
        (telegram(), BOTH | {"channels__telegram__token": f"{TELEGRAM}\n{TELEGRAM}"}, "a line break"),
        (telegram(), BOTH | {"channels__telegram__token": f'"{TELEGRAM}"'}, "a quote"),
        (telegram(), BOTH | {"channels__telegram__token": "  "}, "is empty"),
        (telegram(), BOTH | {"channels__telegram__token": DISCORD}, "another form"),
        (telegram(), BOTH | {"channels__discord__token": TELEGRAM}, "another form"),
        (telegram(), BOTH | {"model__key": KEY}, "is no secret of a tenant"),
        (telegram(), BOTH | {"../../evil": KEY}, "is no secret of a tenant"),
    ],
)
def test_what_no_bot_could_start_with_is_refused(values: dict[str, Any], secrets: dict[str, str], says: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        blueprint(values=values, secrets=secrets).config(HERE)
    assert says in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert not [secret for secret in (TELEGRAM, DISCORD, KEY) if secret in str(refusal.value)]


@pytest.mark.parametrize("settings", [{"owner": 7}, {"owner": None, "allow_from": [8]}])
def test_an_owner_or_somebody_who_is_allowed_is_enough(settings: dict[str, Any]) -> None:
    assert blueprint(values=telegram(**settings)).config(HERE).channels.telegram.enabled


def test_everybody_is_let_in_if_that_is_said_out_loud() -> None:
    assert blueprint(values=telegram(allow_from="*"), is_public=True).config(HERE).channels.telegram.allow_from == "*"


def test_the_swarm_section_stands_there_for_the_operator_to_find() -> None:
    plan = blueprint(values=telegram() | {"swarm": {"max_depth": 2}})
    plan.complete()
    assert plan.values["swarm"] == SWARM | {"max_depth": 2}
    assert plan.config(HERE).swarm.max_depth == 2


def test_a_folder_of_role_files_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "cook.md").write_text("You cook.")
    (tmp_path / ".hidden.md").write_text("not this")
    (tmp_path / "notes.txt").write_text("nor this")
    assert role_files(tmp_path) == {"cook.md": "You cook."}


def test_a_folder_without_role_files_is_refused(tmp_path: Path) -> None:
    for folder, says in ((tmp_path, "there are no role files"), (tmp_path / "none", "cannot be read")):
        with pytest.raises(ConfigError, match=says):
            role_files(folder)
    (tmp_path / "folder.md").mkdir()
    with pytest.raises(ConfigError, match="a role file is a file"):
        role_files(tmp_path)
    (tmp_path / "folder.md").rmdir()
    (tmp_path / "binary.md").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="not UTF-8"):
        role_files(tmp_path)
