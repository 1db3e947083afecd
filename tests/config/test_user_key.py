"""The secret of an installation: one for ever, and never half of one."""

from pathlib import Path

import pytest

from bot.assembly import USER_HASH_KEY_BYTES, load_or_create_user_hash_key
from bot.core.errors import ConfigError


def test_it_is_made_once_for_its_owner_alone_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    key = load_or_create_user_hash_key(tmp_path)
    assert len(key) == USER_HASH_KEY_BYTES
    assert load_or_create_user_hash_key(tmp_path) == key == (tmp_path / "user_key").read_bytes()
    assert (tmp_path / "user_key").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["user_key"]


@pytest.mark.parametrize("left", [b"", b"half of it"])
def test_a_half_written_key_is_made_again(tmp_path: Path, left: bytes) -> None:
    (tmp_path / "user_key").write_bytes(left)
    key = load_or_create_user_hash_key(tmp_path)
    assert len(key) == USER_HASH_KEY_BYTES
    assert load_or_create_user_hash_key(tmp_path) == key


def test_an_unstorable_key_names_the_folder(tmp_path: Path) -> None:
    (tmp_path / "user_key").mkdir()
    with pytest.raises(ConfigError, match=r"^data_dir: cannot use .*user_key: Is a directory$"):
        load_or_create_user_hash_key(tmp_path)
