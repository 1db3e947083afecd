"""One key of a front matter is changed, and every other byte of the file stays as it was."""

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.config.groups import texts
from bot.config.groups.changes import change_group_keys
from bot.config.groups.file import parse_group_file, read_group_file
from bot.config.groups.frontmatter_editor import FrontMatterEditor, one_line_yaml_text
from bot.config.roles import texts as role_texts
from bot.config.roles.frontmatter import FrontMatterError
from bot.core.errors import ConfigError
from bot.core.messages import Address

HEAD, REST = "---\n", "---\n\nYou are --- here.\n\n---\nno key: here\n"
PATH = Path("/somewhere/x/instructions.md")
KEY = "allow_delegation"


def front(keys: str) -> FrontMatterEditor:
    return FrontMatterEditor(HEAD + keys + REST)


def keys_of(text: str) -> str:
    """The keys of a changed text; all that is round them is as it was."""
    assert text.startswith(HEAD)
    assert text.endswith(REST)
    return text[len(HEAD) : -len(REST)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "address: new\n"),
        ("# nothing yet\n\n", "# nothing yet\n\naddress: new\n"),
        ("description: x\n", "description: x\naddress: new\n"),
        ("description: |\n  two\n  lines\n", "description: |\n  two\n  lines\naddress: new\n"),
        ("tools:\n  - glob\n# end\n", "tools:\n  - glob\n# end\naddress: new\n"),
        ("  main: true\n", "  main: true\n  address: new\n"),
        ("address: old\n", "address: new\n"),
        ("address: old   # the family\nmain: true\n", "address: new   # the family\nmain: true\n"),
        ("address: 'old' # x\n", "address: new # x\n"),
        ('"address": "old"\n', '"address": new\n'),
        ("address :   old\n", "address :   new\n"),
        ("address:\nmain: true\n", "address: new\nmain: true\n"),
        ("address: # none\nmain: true\n", "address: new # none\nmain: true\n"),
        ("address:\n  old\nmain: true\n", "address:\n  new\nmain: true\n"),
        ("address:\n  - a\n  - b\n# c\nmain: true\n", "address: new\n# c\nmain: true\n"),
        ("description: a: b # c\naddress: old\n", "description: a: b # c\naddress: new\n"),
        ("address: a: b # c\nmain: true\n", "address: new\nmain: true\n"),
        ("a: 'é\u2028ü'\naddress: old\n", "a: 'é\u2028ü'\naddress: new\n"),
    ],
)
def test_a_value_is_put_in_the_place_of_the_former(before: str, after: str) -> None:
    assert keys_of(front(before).text_with_value("address", "new")) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ""),
        ("main: true\n", "main: true\n"),
        ("address: old # gone\n", ""),
        ("# a\naddress: old\n\n# b\nmain: true\n", "# a\n\n# b\nmain: true\n"),
        ("address:\n  - a\n\n  # c\n  - b\n\n# d\nmain: true\n", "\n# d\nmain: true\n"),
        ("address: |\n  a\n# b\nmain: true\n", "# b\nmain: true\n"),
        ("address: >-\n  a\n  b\nmain: true\n", "main: true\n"),
        ("address: [a,\n  b] # c\nmain: true\n", "main: true\n"),
        ("address: a\n  b\nmain: true\n", "main: true\n"),
        ("address:\nmain: true\n", "main: true\n"),
    ],
)
def test_a_key_goes_with_its_lines(before: str, after: str) -> None:
    assert keys_of(front(before).text_without_key("address")) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("main: true\n", "main: true\nallow_delegation: [new]\n"),
        ("allow_delegation: []\n", "allow_delegation: [new]\n"),
        ("allow_delegation: [ ] # none\n", "allow_delegation: [new] # none\n"),
        ("allow_delegation: [a, b]\n", "allow_delegation: [a, b, new]\n"),
        ("allow_delegation: [a, 'b', ] # c\n", "allow_delegation: [a, 'b', new, ] # c\n"),
        ("allow_delegation:\n  [a, # x\n   b # y\n  ]\n", "allow_delegation:\n  [a, # x\n   b, new # y\n  ]\n"),
        (
            "allow_delegation:\n- a\n- b # c\n# d\nmain: true\n",
            "allow_delegation:\n- a\n- b # c\n- new\n# d\nmain: true\n",
        ),
        ("allow_delegation:\n  -  a\n\nmain: true\n", "allow_delegation:\n  -  a\n  -  new\n\nmain: true\n"),
        ("main: true\nallow_delegation:\n  - a\n", "main: true\nallow_delegation:\n  - a\n  - new\n"),
    ],
)
def test_a_name_is_added_to_a_list(before: str, after: str) -> None:
    assert keys_of(front(before).text_with_list_item(KEY, "new")) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("main: true\n", "main: true\n"),
        ("allow_delegation: []\n", "allow_delegation: []\n"),
        ("allow_delegation: [a, b]\n", "allow_delegation: [a, b]\n"),
        ("allow_delegation: [OLD]\n", "allow_delegation: []\n"),
        ("allow_delegation: [old, a]\n", "allow_delegation: [a]\n"),
        ("allow_delegation: [a, old]\n", "allow_delegation: [a]\n"),
        ("allow_delegation: [a, old, b, Old]\n", "allow_delegation: [a, b]\n"),
        ("allow_delegation: [old, old, 'old'] # c\n", "allow_delegation: [] # c\n"),
        ("allow_delegation: [a, # x\n  old] # y\n", "allow_delegation: [a, # x\n  ] # y\n"),
        ("allow_delegation:\n  - a # x\n  - old # y\n  - b\n", "allow_delegation:\n  - a # x\n  - b\n"),
        ("allow_delegation:\n  # x\n  - old\n# z\nmain: true\n", "# z\nmain: true\n"),
    ],
)
def test_a_name_is_taken_out_of_a_list(before: str, after: str) -> None:
    assert keys_of(front(before).text_without_list_items(KEY, ["old"])) == after


TEXTS = [
    "---\naddress: telegram:1\nallow_delegation: [a, b]\n---\nYou.",
    "\ufeff---   \ndescription: a: b\naddress: telegram:1 # c\n"
    "allow_delegation:\n  - a # x\n  # y\n  - b\n---\t\nYou.\n",
    "---\n# c\nallow_delegation: [a,\n  b,\n  ]\n\naddress: 'telegram:1'\ntools: Read, Grep\n---",
    "---\naddress: telegram:1\ndescription: >\n  one\n\n  two\n\n"
    "limits: {tokens: 5}\nallow_delegation: ['a', \"b\"]\n---\nä\n---\n",
]
CHANGES: dict[str, Callable[[FrontMatterEditor], str]] = {
    "allow": lambda front: front.text_with_list_item(KEY, "c"),
    "deny a": lambda front: front.text_without_list_items(KEY, ["a"]),
    "deny b": lambda front: front.text_without_list_items(KEY, ["B"]),
    "move": lambda front: front.text_with_value("address", "discord:5"),
    "remove": lambda front: front.text_without_key("address"),
}


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("text", TEXTS)
def test_in_any_order_of_changes_only_what_was_meant_is_another(text: str, line_end: str) -> None:
    """What is read of each is what was meant, all lines that are not the keys' own are there, line ends too."""
    text = text.replace("\n", line_end)
    for order in itertools.permutations(CHANGES):
        now, before = text, parse_group_file(PATH, "x", text).keys
        names, address = ["a", "b"], before.address
        for name in order:
            now = CHANGES[name](FrontMatterEditor(now))
            there = parse_group_file(PATH, "x", now).keys
            names = [*names, "c"] if name == "allow" else [each for each in names if name != f"deny {each}"]
            address = {"move": Address(channel="discord", chat="5"), "remove": None}.get(name, address)
            assert there == before.model_copy(update={KEY: tuple(names), "address": address})
        assert now.count("\r") == now.count("\n") * (line_end == "\r\n")
        kept = [
            line for line in text.splitlines() if line.startswith(("# c", "desc", "  one", "limits", "tools", "You"))
        ]
        assert [line for line in now.splitlines() if line in kept] == kept


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("{address: old}\n", texts.KEYS_NOT_ON_LINES),
        ("- a\n", texts.KEYS_NOT_ON_LINES),
        ("address: [\n", texts.NOT_YAML),
        ("address: &a old\n", role_texts.NO_ANCHORS),
    ],
)
def test_an_uneditable_front_matter_is_refused(keys: str, said: str) -> None:
    with pytest.raises(FrontMatterError) as error:
        front(keys)
    assert str(error.value) == said


@pytest.mark.parametrize(
    "text", ["Knows my notes", "a: b", "it's # mine", "- x", "true", "[a]", "'", '"', "a:", "é", "x" * 500, "&a", "%"]
)
def test_a_text_is_written_so_that_it_is_read_again(text: str) -> None:
    made = parse_group_file(PATH, "x", f"---\ndescription: {one_line_yaml_text(text)}\n---\nYou.")
    assert made.keys.description == text


def test_a_change_that_would_come_out_as_another_is_not_made(tmp_path: Path) -> None:
    """Old line ends among new ones, which YAML counts in its own way."""
    path = tmp_path / "x" / "instructions.md"
    path.parent.mkdir()
    text = b"---\nallow_delegation:\r\r\n\n  - a\n  - b\naddress: telegram:1\n---\nYou."
    path.write_bytes(text)
    file = read_group_file(path)
    assert file.keys.allow_delegation == ("a", "b")
    with pytest.raises(ConfigError) as error:
        change_group_keys(file, lambda front: front.text_without_list_items(KEY, ["a"]), allow_delegation=("b",))
    assert str(error.value) == texts.CANNOT_BE_CHANGED(path=path)
    assert path.read_bytes() == text
    assert [each.name for each in path.parent.iterdir()] == ["instructions.md"]
