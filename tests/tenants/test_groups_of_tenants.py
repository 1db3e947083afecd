"""The groups of a tenant: given when it is made or added later, whose each file is, and how a cluster carries them."""

import os
import re
from pathlib import Path
from typing import Any

import pytest

from bot.cli import load_retinue_command, run_click_command
from bot.config import load
from bot.core.errors import ConfigError
from bot.core.texts import Text
from bot.tenants import making_texts, operator_files
from bot.tenants.commands.tenant_input import read_group_texts
from bot.tenants.creation import Blueprint, make_tenant, refresh_files_and_owners
from bot.tenants.creation import role_and_group_file_paths as paths_of
from bot.tenants.operator_files import fill_empty_workspaces_from_backup
from bot.tenants.root import TenantsRoot
from bot.tenants.targets.kubernetes import Kubernetes
from tests.support.wording import like
from tests.tenants.papers import Paper, blueprint, content
from tests.tenants.test_artefacts_kubernetes import IMAGE, needs_kubectl, pod, rendered
from tests.tenants.test_making import lying_in, needs_root

TEAM = {
    "team/instructions.md": "---\naddress: telegram:-5\n---\nYou are.",
    "team/more.txt": "more",
    "team/workspace/a.md": "a",
    "team/workspace/deep/b.md": "b",
    "home/instructions.md": "---\nmain: true\n---\nYou are.",
}
LATER = (making_texts.WORKSPACE_NO_FOLDER, making_texts.ONLY_PLAIN_FILES)


@pytest.fixture
def root(tmp_path: Path) -> TenantsRoot:
    return TenantsRoot(tmp_path / "srv")


def with_groups(**fields: Any) -> Blueprint:
    return blueprint(**{"group_texts": TEAM, **fields})


def prepared(folder: Path) -> Path:
    for path, text in TEAM.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def test_a_prepared_folder_is_taken_unchanged_without_hidden_files(tmp_path: Path) -> None:
    folder = prepared(tmp_path / "groups")
    (folder / ".git").mkdir()
    (folder / "team" / ".notes").write_text("x")
    assert read_group_texts(folder) == TEAM


@pytest.mark.parametrize(
    ("place", "what", "named", "why"),
    [
        ("README.md", b"x", "README.md", making_texts.ONLY_FOLDERS),
        ("new/x.md", b"x", "new", making_texts.NO_INSTRUCTIONS),
        ("team/deep/x.md", b"x", "team/deep", making_texts.ONLY_WORKSPACE),
        ("team/photo.jpg", b"\xff\xd8", "team/photo.jpg", making_texts.FILE_NOT_TEXT),
        ("team/workspace/photo.jpg", b"\xff\xd8", "team/workspace/photo.jpg", making_texts.FILE_NOT_TEXT),
        ("team/workspace/long", b"x" * 1_000_001, "team/workspace/long", making_texts.FILE_TOO_LARGE),
    ],
)
def test_an_unusable_group_folder_is_told(tmp_path: Path, place: str, what: bytes, named: str, why: Text) -> None:
    folder = prepared(tmp_path / "groups")
    (folder / place).parent.mkdir(parents=True, exist_ok=True)
    (folder / place).write_bytes(what)
    with pytest.raises(ConfigError) as error:
        read_group_texts(folder)
    assert re.fullmatch(like(why), str(error.value))
    assert str(error.value).startswith(f"{folder / named}: ")


@pytest.mark.parametrize("place", ["new", "team/instructions.md", "team/workspace", "team/workspace/a.md"])
def test_links_are_not_followed(tmp_path: Path, place: str) -> None:
    folder = prepared(tmp_path / "groups")
    target = tmp_path / "elsewhere"
    if (folder / place).exists():
        (folder / place).rename(target)
    (folder / place).symlink_to(target)
    with pytest.raises(
        ConfigError, match="|".join(map(like, (making_texts.ONLY_FOLDERS, making_texts.ONLY_FILES, *LATER)))
    ):
        read_group_texts(folder)


def test_too_much_and_nothing_are_told(tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    with pytest.raises(ConfigError, match=like(making_texts.NO_GROUPS, folder=tmp_path / "none")):
        read_group_texts(tmp_path / "none")
    with pytest.raises(ConfigError, match=like(making_texts.CANNOT_READ, path=tmp_path / "nowhere")):
        read_group_texts(tmp_path / "nowhere")
    folder = prepared(tmp_path / "groups")
    for number in range(500):
        (folder / "team" / "workspace" / f"{number}.md").write_text("x")
    with pytest.raises(ConfigError, match=like(making_texts.WORKSPACE_TOO_LARGE, files=500, megabytes=5)):
        read_group_texts(folder)


@needs_root
def test_instructions_are_the_operators_and_workspaces_the_tenants(root: TenantsRoot) -> None:
    tenant, _ = make_tenant(root, with_groups(), Paper(), content)
    mine, theirs = f"0:{tenant.uid}", f"{tenant.uid}:{tenant.uid}"
    assert lying_in(tenant.folder / "groups") == {
        ".": f"750 {mine}",
        "home": f"750 {mine}",
        "home/instructions.md": f"640 {mine}",
        "home/workspace": f"700 {theirs}",
        "team": f"750 {mine}",
        "team/instructions.md": f"640 {mine}",
        "team/more.txt": f"640 {mine}",
        "team/workspace": f"700 {theirs}",
        "team/workspace/a.md": f"600 {theirs}",
        "team/workspace/deep": f"700 {theirs}",
        "team/workspace/deep/b.md": f"600 {theirs}",
    }
    assert paths_of(with_groups()) == [
        "groups/home/instructions.md",
        "groups/team/instructions.md",
        "groups/team/more.txt",
    ]


@needs_root
def test_an_operators_handmade_files_get_the_right_owners(root: TenantsRoot) -> None:
    tenant, _ = make_tenant(root, blueprint(), Paper(), content)
    groups = tenant.folder / "groups"
    (groups / "team").mkdir(mode=0o700)
    (groups / "team" / "instructions.md").write_text("x")
    (groups / "team" / "instructions.md").chmod(0o600)
    (groups / "draft" / "workspace").mkdir(parents=True)
    (groups / "draft" / "instructions.md").write_text("x")
    changed, _ = refresh_files_and_owners(root, tenant, Paper(), content)
    assert changed == [
        *("groups/draft", "groups/draft/instructions.md", "groups/draft/workspace"),
        *("groups/team", "groups/team/instructions.md", "groups/team/workspace"),
    ]
    mine, theirs = f"0:{tenant.uid}", f"{tenant.uid}:{tenant.uid}"
    found = lying_in(groups)
    assert {found[name] for name in ("team", "draft")} == {f"750 {mine}"}
    assert {found[f"{name}/instructions.md"] for name in ("team", "draft")} == {f"640 {mine}"}
    assert {found[f"{name}/workspace"] for name in ("team", "draft")} == {f"700 {theirs}"}
    assert refresh_files_and_owners(root, tenant, Paper(), content)[0] == []


@needs_root
def test_root_changes_no_owner_where_the_tenant_could_have_put_files(root: TenantsRoot, tmp_path: Path) -> None:
    tenant, _ = make_tenant(root, with_groups(), Paper(), content)
    groups = tenant.folder / "groups"
    victim = tmp_path / "victim"
    victim.mkdir(mode=0o755)
    (victim / "instructions.md").write_text("of the machine")
    (groups / "team" / "workspace" / "link").symlink_to(victim)
    (groups / "linked").symlink_to(victim)
    (groups / "theirs").mkdir()
    os.chown(groups / "theirs", tenant.uid, tenant.uid)
    (groups / "theirs" / "instructions.md").symlink_to(victim / "instructions.md")
    (groups / "home" / "workspace").rmdir()
    (groups / "home" / "workspace").symlink_to(victim)
    refresh_files_and_owners(root, tenant, Paper(), content)
    assert (victim.stat().st_uid, (victim / "instructions.md").stat().st_uid) == (0, 0)
    assert victim.stat().st_mode & 0o777 == 0o755


@needs_root
def test_a_group_added_by_root_is_readable_and_its_workspace_the_tenants(
    root: TenantsRoot, capsys: pytest.CaptureFixture[str]
) -> None:
    tenant, _ = make_tenant(root, with_groups(), Paper(), content)
    before = lying_in(tenant.folder / "groups")
    config = ["--config", str(tenant.folder / "config.json")]
    old = os.umask(0o077)
    try:
        words = ["add", "new", "--channel", "telegram", "--chat", "-6"]
        assert run_click_command(["groups", *config, *words], load_retinue_command, "retinue") == 0
        for word in ("allow", "deny"):
            assert run_click_command(["groups", *config, word, "team", "new"], load_retinue_command, "retinue") == 0
        assert run_click_command(["groups", *config, "remove", "new"], load_retinue_command, "retinue") == 0
    finally:
        os.umask(old)
    mine, theirs = f"0:{tenant.uid}", f"{tenant.uid}:{tenant.uid}"
    new = {"new": f"750 {mine}", "new/instructions.md": f"640 {mine}", "new/workspace": f"700 {theirs}"}
    assert lying_in(tenant.folder / "groups") == {**before, **new}
    assert refresh_files_and_owners(root, tenant, Paper(), content)[0] == []
    assert capsys.readouterr().err == ""


@needs_root
def test_the_next_retinue_groups_completes_what_a_killed_one_left(root: TenantsRoot) -> None:
    tenant, _ = make_tenant(root, blueprint(), Paper(), content)
    half = tenant.folder / "groups" / "new"
    (half / "workspace").mkdir(parents=True)
    for path in (half, half / "workspace"):
        path.chmod(0o700)
    (half / "instructions.md").touch(mode=0o600)
    words = ["--config", str(tenant.folder / "config.json"), "add", "new", "--channel", "telegram", "--chat", "-6"]
    assert run_click_command(["groups", *words], load_retinue_command, "retinue") == 0
    mine, theirs = f"0:{tenant.uid}", f"{tenant.uid}:{tenant.uid}"
    new = {"new": f"750 {mine}", "new/instructions.md": f"640 {mine}", "new/workspace": f"700 {theirs}"}
    assert lying_in(tenant.folder / "groups") == {".": f"750 {mine}", **new}


@needs_root
def test_a_restored_tenant_has_the_workspaces_of_its_groups(root: TenantsRoot) -> None:
    tenant, _ = make_tenant(root, blueprint(), Paper(), content)
    files = {"groups/team/instructions.md": TEAM["team/instructions.md"]}
    operator_files.replace_operator_files(tenant, files)
    assert lying_in(tenant.folder / "groups")["team/workspace"] == f"700 {tenant.uid}:{tenant.uid}"


@needs_root
def test_a_tenant_made_of_a_back_up_has_the_files_of_its_groups_again(root: TenantsRoot, tmp_path: Path) -> None:
    tenant, _ = make_tenant(
        root, with_groups(group_texts={"team/instructions.md": "x", "home/instructions.md": "x"}), Paper(), content
    )
    source = tmp_path / "unpacked" / "groups" / "team" / "workspace"
    (source / "deep").mkdir(parents=True)
    (source / "deep" / "photo.jpg").write_bytes(b"\xff\xd8")
    (source / "run.sh").write_text("x")
    (source / "run.sh").chmod(0o755)
    assert fill_empty_workspaces_from_backup(tenant, tmp_path / "unpacked") == ["team"]
    theirs, workspace = f"{tenant.uid}:{tenant.uid}", tenant.folder / "groups" / "team" / "workspace"
    assert lying_in(workspace) == {
        ".": f"700 {theirs}",
        "deep": f"700 {theirs}",
        "deep/photo.jpg": f"600 {theirs}",
        "run.sh": f"700 {theirs}",
    }
    (workspace / "run.sh").write_text("its own by now")
    assert fill_empty_workspaces_from_backup(tenant, tmp_path / "unpacked") == []
    assert (workspace / "run.sh").read_text() == "its own by now"


def test_on_kubernetes_a_workspace_is_on_the_volume_and_takes_no_files(tmp_path: Path) -> None:
    plan = with_groups(target="kubernetes")
    with pytest.raises(ConfigError, match=like(making_texts.WORKSPACE_ON_CLUSTER, path="team/workspace/a.md")):
        plan.build_checked_config(tmp_path)


@needs_kubectl
def test_on_kubernetes_only_the_workspaces_are_on_the_volume(root: TenantsRoot) -> None:
    texts = {path: text for path, text in TEAM.items() if "workspace" not in path}
    of, _ = make_tenant(root, with_groups(target="kubernetes", release=IMAGE, group_texts=texts), Kubernetes(), content)
    (bot,) = pod(of)["containers"]
    mounts = {
        each["mountPath"]: (each["name"], each["subPath"], each.get("readOnly", False))
        for each in bot["volumeMounts"]
        if "groups" in each["mountPath"]
    }
    assert mounts == {
        "/tenant/groups/home/instructions.md": ("groups", "home.instructions.md", True),
        "/tenant/groups/home/workspace": ("kept", "groups/home/workspace", False),
        "/tenant/groups/team/instructions.md": ("groups", "team.instructions.md", True),
        "/tenant/groups/team/more.txt": ("groups", "team.more.txt", True),
        "/tenant/groups/team/workspace": ("kept", "groups/team/workspace", False),
    }
    assert set(rendered(of)["ConfigMap/groups"]["data"]) == {path.replace("/", ".") for path in texts}


@needs_kubectl
def test_on_kubernetes_the_next_add_tenant_carries_added_groups_over(
    root: TenantsRoot, capsys: pytest.CaptureFixture[str]
) -> None:
    of, _ = make_tenant(root, blueprint(target="kubernetes", release=IMAGE), Kubernetes(), content)
    config = str(of.folder / "config.json")
    words = ["groups", "--config", config, "add", "new", "--channel", "telegram", "--chat", "-6"]
    assert run_click_command(words, load_retinue_command, "retinue") == 0
    assert "scripts/add-tenant" in capsys.readouterr().out
    changed, _ = refresh_files_and_owners(root, of, Kubernetes(), content)
    assert changed == ["bot.yaml", "kustomization.yaml"]
    assert set(rendered(of)["ConfigMap/groups"]["data"]) == {"new.instructions.md"}


@needs_root
def test_a_tenant_made_of_a_prepared_folder_has_its_groups(root: TenantsRoot, tmp_path: Path) -> None:
    plan = with_groups(group_texts=read_group_texts(prepared(tmp_path / "groups")))
    tenant, _ = make_tenant(root, plan, Paper(), content)
    assert load(tenant.folder / "config.json", variables={}).config.swarm.groups_dir == tenant.folder / "groups"
    assert {path: (tenant.folder / "groups" / path).read_text() for path in TEAM} == TEAM
