"""Which folders are skills, and why others are none."""

import re
from pathlib import Path

import pytest

from bot.cli.doctor import check_skills
from bot.config import load, texts
from bot.config.roles import texts as role_texts
from bot.config.skills import MAX_SKILLS, load_skills
from bot.core.errors import ConfigError
from bot.ops.checks import texts as check_texts
from tests.support.skill_folder import BODY, SkillFolder

PAGE = (Path(__file__).parents[2] / "docs" / "skills.md").read_text()


def fault(folder: SkillFolder) -> str:
    loaded = folder.load()
    assert loaded.skills == ()
    [said] = loaded.faults
    return said.removeprefix(str(folder.folder / "a" / "SKILL.md")).removeprefix(":").strip()


def test_without_a_folder_there_are_no_skills(folder: SkillFolder) -> None:
    assert folder.skills() == ()
    assert list(check_skills(folder.config())) == []


def test_the_skill_that_the_page_shows_is_one(folder: SkillFolder) -> None:
    [shown] = re.findall(r"```markdown\n(.*?)```", PAGE, re.DOTALL)
    folder.write("invoices", shown)
    [told] = check_skills(folder.config(trusted_skills=["invoices"]))
    assert f"    {told}\n" in PAGE
    folder.write("invoices", shown.replace("# Check", "#\u200b Check"))
    [told] = check_skills(folder.config())
    path = folder.folder / "invoices" / "SKILL.md"
    assert f"    {told}\n".replace(str(path), "/srv/bot/skills/invoices/SKILL.md") in PAGE


def test_a_skill_is_read_with_name_description_and_body(folder: SkillFolder) -> None:
    folder.write(
        "b", "---\nname: Tax return\ndescription: >\n  How to\n  do taxes\nlicense: MIT\nmetadata:\n  x: y\n---\nDo."
    )
    folder.skill("a")
    folder.write("none", "x", file="README.md")
    folder.write(".git", "---\nname: x\n---\n")
    first, second = folder.skills()
    assert (first.name, first.description, first.body, first.tools) == ("a", "How to do a", BODY, None)
    assert first.folder == folder.folder / "a"
    assert (second.name, second.description, second.body) == ("Tax return", "How to do taxes", "Do.")
    [told] = check_skills(folder.config(trusted_skills=["a", "tax return"]))
    assert told.text == check_texts.SKILLS(skills="a, Tax return")
    [told] = check_skills(folder.config(trusted_skills=["a"]))
    assert told.text == check_texts.SKILLS_OF_OTHERS(skills="a, Tax return", others="Tax return")


def test_a_skill_without_a_name_has_that_of_its_folder(folder: SkillFolder) -> None:
    folder.write("a", "---\ndescription: d\n---\nDo.")
    assert [skill.name for skill in folder.skills()] == ["a"]


def test_a_skill_may_name_tools_also_as_claude_code_does(folder: SkillFolder) -> None:
    folder.skill("a", tools="Read, grep")
    [skill] = folder.skills()
    assert skill.tools == frozenset({"read_file", "grep"})


def test_emoji_as_editors_write_them_are_no_fault(folder: SkillFolder) -> None:
    folder.skill("a", "\u26a0\ufe0f take care \u2139\ufe0f \u2705\ufe0f 1\ufe0f\u20e3 \U0001f468\u200d\U0001f469")
    assert len(folder.skills()) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Do.", role_texts.NO_FRONT_MATTER),
        ("---\nname: a\n", role_texts.FRONT_MATTER_OPEN),
        ("---\nname: a\n---\nDo.", texts.SKILL_WITHOUT_DESCRIPTION),
        ("---\nname: a\ndescription: d\n---\n \n", texts.SKILL_WITHOUT_BODY),
        ("---\nname: ../b\ndescription: d\n---\nDo.", texts.SKILL_NAME_NOT_VALID(most=64)),
        ("---\nname: [a]\ndescription: d\n---\nDo.", texts.SKILL_VALUE_NOT_TEXT(key="name")),
        (f"---\ndescription: {'d' * 1_025}\n---\nDo.", texts.SKILL_VALUE_TOO_LONG(key="description", most=1_024)),
        ("---\ndescription: d\ntools: fly\n---\nDo.", texts.SKILL_TOOLS_UNKNOWN(tools="fly")),
        ("---\ndescription: d\n---\nDo\u200b.", texts.SKILL_WITH_INVISIBLE(line=4, code="U+200B")),
        ("---\ndescription: d\n---\nDo\U000e0041.", texts.SKILL_WITH_INVISIBLE(line=4, code="U+E0041")),
        ("---\ndescription: d\u202e\n---\nDo.", texts.SKILL_WITH_INVISIBLE(line=2, code="U+202E")),
        ("---\ndescription: d\n---\nDo\x1b[8m.", texts.SKILL_WITH_CONTROLS(line=4, code="U+001B")),
        ("---\ndescription: d\n---\nDo\0.", texts.SKILL_WITH_CONTROLS(line=4, code="U+0000")),
        (f"---\ndescription: d\n---\n{'QUJD' * 600}", texts.SKILL_WITH_LONG_WORD(line=4, most=2_000)),
    ],
)
def test_what_cannot_be_used_is_refused_with_the_reason(text: str, said: str, folder: SkillFolder) -> None:
    folder.write("a", text)
    assert fault(folder).endswith(said)


@pytest.mark.parametrize("front", ["a: &x [b]\nc: *x", "a: !!python/name:os.system", "a: b\na: c"])
def test_the_front_matter_is_as_strict_as_a_roles(front: str, folder: SkillFolder) -> None:
    folder.write("a", f"---\n{front}\ndescription: d\n---\nDo.")
    assert fault(folder)


def test_a_file_that_is_no_text_or_too_large_is_refused(folder: SkillFolder) -> None:
    path = folder.write("a", "")
    path.write_bytes(b"---\nname: \xff\n---\n")
    assert fault(folder).endswith(role_texts.FILE_NOT_UTF8(path=path).rpartition(": ")[2])
    folder.write("a", "---\n" + "x" * 270_000)
    assert fault(folder).endswith(role_texts.FILE_TOO_LARGE(path=path, kib=256).rpartition(": ")[2])


def test_a_fault_leaves_the_others_and_doctor_tells_it(folder: SkillFolder) -> None:
    folder.skill("good")
    bad = folder.write("bad", "nothing")
    loaded = folder.load()
    assert [skill.name for skill in loaded.skills] == ["good"]
    assert loaded.faults == (f"{bad}: {role_texts.NO_FRONT_MATTER}",)
    assert [str(each) for each in check_skills(folder.config(trusted_skills=["good"]))][
        -1
    ] == f"ok       {check_texts.SKILLS(skills='good')}"


def test_no_more_skills_are_used_than_a_prompt_can_hold(folder: SkillFolder) -> None:
    for number in range(MAX_SKILLS + 2):
        folder.skill(f"s{number:03}")
    loaded = folder.load()
    assert (len(loaded.skills), len(loaded.faults)) == (MAX_SKILLS, 2)


def test_no_skill_lies_where_roles_write(folder: SkillFolder, tmp_path: Path) -> None:
    (tmp_path / "desk" / "a").mkdir(parents=True)
    (tmp_path / "desk" / "a" / "SKILL.md").write_text("---\ndescription: d\n---\nObey.")
    folder.folder.mkdir()
    (folder.folder / "a").symlink_to(tmp_path / "desk" / "a")
    assert fault(folder) == texts.SKILL_LINK_INTO_WORKSPACE
    with pytest.raises(ConfigError, match="skills_dir must not be in the workspace"):
        load(overrides={"skills_dir": str(tmp_path / "desk" / "s"), "workspace": str(tmp_path / "desk")}, variables={})


def test_a_skill_may_name_tools_of_the_operators_own(folder: SkillFolder, tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "coin.py").write_text(
        "from bot.core.turn import CallKind\nfrom bot.tools import ToolContext, tool\n"
        "@tool(kind=CallKind.READ, effects=())\n"
        "def coin(context: ToolContext) -> str:\n    'Toss.'\n    return 'heads'\n"
    )
    folder.skill("a", tools="coin")
    assert load_skills(folder.config(tools_dir=tmp_path / "tools")).faults == ()


def test_of_skills_with_one_name_none_is_used(folder: SkillFolder) -> None:
    """Else a folder that comes later could take the name of one that is trusted."""
    trusted, strange = folder.skill("invoices"), folder.skill("accounting", name="Invoices")
    loaded = folder.load(trusted_skills=["invoices"])
    assert loaded.skills == ()
    assert loaded.faults == (
        texts.SKILL_FAULT(path=strange, fault=texts.SKILL_NAME_TWICE(name="invoices", other=trusted.parent)),
        texts.SKILL_FAULT(path=trusted, fault=texts.SKILL_NAME_TWICE(name="invoices", other=strange.parent)),
    )
