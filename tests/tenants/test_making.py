"""A tenant's folder: what lies in it and whose it is, who is refused, and that it is there whole or not at all."""

import json
import os
import re
import resource
import shutil
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.cli.roles import load_delegation_rules
from bot.config import load
from bot.core.errors import ConfigError
from bot.core.texts import Text
from bot.tenants import making_texts
from bot.tenants.creation import make_tenant, refresh_files_and_owners
from bot.tenants.root import FIRST_UID, UNFINISHED_PREFIX, TenantsRoot
from bot.tenants.tenant import read_tenant_record
from tests.support.backup_bot import apart
from tests.support.wording import like, says
from tests.tenants.papers import (
    COOK,
    DISCORD,
    KEY,
    PNG,
    TELEGRAM,
    Paper,
    blueprint,
    content,
    discontent,
    telegram,
    tenants_in,
)

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="each tenant gets a user of its own, which takes root")


@pytest.fixture
def root(tmp_path: Path) -> TenantsRoot:
    return TenantsRoot(tmp_path / "srv")


def lying_in(folder: Path) -> dict[str, str]:
    """Mode and owners of all that lies there."""
    paths = [folder, *sorted(folder.rglob("*"))]
    stats = {str(path.relative_to(folder)): path.stat() for path in paths}
    return {name: f"{found.st_mode & 0o7777:o} {found.st_uid}:{found.st_gid}" for name, found in stats.items()}


def on_a_disk_full_from(nth: int, folder: Path, work: Callable[[], object]) -> None:
    """Do something in a process of its own, where new files below a folder have room before that one only."""
    seen = 0

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal seen
        if (
            event == "open"
            and (arguments[2] or 0) & os.O_EXCL
            and Path(os.fsdecode(arguments[0])).is_relative_to(folder)
        ):
            seen += 1
            if seen == nth:
                resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    def watched() -> None:
        sys.addaudithook(watch)
        work()

    assert apart(watched) == 0


def names_in(root: TenantsRoot) -> set[str]:
    return {path.name for path in root.path.iterdir()} - {".lock", "uids.json"}


@needs_root
def test_a_tenant_reads_its_operators_files_and_owns_the_rest(root: TenantsRoot) -> None:
    old = os.umask(0)
    try:
        tenant, verdicts = make_tenant(
            root, blueprint(role_files={"cook.md": COOK, "cook.png": PNG}), Paper(), load_delegation_rules
        )
    finally:
        os.umask(old)
    mine, theirs = f"0:{tenant.uid}", f"{tenant.uid}:{tenant.uid}"
    assert lying_in(tenant.folder) == {
        ".": f"750 {mine}",
        "config.json": f"640 {mine}",
        "data": f"700 {theirs}",
        "groups": f"750 {mine}",
        "paper.txt": f"640 {mine}",
        "roles": f"750 {mine}",
        "roles/cook.md": f"640 {mine}",
        "roles/cook.png": f"640 {mine}",
        "secrets": f"750 {mine}",
        "secrets/channels__telegram__token": f"600 {theirs}",
        "secrets/model__api_key": f"600 {theirs}",
        "tenant.json": f"640 {mine}",
        "workspace": f"700 {theirs}",
    }
    assert (tenant.folder / "roles/cook.png").read_bytes() == PNG
    assert tenant.uid == FIRST_UID
    assert read_tenant_record(tenant.folder) == tenant
    assert [verdict.is_good for verdict in verdicts] == [True]


def test_for_a_cluster_all_is_the_operators_alone(root: TenantsRoot) -> None:
    tenant, _ = make_tenant(root, blueprint(target="kubernetes"), Paper(), content)
    me = f"{os.geteuid()}:{os.getegid()}"
    found = lying_in(tenant.folder)
    assert {found[name] for name in ("config.json", "tenant.json", "paper.txt")} == {f"600 {me}"}
    assert {found[name] for name in (".", "data", "secrets", "roles")} == {f"700 {me}"}


@needs_root
def test_a_bot_reads_the_written_settings(root: TenantsRoot) -> None:
    tenant, _ = make_tenant(
        root, blueprint(config_values=telegram(token=TELEGRAM) | {"time_zone": "Europe/Berlin"}), Paper(), content
    )
    config = load(tenant.folder / "config.json", variables={}).config
    assert config.channels.telegram.token
    assert config.channels.telegram.token.get_secret_value() == TELEGRAM
    assert (config.data_dir, config.workspace) == (tenant.folder / "data", tenant.folder / "workspace")
    assert config.time_zone == "Europe/Berlin"


@needs_root
def test_no_secret_stands_outside_its_file(root: TenantsRoot) -> None:
    plan = blueprint(config_values={**telegram(token=TELEGRAM), "model": {"api_key": KEY}}, secrets={})
    plan.move_secrets_out_of_values()
    tenant, _ = make_tenant(root, plan, Paper(), content)
    others = [path for path in tenant.folder.rglob("*") if path.is_file() and path.parent.name != "secrets"]
    assert not [path for path in others if TELEGRAM in path.read_text() or KEY in path.read_text()]
    assert (tenant.folder / "secrets/model__api_key").read_text() == KEY + "\n"


@needs_root
def test_no_uid_is_given_twice(root: TenantsRoot) -> None:
    uids = []
    for number in range(3):
        other = {"channels__telegram__token": f"{number + 1}:token-of-another", "model__api_key": KEY}
        tenant, _ = make_tenant(root, blueprint(f"tenant-{number}", secrets=other), Paper(), content)
        uids.append(tenant.uid)
    assert uids == [FIRST_UID, FIRST_UID + 1, FIRST_UID + 2]
    for path in sorted(tenant.folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    tenant.folder.rmdir()
    assert make_tenant(root, blueprint("later"), Paper(), content)[0].uid == FIRST_UID + 3


@needs_root
@pytest.mark.parametrize("token", [TELEGRAM, "4242:new-token-of-the-same-bot", "04242:written-otherwise"])
def test_a_bot_that_another_tenant_has_is_refused(root: TenantsRoot, token: str) -> None:
    make_tenant(root, blueprint(), Paper(), content)
    plan = blueprint("zeta", secrets={"channels__telegram__token": token, "model__api_key": KEY})
    with pytest.raises(ConfigError, match=like(making_texts.BOT_OF_ANOTHER_TENANT, name="acme")):
        make_tenant(root, plan, Paper(), content)
    assert names_in(root) == {"acme"}


@needs_root
@pytest.mark.parametrize("is_voice_of_other", [True, False])
def test_a_voice_that_another_tenant_has_is_refused(root: TenantsRoot, *, is_voice_of_other: bool) -> None:
    voice = {"channels__telegram__voices__writer": "88:of-the-voice"}
    usual = {"channels__telegram__token": "77:of-another", "model__api_key": KEY}
    owner = blueprint(secrets={**blueprint().secrets, **voice}) if is_voice_of_other else blueprint()
    acme, _ = make_tenant(root, owner, Paper(), content)
    (acme.folder / "config.json").write_text("{")  # it keeps its bots even so
    token = "088:written-otherwise" if is_voice_of_other else TELEGRAM
    plan = blueprint("zeta", secrets={**usual, "channels__telegram__voices__coder": token})
    with pytest.raises(ConfigError, match=r"channels\.telegram\.voices\.coder.*acme"):
        make_tenant(root, plan, Paper(), content)


@needs_root
def test_tenants_made_at_once_get_different_uids_and_share_no_bot(root: TenantsRoot) -> None:
    refused: list[str] = []

    def one(name: str, bot: int) -> None:
        try:
            plan = blueprint(name, secrets={"channels__telegram__token": f"{bot}:token-of-it", "model__api_key": KEY})
            make_tenant(root, plan, Paper(), content)
        except ConfigError as error:
            refused.append(str(error))

    threads = [threading.Thread(target=one, args=(f"tenant-{number}", number // 2)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 3
    assert len({tenant.uid for tenant in tenants_in(root)}) == len(tenants_in(root)) == 3


@needs_root
@pytest.mark.parametrize(
    "case", ["look", "validator", "taken by a folder", "taken by a file", "taken by a twin", "full disk"]
)
def test_a_failed_making_leaves_nothing(root: TenantsRoot, case: str) -> None:
    root.path.mkdir()
    paper = Paper(faults=["acme"] if case == "validator" else (), extra={"x" * 300: ""} if case == "full disk" else {})
    if case == "taken by a file":
        (root.path / "acme").touch()
    elif case.startswith("taken"):
        (root.path / ("acme" if case.endswith("folder") else "ACME")).mkdir()
    before = names_in(root)
    with pytest.raises(ConfigError) as refusal:
        make_tenant(root, blueprint(), paper, discontent if case == "look" else content)
    assert names_in(root) == before
    assert "\n" not in str(refusal.value)
    assert not case.startswith("taken") or says(str(refusal.value), making_texts.NAME_TAKEN)
    assert UNFINISHED_PREFIX not in str(refusal.value)


@needs_root
def test_the_next_making_clears_the_rest_of_a_killed_one(root: TenantsRoot) -> None:
    (root.path / f"{UNFINISHED_PREFIX}acme/secrets").mkdir(parents=True)
    (root.path / f"{UNFINISHED_PREFIX}acme/secrets/model__api_key").write_text(KEY)
    make_tenant(root, blueprint(), Paper(), content)
    assert names_in(root) == {"acme"}


@needs_root
def test_made_again_only_what_runs_it_is_brought_up_to_date(root: TenantsRoot) -> None:
    tenant, _ = make_tenant(root, blueprint(), Paper(), content)
    assert refresh_files_and_owners(root, tenant, Paper(), content)[0] == []
    written = json.loads((tenant.folder / "config.json").read_text())
    written["channels"]["discord"] = {"enabled": True, "owner": 8}
    (tenant.folder / "config.json").write_text(json.dumps(written))
    (tenant.folder / "secrets/channels__discord__token").write_text(DISCORD)
    (tenant.folder / "secrets/channels__discord__token").chmod(0o600)
    before = (tenant.folder / "config.json").read_text()
    changed, _ = refresh_files_and_owners(root, tenant, Paper(), content)
    assert changed == ["paper.txt", "secrets/channels__discord__token"]
    assert "discord" in (tenant.folder / "paper.txt").read_text()
    assert (tenant.folder / "config.json").read_text() == before
    assert lying_in(tenant.folder)["paper.txt"] == f"640 0:{tenant.uid}"


@needs_root
def test_files_put_there_by_an_operator_get_the_right_owners(root: TenantsRoot) -> None:
    tenant, _ = make_tenant(root, blueprint(), Paper(), content)
    (tenant.folder / "roles/cook.md").write_text("You cook.")
    (tenant.folder / "config.json").chmod(0o600)
    (tenant.folder / "secrets/channels__discord__token").write_text(DISCORD)
    (tenant.folder / "secrets/channels__discord__token").chmod(0o644)
    (tenant.folder / "roles/link.md").symlink_to("/etc/passwd")
    assert refresh_files_and_owners(root, tenant, Paper(), content)[0] == [
        *("config.json", "paper.txt", "roles/cook.md", "secrets/channels__discord__token"),
    ]
    found = lying_in(tenant.folder)
    assert found["config.json"] == found["roles/cook.md"] == f"640 0:{tenant.uid}"
    assert found["secrets/channels__discord__token"] == f"600 {tenant.uid}:{tenant.uid}"
    assert os.stat("/etc/passwd").st_gid == 0
    assert refresh_files_and_owners(root, tenant, Paper(), content)[0] == []


@needs_root
def test_a_concurrent_commands_change_stays(root: TenantsRoot) -> None:
    tenant, _ = make_tenant(root, blueprint(), Paper(), content)
    upgraded = replace(tenant, release="sha256:" + "2" * 64)
    with ThreadPoolExecutor(1) as another:
        with root.hold_lock():
            refreshing = another.submit(refresh_files_and_owners, root, tenant, Paper(), content)
            (tenant.folder / "tenant.json").write_text(upgraded.to_json())
        assert refreshing.result()[0] == ["paper.txt"]
    assert root.read_tenant("acme") == upgraded


@needs_root
def test_an_artefact_refused_by_a_validator_is_put_back(root: TenantsRoot) -> None:
    tenant, _ = make_tenant(root, blueprint(), Paper(), content)
    before = (tenant.folder / "paper.txt").read_text()
    (tenant.folder / "secrets/channels__discord__token").write_text(DISCORD)
    (tenant.folder / "secrets/channels__discord__token").chmod(0o600)
    with pytest.raises(ConfigError, match=like(making_texts.VALIDATOR_REFUSES, validator="reader")):
        refresh_files_and_owners(root, tenant, Paper(faults=["discord"]), content)
    assert (tenant.folder / "paper.txt").read_text() == before


@needs_root
@pytest.mark.parametrize("nth", range(1, 6))
def test_a_disk_that_is_full_from_some_file_on_is_told_in_a_line(root: TenantsRoot, nth: int) -> None:
    def make() -> None:
        with pytest.raises(ConfigError, match=like(making_texts.CANNOT_MAKE, folder=root.path / "acme")):
            make_tenant(root, blueprint(), Paper(), content)

    on_a_disk_full_from(nth, root.path, make)
    assert names_in(root) == set()


@needs_root
@pytest.mark.parametrize(("nth", "why"), [(1, making_texts.CANNOT_REWRITE), (2, making_texts.CANNOT_PUT_BACK)])
def test_on_a_full_disk_what_runs_it_stays_as_it_was_or_that_is_told(root: TenantsRoot, nth: int, why: Text) -> None:
    def refresh() -> None:
        with pytest.raises(ConfigError, match=like(why)):
            refresh_files_and_owners(root, tenant, paper, content)

    paper = Paper(extra={"more.txt": "more\n"})
    tenant, _ = make_tenant(root, blueprint(), paper, content)
    for name in ("more.txt", "paper.txt"):
        (tenant.folder / name).write_text("old\n")
    on_a_disk_full_from(nth, tenant.folder, refresh)
    assert ((tenant.folder / "paper.txt").read_text() == "old\n") == (nth == 1)
    assert (tenant.folder / "more.txt").read_text() == "old\n"


@needs_root
def test_artefacts_spoilt_by_an_operator_are_rewritten_or_named(root: TenantsRoot) -> None:
    paper = Paper(extra={"systemd/units/a.conf": "text\n"})
    tenant, _ = make_tenant(root, blueprint(), paper, content)
    shutil.rmtree(tenant.folder / "systemd")
    assert refresh_files_and_owners(root, tenant, paper, content)[0] == ["systemd/units/a.conf"]
    (tenant.folder / "paper.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match=like(making_texts.NO_TEXT, path=tenant.folder / "paper.txt")):
        refresh_files_and_owners(root, tenant, paper, content)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may give files to everybody")
def test_without_root_it_says_what_to_do(root: TenantsRoot) -> None:
    with pytest.raises(ConfigError, match=like(making_texts.NEEDS_ROOT)):
        make_tenant(root, blueprint(), Paper(), content)


@pytest.mark.parametrize("path", ["/srv/with space", "/srv/a%i", "/srv/$HOME", "/srv/a\nb", "/srv/quo'te"])
def test_a_root_that_its_files_could_not_name_is_refused(path: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(making_texts.ODD_ROOT(folder=path))):
        TenantsRoot(Path(path))
