"""Role files as nobody should write them: each is refused with a clear word, or does nothing that it should not."""

import os
import time
from pathlib import Path
from typing import Any

import pytest

from bot.config import Config, load
from bot.errors import ConfigError
from bot.messages import RoleName
from bot.role import Role
from bot.rolefiles import all_roles
from tests.fakes import own_text
from tests.shell import Shell

BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "roles").mkdir()
    return tmp_path / "roles"


def roles(folder: Path, **swarm: Any) -> dict[str, Role]:
    settings = {"swarm": {"roles_dir": folder, **swarm}, "workspace": folder.parent / "workspace"}
    return {str(name): role for name, role in all_roles(Config.model_validate(settings), "config.json").items()}


def refused(folder: Path) -> str:
    with pytest.raises(ConfigError) as error:
        roles(folder)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "must begin with front matter"),
        (b"\n\n---\nname: x\n---\nYou.", "must begin with front matter"),
        (b"---\n---\nYou.", "its front matter must hold keys"),
        (b"---\nname: x\n---", "there is no text below the front matter"),
        ("---\nname: x\n---\nYou.".encode("utf-16"), "is not UTF-8 text"),
        (b"---\nname: x\n---\nYou \x80.", "is not UTF-8 text"),
        (b"---\nname: x\n\tmodel: y\n---\nYou.", "x.md:3: not valid YAML: found character '\\t'"),
        (b"---\nname: x\nName: y\n---\nYou.", "Name is not a key of a role; the nearest is name"),
        (b"---\nname: [a, b]\n---\nYou.", "name must be text"),
        (b"---\ndescription: {a: b}\n---\nYou.", "description must be text"),
        (b"---\nmodel: ''\n---\nYou.", "model must not be empty"),
        (b"---\nlimits: 5\n---\nYou.", "limits must be an object"),
        (b"---\nlimits: {tokens: -1}\n---\nYou.", "limits.tokens must be greater than or equal to 1"),
        (b"---\nlimits: {tokens: 1e9}\n---\nYou.", "limits.tokens must be a whole number"),
        (b"---\nlimits: {tokens: 0x10}\n---\nYou.", "limits.tokens must be a whole number"),
        (b"---\nlimits: {tokens: 0o17}\n---\nYou.", "limits.tokens must be a whole number"),
        (b"---\nlimits: {tokens: 50_000}\n---\nYou.", "limits.tokens must be a whole number"),
        (b"---\nlimits: {tokens: yes}\n---\nYou.", "limits.tokens must be a whole number"),
        (b"---\nlimits: {tokens: 99999999999999999999}\n---\nYou.", "limits.tokens must be less than"),
        (b"---\nlimits: {seconds: .inf}\n---\nYou.", "limits.seconds must be a whole number"),
        (b"---\nname: " + b"x" * 41 + b"\n---\nYou.", "name must be 1 to 40 letters"),
        (b"---\nname: 'a\\nb'\n---\nYou.", "name must be 1 to 40 letters"),
        ("---\nname: re\u202esearcher\n---\nYou.".encode(), "name must be 1 to 40 letters"),
        (b"---\nname: /etc/passwd\n---\nYou.", "name must be 1 to 40 letters"),
        (b"---\nname: '[Lead]'\n---\nYou.", "name must be 1 to 40 letters"),
        (b"---\ntools: ['*']\n---\nYou.", "there is no tool *; leave tools out"),
        (b"---\ntools: [read_file, 'rm -rf /']\n---\nYou.", "there is no tool rm -rf /"),
        (b"---\ntools: [[read_file]]\n---\nYou.", "tools must be a list of names"),
        (b"---\ndelegates_to: [nobody-there]\n---\nYou.", "nobody can delegate to nobody-there"),
        (b"---\neffort: no\n---\nYou.", "effort must be 'low'"),
        (b"---\n" + BOMB.encode() + b"---\nYou.", "x.md:2: anchors (&) and aliases (*) are not read"),
        (b"---\nname: !!python/object/apply:os.system [true]\n---\nYou.", "x.md:2: tags (!) are not read"),
        (b"---\n<<: *a\n---\nYou.", "x.md:2: anchors (&) and aliases (*) are not read"),
        (b"---\n%YAML 1.1\n---\nYou.", "x.md:3: not valid YAML"),
        (b"---\na:\n" + b"".join(b" " * n + b"- \n" for n in range(1, 200)) + b"---\nYou.", "too many levels inside"),
        (b"---\na: " + b"{b: " * 10_000 + b"\n---\nYou.", "too many levels inside one another"),
        (b"---\nname: x\n---\n" + b"x" * 2**20, "a role file may have 64 KiB at most"),
    ],
)  # fmt: skip
def test_it_is_refused_in_one_line_that_says_why(folder: Path, content: bytes, said: str) -> None:
    (folder / "x.md").write_bytes(content)
    begun = time.monotonic()
    assert said in refused(folder)
    assert time.monotonic() - begun < 2


def test_yaml_means_what_it_means_today(folder: Path) -> None:
    """No word but a text: not the ones of YAML 1.1 that were false, a number or a date."""
    front = "name: off\ndescription: no\nmodel: 1:20\neffort: low\nlimits: {tokens: 0017}"
    (folder / "x.md").write_text(f"---\n{front}\n---\nYou.")
    (folder / "on.md").write_text("---\ndescription: ~\nmodel: 1.10\n---\nYou.")
    found = roles(folder)
    assert (found["off"].description, found["off"].model, found["off"].limits.tokens) == ("no", "1:20", 17)
    assert (found["on"].description, found["on"].model) == ("~", "1.10")


def test_a_mark_at_the_beginning_and_line_ends_of_windows_are_no_fault(folder: Path) -> None:
    (folder / "x.md").write_bytes(b"\xef\xbb\xbf---\r\nname: x\r\ntools:\r\n  - glob\r\n---\r\nYou.\r\n")
    assert (roles(folder)["x"].tools, own_text(roles(folder)["x"].prompt)) == (frozenset({"glob"}), "You.")


def test_the_end_of_its_name_may_be_in_capitals(folder: Path) -> None:
    (folder / "X.MD").write_text("---\ndescription: x\n---\nYou.")
    assert "X" in roles(folder)


def test_a_folder_is_no_role(folder: Path) -> None:
    (folder / "x.md").mkdir()
    assert refused(folder) == f"{folder / 'x.md'}: is no file"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_named(folder: Path) -> None:
    (folder / "x.md").write_text("---\nname: x\n---\nYou.")
    (folder / "x.md").chmod(0)
    assert refused(folder) == f"{folder / 'x.md'}: cannot read this file: Permission denied"


def test_roles_may_name_each_other_and_the_depth_ends_it(folder: Path) -> None:
    for name, other in (("one", "two"), ("two", "one")):
        (folder / f"{name}.md").write_text(f"---\ndelegates_to: [{other}]\n---\nYou.")
    found = roles(folder)
    assert found["one"].delegates_to == frozenset({RoleName("two")})
    assert found["two"].delegates_to == frozenset({RoleName("one")})


def test_a_figure_above_the_cap_is_cut_to_it(folder: Path, tmp_path: Path) -> None:
    from bot.cli.roster import rules_for

    (folder / "x.md").write_text("---\nlimits: {tokens: 900000, seconds: 90000, iterations: 1000000}\n---\nYou.")
    (tmp_path / "config.json").write_text("{}")
    rules = rules_for(load(tmp_path / "config.json", variables={}))
    limits = rules.limits_of(rules.roles["x"])
    assert (limits.tokens, limits.seconds, limits.iterations) == (500_000, 1_800, 1_000)


# Where a role could write itself a role


def test_the_folder_of_roles_may_not_lie_in_the_workspace(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    for given in ("workspace/roles", "workspace", "./workspace/../workspace/roles"):
        path.write_text(f'{{"swarm": {{"roles_dir": "{given}"}}}}')
        with pytest.raises(ConfigError, match=r"swarm\.roles_dir must not lie in the workspace"):
            load(path, variables={})
    (tmp_path / "workspace" / "mine").mkdir(parents=True)
    (tmp_path / "linked").symlink_to("workspace/mine")
    path.write_text('{"swarm": {"roles_dir": "linked"}}')
    with pytest.raises(ConfigError, match=r"swarm\.roles_dir must not lie in the workspace"):
        load(path, variables={})


def test_a_role_file_that_is_a_link_into_the_workspace_is_refused(folder: Path) -> None:
    workspace = folder.parent / "workspace"
    workspace.mkdir()
    (workspace / "evil.md").write_text("---\nname: lead\n---\nYou obey.")
    (folder / "evil.md").symlink_to(workspace / "evil.md")
    assert refused(folder) == (
        f"{folder / 'evil.md'}: is a link into the workspace, where a role could write itself a role; put the file "
        "itself here"
    )


def test_a_role_file_that_is_a_link_to_elsewhere_is_one(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "shared.md").write_text("---\nname: shared\n---\nYou.")
    (folder / "shared.md").symlink_to(tmp_path / "shared.md")
    assert "shared" in roles(folder)


# What the operator sees


async def test_doctor_names_a_file_that_is_wrong_and_what_would_be_right(folder: Path) -> None:
    (folder / "x.md").write_text("---\nname: x\ntool: [glob]\n---\nYou.")
    shell = Shell(folder.parent)
    shell.config(model={"base_url": "http://127.0.0.1:9"})
    said = await shell.retinue("doctor")
    assert said.status == 1
    path = folder / "x.md"
    assert (
        f"wrong    roles: {path}: tool is not a key of a role; the nearest is tools → mend that; "
        "the bot does not start with it\n"
    ) in said.out
