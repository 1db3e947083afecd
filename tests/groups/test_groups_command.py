"""`retinue groups`: what each command says, does to the files, and leaves as it is."""

import json
from pathlib import Path

import pytest

from bot.cli.groups import texts
from bot.config import load
from bot.config.groups import texts as file_texts
from bot.config.groups.changes import lock_groups
from bot.config.groups.file import address_forms_by_channel
from bot.core.errors import ConfigError
from tests.support.group_commands import TELEGRAM, Desk, desk
from tests.support.shell import Shell

__all__ = ["desk"]

ADD = "retinue groups add"
CHANNELS = "telegram, discord, terminal"
NO_CHANNEL = file_texts.NO_CHANNEL(channels=CHANNELS, example=address_forms_by_channel()["telegram"].example)
NO_CHAT = file_texts.NO_CHAT(example=address_forms_by_channel()["telegram"].example)


def error(line: str) -> str:
    return f"Error: {line}"


def no_group(name: str, nearest: str) -> str:
    return error(texts.NO_SUCH_GROUP(group=repr(name), nearest=nearest))


@pytest.fixture
def three(desk: Desk) -> Desk:
    """Main, notes and repo; and a folder that is no group."""
    desk.write("home", "main: true\n")
    desk.write("notes", "description: Knows my notes.\naddress: telegram:-55\nallow_delegation: [repo]\n")
    desk.write("repo", "address: telegram:-66:7\n")
    desk.write("drafts", "description: x\n")
    return desk


async def test_it_runs_as_a_shell_runs_it_and_negative_ids_are_values(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.config(channels=TELEGRAM)
    said = await shell.retinue("groups", "add", "notes", "--channel", "telegram", "--chat", "-1001234", "--thread", "7")
    assert (said.status, said.err) == (0, "")
    assert "address: telegram:-1001234:7\n" in (tmp_path / "groups/notes/instructions.md").read_text()
    wrong = await shell.retinue("groups", "allow", "notes", "repo")
    assert (wrong.status, wrong.out, wrong.err) == (1, "", f"{no_group('repo', 'notes')}\n")


def test_a_new_group_has_a_folder_and_the_next_steps_are_told(desk: Desk) -> None:
    said = desk.say("add", "notes", "--channel", "telegram", "--chat", "-77", "--description", "Knows: my notes")
    file = desk.folder / "notes" / "instructions.md"
    assert said == [
        texts.GROUP_MADE(group="notes", path=file.parent),
        texts.TO_DO,
        f"  {texts.WRITE_INSTRUCTIONS(path=file)}",
        f"  {texts.ALLOW_CHAT(id=-77, key='channels.telegram')}",
    ]
    assert file.read_text().startswith("---\ndescription: 'Knows: my notes'\naddress: telegram:-77\n---\n\n")
    assert (file.parent / "workspace").is_dir()
    assert desk.say("check") == [texts.GROUPS_IN_ORDER(1, groups="notes"), texts.NO_MAIN(command=ADD)]
    assert f"  asked by: {texts.ASKED_BY_LEAD}" in desk.say("list")


def test_the_first_instructions_of_an_earlier_version_are_still_to_be_written(desk: Desk) -> None:
    file = desk.folder / "notes" / "instructions.md"
    desk.write("notes", "description: x\n")
    file.write_text(f"---\ndescription: x\n---\n\n{texts.FORMER_FIRST_INSTRUCTIONS(group='notes')}")
    said = desk.say("add", "notes", "--channel", "telegram", "--chat", "-77")
    assert f"  {texts.WRITE_INSTRUCTIONS(path=file)}" in said


def test_main_takes_no_address_and_lives_with_the_owner(desk: Desk) -> None:
    desk.say("add", "home", "--main", "--description", "x")
    assert desk.say("check") == [texts.GROUPS_IN_ORDER(1, groups="home")]
    assert "  at:       telegram:7, terminal:local" in desk.say("list")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--chat", "-77"), texts.ADDRESS_TAKES_BOTH),
        (("--channel", "telegram"), texts.ADDRESS_TAKES_BOTH),
        (("--thread", "7"), texts.ADDRESS_TAKES_BOTH),
        (
            ("--channel", "slack", "--chat", "5"),
            NO_CHANNEL,
        ),
        (("--channel", "telegram", "--chat", "@ann"), NO_CHAT),
        (("--channel", "telegram", "--chat", "5", "--thread", "x:y"), NO_CHAT),
        ((), texts.SAY_WHERE(channels=CHANNELS)),
        (("--main",), texts.ONLY_ONE_MAIN(main="home", command="retinue groups remove")),
        (("--channel", "telegram", "--chat", "-55"), texts.ADDRESS_TAKEN(group="notes", address="telegram:-55")),
        (("--channel", "telegram", "--chat", "7"), texts.ADDRESS_TAKEN(group="home", address="telegram:7")),
        (("--channel", "terminal", "--chat", "local"), texts.ADDRESS_TAKEN(group="home", address="terminal:local")),
    ],
)
def test_a_group_that_cannot_be_is_not_made(three: Desk, words: tuple[str, ...], said: str) -> None:
    assert three.refused("add", "new", *words).removeprefix("Error: ").endswith(said)
    assert not (three.folder / "new").exists()


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".hidden", "a.b", "x" * 41, "-x"])
def test_a_name_that_no_group_can_have_makes_nothing(desk: Desk, name: str) -> None:
    desk.folder.mkdir()
    desk.refused("add", "--channel", "telegram", "--chat", "5", "--", name)
    assert list(desk.folder.iterdir()) == []
    assert sorted(path.name for path in desk.place.iterdir()) == ["config.json", "groups"]


@pytest.mark.parametrize("name", ["lead", "Researcher"])
def test_a_name_that_somebody_has_makes_nothing(three: Desk, name: str) -> None:
    assert name.lower() in three.refused("add", name, "--channel", "telegram", "--chat", "5")
    assert not (three.folder / name).exists()


def test_a_folder_that_is_there_is_registered_and_keeps_what_stands_in_it(three: Desk) -> None:
    said = three.say("add", "drafts", "--channel", "discord", "--chat", "@5")
    assert said[0] == texts.GROUP_MADE(group="drafts", path=three.folder / "drafts")
    file = three.folder / "drafts" / "instructions.md"
    assert file.read_bytes() == b"---\ndescription: x\naddress: discord:@5\n---\nYou are.\n"
    again = three.say("add", "drafts", "--channel", "discord", "--chat", "@5")
    assert again[0] == texts.GROUP_SO_ALREADY(group="drafts", path=file.parent)
    changed = three.say("add", "drafts", "--channel", "discord", "--chat", "6")
    assert changed[0] == texts.GROUP_CHANGED(group="drafts", path=file.parent)
    assert b"address: discord:6\n" in file.read_bytes()


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbfYou are mine.\r\nAll.\r\n", b"---\n---\nYou are mine."])
def test_a_file_without_front_matter_gets_one(desk: Desk, content: bytes) -> None:
    file = desk.put("drafts", content)
    desk.say("add", "drafts", "--channel", "telegram", "--chat", "5")
    assert desk.say("check") == [texts.GROUPS_IN_ORDER(1, groups="drafts"), texts.NO_MAIN(command=ADD)]
    assert file.read_bytes().endswith(content.removeprefix(b"\xef\xbb\xbf").removeprefix(b"---\n---\n"))
    assert file.read_bytes().startswith(content[:3] if content[:1] == b"\xef" else b"---\n")


def test_allow_and_deny_change_the_file_and_repeating_them_changes_nothing(three: Desk) -> None:
    file = three.folder / "repo" / "instructions.md"
    before = file.read_bytes()
    for _ in range(2):
        assert three.say("allow", "Repo", "NOTES") == [texts.MAY_ASK(group="repo", other="notes")]
        assert file.read_bytes() == b"---\naddress: telegram:-66:7\nallow_delegation: [notes]\n---\nYou are.\n"
    assert three.say("allow", "repo", "drafts") == [
        texts.MAY_ASK(group="repo", other="drafts"),
        texts.NOT_REGISTERED_YET(group="drafts", command=ADD),
    ]
    for _ in range(2):
        assert three.say("deny", "repo", "drafts") == [texts.MAY_NOT_ASK(group="repo", other="drafts")]
        [said] = three.say("deny", "repo", "Notes")
        assert said.startswith(texts.MAY_NOT_ASK(group="repo", other=""))
    assert file.read_bytes() == before.replace(b":7\n", b":7\nallow_delegation: []\n")


def test_main_needs_no_leave(three: Desk) -> None:
    assert three.say("allow", "home", "repo") == [texts.MAIN_MAY_ASK(group="home", other="repo")]
    assert three.refused("deny", "home", "repo") == error(texts.MAIN_MAY_ASK_ALL(group="home"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("allow", "notes", "home"), error(texts.NOBODY_ASKS_MAIN(group="home"))),
        (("allow", "notes", "NOTES"), error(texts.MAY_ASK_ITSELF(group="notes"))),
        (("allow", "notes", "rep"), no_group("rep", "repo")),
        (("allow", "note", "repo"), no_group("note", "notes")),
        (("deny", "note", "repo"), no_group("note", "notes")),
        (("deny", "notes", "rep"), no_group("rep", "repo")),
        (("deny", "notes", "notes"), error(texts.ALWAYS_ASKS_ITSELF(group="notes"))),
        (("remove", "note"), no_group("note", "notes")),
        (("show", "note"), no_group("note", "notes")),
    ],
)
def test_a_change_that_would_be_a_fault_is_refused(three: Desk, words: tuple[str, ...], said: str) -> None:
    assert three.refused(*words) == said


def test_a_removed_group_keeps_its_folder_and_its_askers_are_named(three: Desk) -> None:
    said = three.say("remove", "repo")
    folder = three.folder / "repo"
    assert said == [
        texts.GROUP_REMOVED(group="repo", path=folder),
        texts.STILL_NAMED(naming="notes", command="retinue groups deny", group="repo"),
    ]
    assert (folder / "instructions.md").read_bytes() == b"---\n---\nYou are.\n"
    assert three.say("remove", "repo")[0] == texts.WAS_NO_GROUP(group="repo", path=folder)
    assert three.say("check") == [texts.GROUPS_IN_ORDER(2, groups="home, notes")]
    assert three.say("remove", "home")[0] == texts.GROUP_REMOVED(group="home", path=three.folder / "home")
    fault = f"{three.folder / 'notes' / 'instructions.md'}: {file_texts.MAY_NOT_ASK_MAIN(group='repo')}"
    assert three.refused("add", "repo", "--main") == texts.WOULD_BE_A_FAULT(fault=fault)
    three.say("deny", "notes", "repo")
    assert three.say("add", "repo", "--main")[0] == texts.GROUP_MADE(group="repo", path=folder)


def test_a_fault_is_told_with_status_1_and_the_list_says_it_too(three: Desk) -> None:
    file = three.write("bad", "address: telegram:8\nfoo: x\n")
    line = f"{file}: " + file_texts.UNKNOWN_KEY(key="foo", nearest="tools")
    assert three.run("check") == (1, f"{line}\n", "")
    said = three.say()
    assert said[said.index("bad") : said.index("bad") + 3] == ["bad", "  at:       telegram:8", f"  off:      {line}"]
    assert three.say("list") == said
    assert three.refused("allow", "bad", "notes") == texts.MEND_FIRST(fault=line)


def test_a_group_at_fault_together_with_another_can_still_be_corrected(three: Desk) -> None:
    three.write("twin", "address: telegram:-55\n")
    assert three.run("check")[0] == 1
    changed = three.say("add", "twin", "--channel", "telegram", "--chat", "-56")
    assert changed[0] == texts.GROUP_CHANGED(group="twin", path=three.folder / "twin")
    assert three.run("check")[0] == 0


def test_the_list_shows_each_groups_place_and_its_targets(three: Desk) -> None:
    not_registered = texts.NOT_REGISTERED(command=ADD, group="drafts")
    assert three.say() == [
        *("home", "  main:     yes", "  at:       telegram:7, terminal:local"),
        *(f"  asks:     {texts.MAIN_ASKS(groups='notes, repo')}", f"  asked by: {texts.NOBODY}", ""),
        *("notes", "  Knows my notes.", "  at:       telegram:-55", "  asks:     repo", "  asked by: home", ""),
        *("repo", "  at:       telegram:-66:7", f"  asks:     {texts.NOBODY}", "  asked by: home, notes", ""),
        *("drafts", "  x", f"  off:      {not_registered}", ""),
        texts.WHERE_GROUPS_LIE(folder=three.folder),
    ]


def test_the_same_as_json(three: Desk) -> None:
    said = json.loads("\n".join(three.say("--json")))
    assert [(each["name"], each["state"], each["asks"], each["asked_by"]) for each in said] == [
        ("home", "on", ["notes", "repo"], []),
        ("notes", "on", ["repo"], ["home"]),
        ("repo", "on", [], ["home", "notes"]),
        ("drafts", "not registered", [], []),
    ]
    assert said[1]["addresses"] == ["telegram:-55"]


def test_one_group_is_shown_with_all_it_has(three: Desk) -> None:
    said = three.say("show", "Notes")
    assert said[:2] == ["notes", "  Knows my notes."]
    assert "  model:    claude-sonnet-5-5" in said
    assert "  limits:   50 steps, 1,500,000 tokens, 1,800 s" in said
    assert "  as asked: 20 steps, 250,000 tokens, 1,200 s" in said
    assert said[-1] == "You are."


def test_without_groups_it_says_how_one_is_made_and_makes_nothing(desk: Desk) -> None:
    assert desk.say() == [texts.NO_GROUPS(folder=desk.folder, command=ADD)]
    assert desk.say("check") == [texts.NO_GROUPS_IN_ORDER]
    assert not desk.folder.exists()


def test_no_written_text_reaches_the_terminal_as_a_control_sequence(desk: Desk) -> None:
    desk.write("notes", 'address: telegram:5\ndescription: "\\e[2J gone"\n', "You \x1b[2J are.\n")
    assert "\x1b" not in "".join([*desk.say(), *desk.say("show", "notes"), *desk.say("--json")])


def test_two_commands_at_once_wait_for_one_another(three: Desk) -> None:
    loaded = load(three.place / "config.json", variables={})
    with lock_groups(loaded), pytest.raises(ConfigError) as error, lock_groups(loaded, seconds=0.1):
        raise AssertionError("two at once")
    assert str(error.value) == file_texts.BUSY(path=three.folder)
    assert three.say("allow", "repo", "notes") == [texts.MAY_ASK(group="repo", other="notes")]


def test_an_unwritable_folder_is_told_with_the_place_that_works(three: Desk) -> None:
    place = three.folder / "new"
    place.symlink_to("/proc")  # where not even root makes a file
    said = three.refused("add", "new", "--channel", "telegram", "--chat", "5")
    first, _, last = file_texts.CANNOT_WRITE(path="", reason="WHY").partition("WHY")
    assert first in said
    assert said.endswith(last)


def test_a_file_of_the_operators_own_that_a_link_leads_to_is_changed_there(three: Desk, tmp_path: Path) -> None:
    file = three.folder / "repo" / "instructions.md"
    file.rename(tmp_path / "mine.md")
    file.symlink_to(tmp_path / "mine.md")
    (tmp_path / "mine.md").chmod(0o640)
    three.say("allow", "repo", "notes")
    assert file.is_symlink()
    assert "allow_delegation: [notes]" in (tmp_path / "mine.md").read_text()
    assert (tmp_path / "mine.md").stat().st_mode & 0o777 == 0o640
