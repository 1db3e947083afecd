"""A new secret for a tenant: its form, whose bot it is, and the old one back where the bot is not well with the new."""

import os
import re
from pathlib import Path

import pytest

from bot.config import Config
from bot.core.errors import ConfigError
from bot.tenants import making_texts, texts
from bot.tenants.creation import make_tenant
from bot.tenants.secret_rotation import rotate_secret, secret_file_name
from channels.telegram import operator_texts as telegram_texts
from tests.support.wording import like
from tests.tenants.dolls import Dolls, state_of
from tests.tenants.nursery import Nursery
from tests.tenants.papers import DISCORD, KEY, TELEGRAM, blueprint, content

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="each tenant gets a user of its own, which takes root")
KEY_FILE, TOKEN_FILE = "model__api_key", "channels__telegram__token"
SAME_BOT, OTHER_BOT = "4242:AAHa-new-token-of-this-bot", "4343:AAHa-token-of-another"


@pytest.fixture
def nursery(tmp_path: Path) -> Nursery:
    return Nursery(tmp_path / "srv")


def secret(nursery: Nursery, name: str = KEY_FILE) -> str:
    return (nursery.tenant.folder / "secrets" / name).read_text()


def fine(config: Config) -> bool:
    return True


def given(nursery: Nursery, name: str, value: str, *, is_new_bot: bool = False) -> bool:
    return rotate_secret(nursery.deployment(), name, value, fine, is_new_bot=is_new_bot)


def test_the_bot_is_restarted_with_the_new_secret(nursery: Nursery) -> None:
    assert given(nursery, KEY_FILE, " sk-ant-new \n")
    path = nursery.tenant.folder / "secrets" / KEY_FILE
    known = path.stat()
    assert path.read_text() == "sk-ant-new\n"
    assert (known.st_uid, known.st_gid, known.st_mode & 0o777) == (nursery.tenant.uid, nursery.tenant.uid, 0o600)
    steps = [like(texts.STOPPING, name="acme"), texts.STARTING(name="acme"), like(texts.WELL, name="acme")]
    assert re.search(".*".join(steps), nursery.said, re.DOTALL)


def test_the_old_one_is_put_back_where_the_bot_is_not_well_with_it(nursery: Nursery) -> None:
    assert not given(nursery, KEY_FILE, "sk-ant-bad")
    assert secret(nursery) == KEY + "\n"
    assert state_of(nursery.tenant) == "running by 1"
    assert texts.PUTTING_OLD_SECRET_BACK in nursery.told


def test_a_stopped_bot_is_not_started(nursery: Nursery) -> None:
    (nursery.tenant.folder / "data/state").write_text("")
    assert given(nursery, TOKEN_FILE, SAME_BOT)
    assert secret(nursery, TOKEN_FILE) == SAME_BOT + "\n"
    assert texts.READ_AT_NEXT_START(name="acme") in nursery.told
    assert state_of(nursery.tenant) == ""


def test_the_token_of_a_voice_is_rotated_like_any_other(nursery: Nursery) -> None:
    voice = "channels.telegram.voices.writer"
    assert given(nursery, secret_file_name(voice), "88:of-it")
    assert "channels__telegram__voices__writer" in (nursery.tenant.folder / "paper.txt").read_text()
    with pytest.raises(ConfigError, match=like(texts.TOKEN_OF_ANOTHER_BOT, new="99", old="88")):
        given(nursery, secret_file_name(voice), "99:of-another")
    assert secret(nursery, secret_file_name(voice)) == "88:of-it\n"


def test_one_that_was_not_there_is_named_in_what_runs_it(nursery: Nursery) -> None:
    assert given(nursery, "channels__discord__token", DISCORD)
    assert "channels__discord__token" in (nursery.tenant.folder / "paper.txt").read_text()


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        (KEY_FILE, "  ", making_texts.SECRET_EMPTY(name=KEY_FILE)),
        (KEY_FILE, "two words", making_texts.SECRET_WITH_SPACES(name=KEY_FILE)),
        (TOKEN_FILE, "letters", telegram_texts.TOKEN_NAMES_NO_BOT),
        (TOKEN_FILE, OTHER_BOT, texts.TOKEN_OF_ANOTHER_BOT(new="4343", old="4242")),
    ],
)
def test_a_wrong_secret_is_told_and_nothing_is_touched(nursery: Nursery, name: str, value: str, said: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(said)):
        given(nursery, name, value)
    assert (secret(nursery), secret(nursery, TOKEN_FILE)) == (KEY + "\n", TELEGRAM + "\n")
    assert nursery.told == []


def test_another_bot_is_taken_when_that_is_said(nursery: Nursery) -> None:
    assert given(nursery, TOKEN_FILE, OTHER_BOT, is_new_bot=True)
    assert secret(nursery, TOKEN_FILE) == OTHER_BOT + "\n"


def test_the_bot_of_another_tenant_is_never_taken(nursery: Nursery) -> None:
    secrets = {TOKEN_FILE: OTHER_BOT, KEY_FILE: KEY}
    make_tenant(nursery.root, blueprint("zeta", secrets=secrets), Dolls(), content)
    with pytest.raises(ConfigError, match=like(making_texts.BOT_OF_ANOTHER_TENANT, name="zeta")):
        given(nursery, TOKEN_FILE, OTHER_BOT, is_new_bot=True)


def test_one_that_is_refused_where_it_is_for_changes_nothing(nursery: Nursery) -> None:
    with pytest.raises(ConfigError, match=texts.CHECK_FAILED):
        rotate_secret(nursery.deployment(), KEY_FILE, "sk-ant-new", lambda _: False)
    assert secret(nursery) == KEY + "\n"


def test_a_link_in_the_tenants_folder_is_not_followed(nursery: Nursery, tmp_path: Path) -> None:
    path = nursery.tenant.folder / "secrets" / KEY_FILE
    (tmp_path / "shadow").write_text("the machine's own")
    path.unlink()
    path.symlink_to(tmp_path / "shadow")
    with pytest.raises(ConfigError, match=like(texts.CANNOT_READ, path=path)):
        given(nursery, TOKEN_FILE, SAME_BOT)
    assert (tmp_path / "shadow").read_text() == "the machine's own"


def test_a_key_is_named_as_in_the_config_or_as_its_file_is() -> None:
    assert secret_file_name("channels.telegram.token") == secret_file_name(TOKEN_FILE) == TOKEN_FILE
    with pytest.raises(ConfigError, match="channels__discord__token, channels__telegram__token"):
        secret_file_name("limits.day_usd")
