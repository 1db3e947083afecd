"""Glob patterns: which paths they mean."""

import time

import pytest

from bot.core.errors import ToolError
from bot.tools import texts
from bot.tools.glob_patterns import FULLY_MATCHED, parse_glob, remaining_choices_after_name


def fits(pattern: str, path: str) -> bool:
    unmatched = parse_glob(pattern)
    for name in path.split("/"):
        unmatched = remaining_choices_after_name(unmatched, name)
    return FULLY_MATCHED in unmatched


@pytest.mark.parametrize(
    ("pattern", "fitting", "others"),
    [
        ("*.md", ["a.md", "x/y/a.md"], ["a.txt", "a.md/b", ".a.md", ".x/a.md", "x/node_modules/a.md"]),
        ("./*.md", ["a.md"], ["x/a.md"]),
        ("x/*.md", ["x/a.md"], ["a.md", "x/y/a.md", "y/x/a.md"]),
        ("x/**", ["x/a", "x/y/a"], ["x", "a", "x/.a", "x/.y/a"]),
        ("**/x/*", ["x/a", "y/x/a", "y/z/x/a"], ["x", "x/y/a"]),
        ("x/**/a", ["x/a", "x/y/a", "x/y/z/a"], ["a", "x/y", "xa"]),
        ("**", ["a", "x/a"], [".a", "__pycache__/a"]),
        (".*", [".a", "x/.a"], ["a", ".x/a"]),
        ("**/.x/*", [".x/a", "y/.x/a"], [".x/.a", ".y/a"]),
        ("node_modules/**", ["node_modules/a", "node_modules/x/a"], ["node_modules/node_modules/a", "a"]),
        ("*.{js,ts}", ["a.js", "x/a.ts"], ["a.py", "a.{js,ts}"]),
        ("{x,y/**}/a.{b,{c,d}}", ["x/a.b", "y/z/a.d", "y/a.c"], ["x/z/a.b", "z/a.b"]),
        ("[ab]?.x", ["a1.x", "x/b2.x"], ["c1.x", "a.x"]),
        ("[!a].x", ["b.x"], ["a.x"]),
        ("{a", ["{a"], ["a"]),
        ("a[", ["a["], ["a"]),
        ("A.md", ["A.md"], ["a.md"]),
        ("x/", ["x"], ["x/a"]),
    ],
)
def test_a_pattern_means_these_and_not_those(pattern: str, fitting: list[str], others: list[str]) -> None:
    assert {path: fits(pattern, path) for path in fitting + others} == {
        **dict.fromkeys(fitting, True),
        **dict.fromkeys(others, False),
    }


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("", texts.GLOB_IS_EMPTY),
        ("./", texts.GLOB_IS_EMPTY),
        ("{,}", texts.GLOB_IS_EMPTY),
        ("/etc/*", texts.GLOB_LEADS_OUT),
        ("a/../b", texts.GLOB_LEADS_OUT),
        ("{a,b}" * 7, texts.GLOB_HAS_TOO_MANY_CHOICES(most=100)),
        ("{" + ",".join("x" * 150) + "}", texts.GLOB_HAS_TOO_MANY_CHOICES(most=100)),
        ("x" * 1_001, texts.GLOB_TOO_LONG(most=1_000)),
    ],
)
def test_a_pattern_that_means_nothing_is_told(pattern: str, said: str) -> None:
    with pytest.raises(ToolError) as error:
        parse_glob(pattern)
    assert str(error.value) == said


def test_a_folder_without_possible_matches_is_not_searched() -> None:
    assert not remaining_choices_after_name(parse_glob("notes/*.md"), "other")
    assert remaining_choices_after_name(parse_glob("notes/*.md"), "notes")


@pytest.mark.parametrize("pattern", ["*a" * 100 + "b", "**/a/" * 30 + "b", "*" * 900 + "b"])
def test_a_hostile_pattern_takes_no_time(pattern: str) -> None:
    begun = time.monotonic()
    assert not fits(pattern, "/".join(["a" * 255] * 50))
    assert not fits(pattern, "/".join(["a"] * 100))
    assert time.monotonic() - begun < 2
