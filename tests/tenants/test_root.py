"""The folder of all tenants: one that is broken stops nobody else, and no two get the same number."""

import json
import os
import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from bot.core.errors import ConfigError
from bot.tenants import making_texts as texts
from bot.tenants.creation import make_tenant
from bot.tenants.root import FIRST_UID, LAST_UID, UIDS_FILE, TenantsRoot
from bot.tenants.tenant import RECORD_FILE
from tests.support.users import as_nobody
from tests.support.wording import like
from tests.tenants.papers import KEY, Paper, blueprint, content

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="each tenant gets a user of its own, which takes root")
TOKEN = "channels__telegram__token"
OTHER = {TOKEN: "77:token-of-another", "model__api_key": KEY}


@pytest.fixture
def root(tmp_path: Path) -> TenantsRoot:
    return TenantsRoot(tmp_path / "srv")


@pytest.mark.parametrize("config", ["{", "[]", '{"channels": {"telegram": {"enabld": true}}}', None])
def test_anothers_broken_config_is_no_hindrance_and_keeps_its_bot(root: TenantsRoot, config: str | None) -> None:
    acme, _ = make_tenant(root, blueprint(), Paper(), content)
    (acme.folder / "config.json").unlink()
    if config is not None:
        (acme.folder / "config.json").write_text(config)
    with pytest.raises(ConfigError, match=like(texts.BOT_OF_ANOTHER_TENANT, name="acme")):
        make_tenant(root, blueprint("zeta"), Paper(), content)
    assert make_tenant(root, blueprint("zeta", secrets=OTHER), Paper(), content)[0].uid == acme.uid + 1


def test_of_a_tenant_that_is_not_there_it_is_told_which_are(root: TenantsRoot) -> None:
    told = {
        "acme": texts.NO_SUCH_TENANT(name="acme", root=root.path),
        "zeta": texts.NO_SUCH_TENANT_BUT_ONE(name="zeta", root=root.path, other="acme"),
        "iota": texts.NO_SUCH_TENANT_BUT_OTHERS(name="iota", root=root.path, others="acme, zeta"),
    }
    for name, text in told.items():
        with pytest.raises(ConfigError) as raised:
            root.read_tenant(name)
        assert str(raised.value) == text
        make_tenant(root, blueprint(name, secrets={**OTHER, TOKEN: f"{len(text)}:token-of-{name}"}), Paper(), content)


@pytest.mark.parametrize("record", ["", "[]", "{}", '{"name": "acme", "uid": "50000"}'])
def test_anothers_broken_record_is_no_hindrance_and_keeps_its_number(root: TenantsRoot, record: str) -> None:
    acme, _ = make_tenant(root, blueprint(), Paper(), content)
    (acme.folder / RECORD_FILE).write_text(record)
    (root.path / UIDS_FILE).unlink()
    assert make_tenant(root, blueprint("zeta", secrets=OTHER), Paper(), content)[0].uid == acme.uid + 1
    with pytest.raises(ConfigError, match=re.escape(texts.NO_RECORD(path=acme.folder / RECORD_FILE))):
        root.read_tenant("acme")


@pytest.mark.parametrize("uid", [0, -1, True, "50000", None])
def test_a_record_with_a_number_that_is_nobodys_is_refused(root: TenantsRoot, uid: object) -> None:
    """As root's, its files would be root's."""
    acme, _ = make_tenant(root, blueprint(), Paper(), content)
    (acme.folder / RECORD_FILE).write_text(json.dumps({**json.loads(acme.to_json()), "uid": uid}))
    with pytest.raises(ConfigError, match=re.escape(texts.NO_RECORD(path=acme.folder / RECORD_FILE))):
        root.read_tenant("acme")


def test_a_copy_of_a_folder_is_no_tenant(root: TenantsRoot) -> None:
    acme, _ = make_tenant(root, blueprint(), Paper(), content)
    shutil.copytree(acme.folder, root.path / "zeta")
    with pytest.raises(ConfigError, match=like(texts.RECORD_OF_ANOTHER, name="acme")):
        root.read_tenant("zeta")
    assert root.read_tenant("acme") == acme


@pytest.mark.parametrize("number", ["0", "-5", "11", "true"])
def test_no_number_is_given_that_belongs_to_the_machine(root: TenantsRoot, number: str) -> None:
    root.path.mkdir()
    (root.path / UIDS_FILE).write_text(f'{{"next": {number}}}')
    assert root.next_uid() == FIRST_UID


@pytest.mark.parametrize("text", ["", "[]", '{"next": null}', '{"next": Infinity}', '{"next": NaN}'])
def test_a_broken_list_of_numbers_is_told(root: TenantsRoot, text: str) -> None:
    root.path.mkdir()
    (root.path / UIDS_FILE).write_text(text)
    with pytest.raises(ConfigError, match=re.escape(texts.UIDS_BROKEN(path=root.path / UIDS_FILE))):
        root.next_uid()


def test_a_lack_of_free_uids_is_told(root: TenantsRoot) -> None:
    root.path.mkdir()
    root.mark_uid_as_used(LAST_UID)
    with pytest.raises(ConfigError, match=like(texts.UIDS_USED_UP)):
        root.next_uid()


@pytest.mark.parametrize("mask", [0, 0o022, 0o077])
def test_the_folder_of_all_lets_everybody_in_and_nobody_else_write(tmp_path: Path, mask: int) -> None:
    root, old = TenantsRoot(tmp_path / "deep" / "er" / "srv"), os.umask(mask)
    try:
        make_tenant(root, blueprint(), Paper(), content)
    finally:
        os.umask(old)
    made = [root.path, root.path.parent, root.path.parent.parent]
    assert [path.stat().st_mode & 0o7777 for path in made] == [0o755] * 3


@pytest.mark.parametrize("written", ["link", "real/../real"])
def test_a_tenants_folder_has_one_name(tmp_path: Path, written: str) -> None:
    """systemd mounts nothing by a path with a link or with two dots in it."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    tenant, _ = make_tenant(TenantsRoot(tmp_path / written), blueprint(), Paper(), content)
    assert tenant.folder == tmp_path / "real" / "acme"


def test_an_unreadable_tenants_folder_is_told() -> None:
    with TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        root = TenantsRoot(Path(folder))
        (root.path / "acme").mkdir(mode=0o000)
        for ask in (lambda: root.has_tenant("acme"), root.tenant_folders):
            with (
                as_nobody(),
                pytest.raises(ConfigError, match=like(texts.TENANT_UNREADABLE, folder=root.path / "acme")),
            ):
                ask()
