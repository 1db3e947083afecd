"""The operator's own tools: loaded from files and packages, refused in words, and used like any other."""

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.assembly import load_own_tools_or_warn
from bot.cli.doctor import check_own_tools
from bot.cli.roles import load_delegation_rules
from bot.config import LoadedConfig, load, texts
from bot.config.groups import read_groups
from bot.config.own_tools import OwnTools
from bot.config.roles import load_roles, own_tools
from bot.config.roles import texts as role_texts
from bot.core.acts import EFFECT_NAMES
from bot.core.errors import ConfigError
from bot.core.messages import RoleName
from bot.core.role import LEAD_ROLE_NAME
from bot.core.texts import operators
from bot.ops.checks import texts as check_texts
from tests.support.bench import ROLES, Bench
from tests.support.fakes import reply, uses

PAGE = (Path(__file__).parents[2] / "docs" / "add-a-tool.md").read_text()
HEAD = """from typing import Annotated
from bot.core.turn import CallKind
from bot.core.acts import Effect
from bot.tools import ToolContext, tool
"""
GOOD = f'''{HEAD}
@tool(kind=CallKind.READ, effects=())
def dice(context: ToolContext, sides: Annotated[int, "how many"] = 6) -> str:
    """Roll dice."""
    return f"{{sides}}!"
'''
Load = Callable[..., LoadedConfig]


@pytest.fixture
def given(tmp_path: Path) -> Iterator[Load]:
    """Load a config beside these files of tools."""

    def loaded(settings: dict[str, Any] | None = None, **files: str) -> LoadedConfig:
        (tmp_path / "tools").mkdir(exist_ok=True)
        for name, text in files.items():
            (tmp_path / "tools" / f"{name}.py").write_text(text)
        config = load(
            overrides={"tools_dir": str(tmp_path / "tools"), "workspace": "w", **(settings or {})}, variables={}
        )
        return replace(config, config=config.config.model_copy(update={"workspace": tmp_path / "workspace"}))

    before = set(sys.modules)
    yield loaded
    for name in set(sys.modules) - before:
        if name.startswith(("retinue_", "extra_tools")):
            del sys.modules[name]


def found(loaded: LoadedConfig) -> OwnTools:
    return own_tools(loaded.config)


def fault(loaded: LoadedConfig, name: str = "a") -> str:
    [only] = found(loaded).faults
    assert loaded.config.tools_dir
    return only.removeprefix(str(loaded.config.tools_dir / f"{name}.py")).removeprefix(":").strip()


# What the page shows


async def test_the_tool_that_the_page_shows_works_as_it_stands(given: Load, bench: Bench) -> None:
    shown, _ = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    loaded = given(disk=shown)
    [told] = check_own_tools(loaded.config)
    assert f"    {told}" in PAGE
    lead = ROLES[LEAD_ROLE_NAME]
    bench.roles[LEAD_ROLE_NAME] = replace(lead, tools=frozenset({*(lead.tools or ()), "disk_space"}))
    bench.model.says("lead", reply(uses("disk_space")), "Half full.")
    async with bench.run(tools=[*bench.tools(), *load_own_tools_or_warn(loaded.config)]):
        bench.chat.hears("how full is the disk?")
        assert await bench.chat.said() == "Half full."
    [(result,)] = bench.select("result", "calls")
    assert re.search(r"\d+ of \d+ GB are free", str(result))


# Who has them


def test_roles_and_groups_may_list_them_and_the_lead_has_them(given: Load, tmp_path: Path) -> None:
    roles, groups = tmp_path / "roles", tmp_path / "groups"
    (groups / "home").mkdir(parents=True)
    roles.mkdir()
    (roles / "gambler.md").write_text("---\ndescription: Plays\ntools: dice\n---\nYou play.")
    (groups / "home" / "instructions.md").write_text("---\nmain: true\ntools: dice\n---\nYou are.")
    loaded = given({"swarm": {"roles_dir": str(roles), "groups_dir": str(groups)}}, a=GOOD)
    rules = load_delegation_rules(loaded)
    assert "dice" in rules.resolve_lead().tools
    assert rules.roles_by_name[RoleName("gambler")].tools == frozenset({"dice"})
    assert read_groups(loaded, [], []).faults == ()


def test_a_role_may_name_a_tool_that_is_broken_but_none_that_nobody_knows(given: Load, tmp_path: Path) -> None:
    roles = tmp_path / "roles"
    roles.mkdir()
    (roles / "gambler.md").write_text("---\ndescription: Plays\ntools: dise\n---\nYou play.")
    swarm = {"swarm": {"roles_dir": str(roles)}}
    where = {"where": f"{roles / 'gambler.md'}: ", "role": "gambler"}
    with pytest.raises(ConfigError) as error:
        load_roles(given(swarm, a=GOOD).config, "")
    assert str(error.value) == role_texts.NO_SUCH_TOOL(**where, tool="dise", nearest="dice")
    other = tmp_path / "others"
    other.mkdir()
    (other / "a.py").write_text("nonsense")
    broken = given({**swarm, "tools_dir": str(other)})
    assert load_roles(broken.config, "")[RoleName("gambler")].tools == frozenset({"dise"})


# What is refused


SHADOW = GOOD.replace("def dice", "def read_file")
UNDECLARED = GOOD.replace(", effects=()", "")
CHANGING = GOOD.replace("READ, effects=()", "CHANGE, effects={Effect.SPENDS}")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1\ny = zzz\n", "2: NameError: name 'zzz' is not defined"),
        ("x = 1\n\ndef f(:\n", "3: SyntaxError: invalid syntax"),
        ("import nothing_like_that", "1: ModuleNotFoundError: No module named 'nothing_like_that'"),
        ("raise SystemExit(3)", "1: SystemExit: 3"),
        ("x = 1", texts.HOLDS_NO_TOOL),
        (SHADOW, texts.TOOL_NAME_TAKEN(name="read_file")),
        (GOOD.replace("def dice", "def shell"), texts.TOOL_NAME_TAKEN(name="shell")),
        (GOOD.replace("def dice", "def mcp__dice"), texts.TOOL_NAME_NOT_VALID(name="'mcp__dice'")),
        (GOOD.replace('    """Roll dice."""\n', ""), texts.TOOL_WITHOUT_DESCRIPTION(name="dice")),
        (GOOD.replace("Roll", "Roll\u200b"), texts.TOOL_WITH_INVISIBLE_CHARACTERS(name="dice")),
        (
            GOOD.replace('Annotated[int, "how many"]', "int"),
            "6: AssertionError: dice: sides says no word of what it is",
        ),
    ],
)
def test_what_cannot_be_used_is_refused_with_file_and_line(text: str, said: str, given: Load) -> None:
    assert fault(given(a=text)) == said


def test_a_tool_whose_declaration_is_not_complete_is_refused(given: Load) -> None:
    said = operators.TOOL_WITHOUT_EFFECTS(tool="dice", effects=EFFECT_NAMES)
    assert fault(given(a=UNDECLARED)).endswith(f"ToolDeclarationError: {said}")


def test_an_argument_of_a_tool_that_changes_must_be_declared(given: Load) -> None:
    said = operators.TOOL_ARGUMENTS_NOT_DECLARED(tool="dice", arguments="sides", effects="spends")
    assert fault(given(a=CHANGING)).endswith(said)


def test_of_two_tools_with_one_name_the_second_is_refused(given: Load) -> None:
    loaded = given(a=GOOD, b=GOOD)
    assert loaded.config.tools_dir
    assert fault(loaded, "b") == texts.TOOL_NAME_TWICE(name="dice", other=loaded.config.tools_dir / "a.py")
    assert found(loaded).names == {"dice"}


def test_a_link_into_the_workspace_is_not_followed(given: Load, tmp_path: Path) -> None:
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace" / "a.py").write_text("raise AssertionError('this was run')")
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "a.py").symlink_to(tmp_path / "workspace" / "a.py")
    assert fault(given()) == texts.TOOL_LINK_INTO_WORKSPACE


def test_one_fault_leaves_the_others_unless_the_operator_wants_all(
    given: Load, caplog: pytest.LogCaptureFixture
) -> None:
    files = {"a": GOOD, "b": "nonsense", "_help": "raise AssertionError", "c": "from retinue_tools._d import x"}
    loaded = given(**files, _d=GOOD.replace("dice", "coin") + "x = coin")
    assert [each.name for each in load_own_tools_or_warn(loaded.config)] == ["dice", "coin"]
    [said] = found(loaded).faults
    assert caplog.messages == [operators.OWN_TOOL_NOT_LOADED(fault=said)]
    wrong, ok = map(str, check_own_tools(loaded.config))
    assert wrong == f"wrong    {check_texts.OWN_TOOL_FAULT(fault=said)} → {check_texts.OWN_TOOL_IS_OFF}"
    assert ok == f"ok       {check_texts.OWN_TOOLS(tools='coin (c.py), dice (a.py)')}"
    with pytest.raises(ConfigError, match="NameError"):
        load_own_tools_or_warn(given({"tools_must_load": True}, **files).config)


def test_a_folder_in_the_workspace_is_refused_and_one_that_is_missing_told(given: Load, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        load(overrides={"tools_dir": str(tmp_path / "w" / "tools"), "workspace": str(tmp_path / "w")}, variables={})
    assert str(error.value).endswith(texts.TOOLS_IN_WORKSPACE(origin=""))
    [said] = found(given({"tools_dir": str(tmp_path / "nowhere")})).faults
    assert said == texts.TOOLS_FOLDER_NOT_READABLE(path=tmp_path / "nowhere", reason="No such file or directory")


# Packages


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, point: str, module: str = "") -> None:
    """Install a package as pip does: its module, and what it says of itself."""
    about = folder / "retinue_extra-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: Retinue-Extra\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[retinue.tools]\nmain = {point}\n")
    (folder / "extra_tools.py").write_text(module or GOOD + "ALL = [dice]\ndef make(): return (dice,)\n")
    monkeypatch.syspath_prepend(folder)


@pytest.mark.parametrize("point", ["extra_tools", "extra_tools:dice", "extra_tools:ALL", "extra_tools:make"])
def test_a_package_that_is_named_offers_its_tools(
    point: str, given: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "site", monkeypatch, point)
    loaded = given({"tool_packages": ["retinue_extra"]})
    assert (found(loaded).names, found(loaded).faults) == (frozenset({"dice"}), ())


def test_a_package_that_is_not_named_is_told_and_not_loaded(
    given: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "site", monkeypatch, "extra_tools", "raise AssertionError('this was run')")
    [told] = check_own_tools(given().config)
    assert str(told) == f"ok       {check_texts.PACKAGE_NOT_USED(name='Retinue-Extra')}"
    assert "extra_tools" not in sys.modules


def test_a_package_with_a_fault_and_one_that_is_missing_are_told(
    given: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "site", monkeypatch, "extra_tools:nothing")
    missing, broken = found(given({"tool_packages": ["retinue-extra", "weather"]})).faults
    group = {"group": "retinue.tools", "known": "Retinue-Extra"}
    assert missing == texts.NO_SUCH_PACKAGE(name="weather", **group)
    assert broken.startswith(texts.OWN_TOOL_FAULT(where=texts.IN_PACKAGE(name="retinue-extra", point="main"), fault=""))
