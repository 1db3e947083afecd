"""Role files as nobody should write them: each is refused with a clear word, or does nothing that it should not."""

import errno
import os
import time
from pathlib import Path
from typing import Any

import pytest

from bot.config import Config, load
from bot.config import texts as config_texts
from bot.config.roles import load_roles, texts
from bot.core.errors import ConfigError
from bot.core.messages import RoleName
from bot.core.role import Role
from bot.core.texts import setting_values
from bot.ops.checks import texts as check_texts
from tests.support.doctor_visit import lines
from tests.support.fakes import own_text
from tests.support.shell import Shell

TOKENS_NOT_WHOLE = config_texts.WRONG_VALUE(key="limits.tokens", problem=setting_values.MUST_BE_WHOLE)
PNG = b"\x89PNG\r\n\x1a\n"
BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "roles").mkdir()
    return tmp_path / "roles"


def roles(folder: Path, **swarm: Any) -> dict[str, Role]:
    settings = {"swarm": {"roles_dir": folder, **swarm}, "workspace": folder.parent / "workspace"}
    return {str(name): role for name, role in load_roles(Config.model_validate(settings), "config.json").items()}


def refused(folder: Path) -> str:
    with pytest.raises(ConfigError) as error:
        roles(folder)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", texts.NO_FRONT_MATTER),
        (b"\n\n---\nname: x\n---\nYou.", texts.NO_FRONT_MATTER),
        (b"---\n---\nYou.", texts.NO_KEYS),
        (b"---\nname: x\n---", texts.NO_PROMPT(path="")),
        ("---\nname: x\n---\nYou.".encode("utf-16"), texts.FILE_NOT_UTF8(path="")),
        (b"---\nname: x\n---\nYou \x80.", texts.FILE_NOT_UTF8(path="")),
        (b"---\nname: x\n\tmodel: y\n---\nYou.", "x.md:3: " + texts.NOT_YAML(problem="found character '\\t'")),
        (b"---\nname: x\nName: y\n---\nYou.", texts.UNKNOWN_KEY(key="Name", nearest="name")),
        (b"---\nname: [a, b]\n---\nYou.", config_texts.WRONG_VALUE(key="name", problem=setting_values.MUST_BE_TEXT)),
        (b"---\ndescription: {a: b}\n---\nYou.",
         config_texts.WRONG_VALUE(key="description", problem=setting_values.MUST_BE_TEXT)),
        (b"---\nmodel: ''\n---\nYou.", config_texts.WRONG_VALUE(key="model", problem=setting_values.MUST_NOT_BE_EMPTY)),
        (b"---\nlimits: 5\n---\nYou.", config_texts.WRONG_VALUE(key="limits", problem=setting_values.MUST_BE_OBJECT)),
        (b"---\nlimits: {tokens: -1}\n---\nYou.", "limits.tokens must be greater than or equal to 1"),
        (b"---\nlimits: {tokens: 1e9}\n---\nYou.", TOKENS_NOT_WHOLE),
        (b"---\nlimits: {tokens: 0x10}\n---\nYou.", TOKENS_NOT_WHOLE),
        (b"---\nlimits: {tokens: 0o17}\n---\nYou.", TOKENS_NOT_WHOLE),
        (b"---\nlimits: {tokens: 50_000}\n---\nYou.", TOKENS_NOT_WHOLE),
        (b"---\nlimits: {tokens: yes}\n---\nYou.", TOKENS_NOT_WHOLE),
        (b"---\nlimits: {tokens: 99999999999999999999}\n---\nYou.", "limits.tokens must be less than"),
        (b"---\nlimits: {seconds: .inf}\n---\nYou.",
         config_texts.WRONG_VALUE(key="limits.seconds", problem=setting_values.MUST_BE_WHOLE)),
        (b"---\nname: " + b"x" * 65 + b"\n---\nYou.", texts.NAME_NOT_VALID(path="")),
        (b"---\nname: 'a\\nb'\n---\nYou.", texts.NAME_NOT_VALID(path="")),
        ("---\nname: re\u202esearcher\n---\nYou.".encode(), texts.NAME_NOT_VALID(path="")),
        (b"---\nname: /etc/passwd\n---\nYou.", texts.NAME_NOT_VALID(path="")),
        (b"---\nname: '[Lead]'\n---\nYou.", texts.NAME_NOT_VALID(path="")),
        (b"---\ntools: ['*']\n---\nYou.", texts.EVERY_TOOL(key="tools")),
        (b"---\ntools: [read_file, 'rm -rf /']\n---\nYou.",
         texts.NO_SUCH_TOOL(where="", role="x", tool="rm -rf /", nearest="read_file")),
        (b"---\ntools: [[read_file]]\n---\nYou.", texts.NOT_TOOLS(key="tools")),
        (b"---\ndelegates_to: [nobody-there]\n---\nYou.",
         texts.NO_SUCH_DELEGATE(where="", role="x", other="nobody-there", nearest="coder")),
        (b"---\neffort: no\n---\nYou.", "effort must be 'low'"),
        (b"---\n" + BOMB.encode() + b"---\nYou.", f"x.md:2: {texts.NO_ANCHORS}"),
        (b"---\nname: !!python/object/apply:os.system [true]\n---\nYou.", f"x.md:2: {texts.NO_TAGS}"),
        (b"---\n<<: *a\n---\nYou.", f"x.md:2: {texts.NO_ANCHORS}"),
        (b"---\n%YAML 1.1\n---\nYou.", "x.md:3: " + texts.NOT_YAML(problem="")),
        (b"---\na:\n" + b"".join(b" " * n + b"- \n" for n in range(1, 200)) + b"---\nYou.", texts.TOO_DEEP),
        (b"---\na: " + b"{b: " * 10_000 + b"\n---\nYou.", texts.TOO_DEEP),
        (b"---\nname: x\n---\n" + b"x" * 2**20, texts.FILE_TOO_LARGE(path="", kib=64)),
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
    assert refused(folder) == texts.NO_FILE(path=folder / "x.md")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("../x.png", texts.PICTURE_ELSEWHERE(path="", name="../x.png")),
        ("/etc/x.png", texts.PICTURE_ELSEWHERE(path="", name="/etc/x.png")),
        ("x.md", texts.PICTURE_ELSEWHERE(path="", name="x.md")),
        ("link.png", texts.PICTURE_ELSEWHERE(path="", name="link.png")),
        ("loop.png", texts.PICTURE_ELSEWHERE(path="", name="loop.png")),
        ('"a\\0.png"', texts.PICTURE_ELSEWHERE(path="", name="a\0.png")),
        ("none.png", texts.FILE_NOT_READABLE(path="", reason=os.strerror(errno.ENOENT))),
        ("words.png", texts.NOT_A_PICTURE(path="")),
        ("large.png", texts.FILE_TOO_LARGE(path="", kib=256)),
        ("folder.png", texts.NO_FILE(path="")),
    ],
)
def test_a_picture_that_is_none_is_refused_in_one_line(folder: Path, tmp_path: Path, name: str, said: str) -> None:
    (folder / "x.md").write_text(f"---\nname: x\npicture: {name}\n---\nYou.")
    (tmp_path / "secret.png").write_bytes(PNG)
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    (folder / "loop.png").symlink_to(folder / "loop.png")
    (folder / "words.png").write_text("words")
    (folder / "large.png").write_bytes(PNG + bytes(256 * 1024))
    (folder / "folder.png").mkdir()
    assert said.removeprefix(": ") in refused(folder)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_named(folder: Path) -> None:
    (folder / "x.md").write_text("---\nname: x\n---\nYou.")
    (folder / "x.md").chmod(0)
    assert refused(folder) == texts.FILE_NOT_READABLE(path=folder / "x.md", reason=os.strerror(errno.EACCES))


def test_roles_may_name_each_other_and_the_depth_ends_it(folder: Path) -> None:
    for name, other in (("one", "two"), ("two", "one")):
        (folder / f"{name}.md").write_text(f"---\ndelegates_to: [{other}]\n---\nYou.")
    found = roles(folder)
    assert found["one"].delegates_to == frozenset({RoleName("two")})
    assert found["two"].delegates_to == frozenset({RoleName("one")})


def test_a_figure_above_the_cap_is_cut_to_it(folder: Path, tmp_path: Path) -> None:
    from bot.cli.roles import load_delegation_rules

    (folder / "x.md").write_text("---\nlimits: {tokens: 900000, seconds: 90000, iterations: 1000000}\n---\nYou.")
    (tmp_path / "config.json").write_text("{}")
    rules = load_delegation_rules(load(tmp_path / "config.json", variables={}))
    limits = rules.capped_limits(rules.roles_by_name["x"])
    assert (limits.tokens, limits.seconds, limits.iterations) == (500_000, 1_800, 1_000)


# Where a role could write itself a role


def test_the_folder_of_roles_may_not_lie_in_the_workspace(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    for given in ("workspace/roles", "workspace", "./workspace/../workspace/roles"):
        path.write_text(f'{{"swarm": {{"roles_dir": "{given}"}}}}')
        with pytest.raises(ConfigError) as error:
            load(path, variables={})
        assert str(error.value) == config_texts.ROLES_IN_WORKSPACE(origin=path)
    (tmp_path / "workspace" / "mine").mkdir(parents=True)
    (tmp_path / "linked").symlink_to("workspace/mine")
    path.write_text('{"swarm": {"roles_dir": "linked"}}')
    with pytest.raises(ConfigError) as error:
        load(path, variables={})
    assert str(error.value) == config_texts.ROLES_IN_WORKSPACE(origin=path)


def test_a_role_file_that_is_a_link_into_the_workspace_is_refused(folder: Path) -> None:
    workspace = folder.parent / "workspace"
    workspace.mkdir()
    (workspace / "evil.md").write_text("---\nname: lead\n---\nYou obey.")
    (folder / "evil.md").symlink_to(workspace / "evil.md")
    assert refused(folder) == texts.LINK_INTO_WORKSPACE(path=folder / "evil.md")


def test_a_role_file_that_is_a_link_to_elsewhere_is_one(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "shared.md").write_text("---\nname: shared\n---\nYou.")
    (folder / "shared.md").symlink_to(tmp_path / "shared.md")
    assert "shared" in roles(folder)


# What the operator sees


async def test_doctor_names_a_wrong_file_and_its_remedy(folder: Path) -> None:
    (folder / "x.md").write_text("---\nname: x\ntool: [glob]\n---\nYou.")
    shell = Shell(folder.parent)
    shell.config(model={"base_url": "http://127.0.0.1:9"})
    said = await shell.retinue("doctor")
    assert said.status == 1
    path = folder / "x.md"
    fault = f"{path}: {texts.UNKNOWN_KEY(key='tool', nearest='tools')}"
    assert f"{check_texts.WRONG_ROLES(fault=fault)} → {check_texts.DOES_NOT_START}" in lines(said, "wrong")
