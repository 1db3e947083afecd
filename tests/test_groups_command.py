"""`retinue groups`: what each command says, does to the files, and leaves as it is."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.cli import obeyed, of_retinue
from bot.config import load
from bot.errors import ConfigError
from bot.groupfiles.changing import alone
from tests.shell import Shell

TELEGRAM = {"telegram": {"enabled": True, "owner": 7, "allow_from": [-55]}}


class Desk:
    """An operator's folder, with a bot on Telegram whose owner has the id 7."""

    def __init__(self, place: Path, printed: pytest.CaptureFixture[str]) -> None:
        self.place, self.folder, self.printed = place, place / "groups", printed
        self.configure(channels=TELEGRAM)

    def configure(self, **settings: Any) -> None:
        (self.place / "config.json").write_text(json.dumps(settings))

    def run(self, *words: str) -> tuple[int, str, str]:
        """Its exit status, and what it has printed on stdout and on stderr."""
        self.printed.readouterr()
        status = obeyed(["groups", "--config", str(self.place / "config.json"), *words], of_retinue, "retinue")
        return status, *self.printed.readouterr()

    def say(self, *words: str) -> list[str]:
        """What a command says that does as it is told."""
        status, out, err = self.run(*words)
        assert (status, err) == (0, "")
        return out.splitlines()

    def refused(self, *words: str) -> str:
        """Why a command does nothing; it leaves every file as it was."""
        before = self.files()
        status, out, err = self.run(*words)
        assert (self.files(), out, status in (1, 2)) == (before, "", True)
        return err.splitlines()[-1].removeprefix("retinue: ")

    def files(self) -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}

    def write(self, name: str, front: str, text: str = "You are.\n") -> Path:
        return self.put(name, f"---\n{front}---\n{text}".encode())

    def put(self, name: str, content: bytes) -> Path:
        (self.folder / name).mkdir(parents=True, exist_ok=True)
        (self.folder / name / "instructions.md").write_bytes(content)
        return self.folder / name / "instructions.md"


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(tmp_path, capsys)


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
    assert (wrong.status, wrong.out, wrong.err) == (1, "", "Error: there is no group 'repo'; the nearest is notes\n")


def test_a_new_group_has_a_folder_and_what_is_still_to_do_is_said(desk: Desk) -> None:
    said = desk.say("add", "notes", "--channel", "telegram", "--chat", "-77", "--description", "Knows: my notes")
    file = desk.folder / "notes" / "instructions.md"
    assert said == [
        f"notes is a group now: {file.parent}",
        "To do:",
        f"  write what it is for into {file}",
        "  put -77 into channels.telegram.allow_from: else only whom you have let in is heard there",
        "  no group is main yet, and main may ask every other: retinue groups add NAME --main",
    ]
    assert file.read_text().startswith("---\ndescription: 'Knows: my notes'\naddress: telegram:-77\n---\n\nYou are")
    assert (file.parent / "workspace").is_dir()
    assert desk.say("check") == ["1 group in order: notes"]


def test_main_takes_no_address_and_lives_with_the_owner(desk: Desk) -> None:
    assert "no group is main" not in "".join(desk.say("add", "home", "--main", "--description", "x"))
    assert "  at:       telegram:7, terminal:local" in desk.say("list")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--chat", "-77"), "An address"),
        (("--channel", "telegram"), "an address takes both: --channel C --chat ID"),
        (("--thread", "7"), "an address takes both: --channel C --chat ID"),
        (("--channel", "slack", "--chat", "5"), "must begin with telegram, discord, terminal"),
        (("--channel", "telegram", "--chat", "@ann"), "names no chat there; write it as telegram:-1001234"),
        (("--channel", "telegram", "--chat", "5", "--thread", "x:y"), "names no chat there"),
        ((), "say where it is: --channel C --chat ID (C is telegram, discord, terminal), or --main"),
        (("--main",), "home is main, and only one can be; retinue groups remove home makes room"),
        (("--channel", "telegram", "--chat", "-55"), "notes is at telegram:-55, and one chat has one group; take"),
        (("--channel", "telegram", "--chat", "7"), "home is at telegram:7, and one chat has one group"),
        (("--channel", "terminal", "--chat", "local"), "home is at terminal:local, and"),
    ],
)
def test_a_group_that_cannot_be_is_not_made(three: Desk, words: tuple[str, ...], said: str) -> None:
    assert said.lower() in three.refused("add", "new", *words).lower()
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
    assert said[0] == f"drafts is a group now: {three.folder / 'drafts'}"
    file = three.folder / "drafts" / "instructions.md"
    assert file.read_bytes() == b"---\ndescription: x\naddress: discord:@5\n---\nYou are.\n"
    again = three.say("add", "drafts", "--channel", "discord", "--chat", "@5")
    assert again[0] == f"drafts is so already: {file.parent}"
    assert three.say("add", "drafts", "--channel", "discord", "--chat", "6")[0].startswith("drafts is changed")
    assert b"address: discord:6\n" in file.read_bytes()


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbfYou are mine.\r\nAll.\r\n", b"---\n---\nYou are mine."])
def test_a_file_without_front_matter_gets_one(desk: Desk, content: bytes) -> None:
    file = desk.put("drafts", content)
    desk.say("add", "drafts", "--channel", "telegram", "--chat", "5")
    assert desk.say("check") == ["1 group in order: drafts"]
    assert file.read_bytes().endswith(content.removeprefix(b"\xef\xbb\xbf").removeprefix(b"---\n---\n"))
    assert file.read_bytes().startswith(content[:3] if content[:1] == b"\xef" else b"---\n")


def test_who_may_ask_whom_is_said_and_taken_back_and_twice_is_as_once(three: Desk) -> None:
    file = three.folder / "repo" / "instructions.md"
    before = file.read_bytes()
    for _ in range(2):
        assert three.say("allow", "Repo", "NOTES") == ["repo may ask notes"]
        assert file.read_bytes() == b"---\naddress: telegram:-66:7\nallow_delegation: [notes]\n---\nYou are.\n"
    assert three.say("allow", "repo", "drafts") == [
        "repo may ask drafts",
        "drafts is not registered yet: retinue groups add drafts --channel C --chat ID",
    ]
    for _ in range(2):
        assert three.say("deny", "repo", "drafts") == ["repo may not ask drafts"]
        assert three.say("deny", "repo", "Notes")[0].startswith("repo may not ask ")
    assert file.read_bytes() == before.replace(b":7\n", b":7\nallow_delegation: []\n")


def test_main_needs_no_leave(three: Desk) -> None:
    assert three.say("allow", "home", "repo") == ["home is main, and may ask repo as every group: that needs no leave"]
    assert three.refused("deny", "home", "repo") == "Error: home is main, and may ask every group; nothing is changed"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("allow", "notes", "home"), "Error: home is main, which nobody may ask"),
        (("allow", "notes", "NOTES"), "Error: notes may ask itself as it is: that needs no leave"),
        (("allow", "notes", "rep"), "Error: there is no group 'rep'; the nearest is repo"),
        (("allow", "note", "repo"), "Error: there is no group 'note'; the nearest is notes"),
        (("deny", "note", "repo"), "Error: there is no group 'note'; the nearest is notes"),
        (("deny", "notes", "rep"), "Error: there is no group 'rep'; the nearest is repo"),
        (("deny", "notes", "notes"), "Error: notes may always ask itself; nothing is changed"),
        (("remove", "note"), "Error: there is no group 'note'; the nearest is notes"),
        (("show", "note"), "Error: there is no group 'note'; the nearest is notes"),
    ],
)
def test_what_would_be_a_fault_is_refused(three: Desk, words: tuple[str, ...], said: str) -> None:
    assert three.refused(*words) == said


def test_what_is_removed_keeps_its_folder_and_who_still_names_it_is_told(three: Desk) -> None:
    said = three.say("remove", "repo")
    folder = three.folder / "repo"
    assert said == [
        f"repo is no group any more; its folder is kept: {folder}",
        "notes still names it: retinue groups deny notes repo",
    ]
    assert (folder / "instructions.md").read_bytes() == b"---\n---\nYou are.\n"
    assert three.say("remove", "repo")[0] == f"repo is no group; its folder is kept: {folder}"
    assert three.say("check") == ["2 groups in order: home, notes"]
    assert three.say("remove", "home")[0].startswith("home is no group any more")
    assert "notes/instructions.md: allow_delegation: repo is main" in three.refused("add", "repo", "--main")
    three.say("deny", "notes", "repo")
    assert three.say("add", "repo", "--main")[0].startswith("repo is a group now")


def test_a_fault_is_told_with_status_1_and_the_list_says_it_too(three: Desk) -> None:
    file = three.write("bad", "address: telegram:8\nfoo: x\n")
    line = f"{file}: foo is not a key of a group; the nearest is tools"
    assert three.run("check") == (1, f"{line}\n", "")
    said = three.say()
    assert said[said.index("bad") : said.index("bad") + 3] == ["bad", "  at:       telegram:8", f"  off:      {line}"]
    assert three.say("list") == said
    assert three.refused("allow", "bad", "notes") == f"{line}; mend that first: nothing is changed"


def test_a_group_in_fault_with_another_can_still_be_mended(three: Desk) -> None:
    three.write("twin", "address: telegram:-55\n")
    assert three.run("check")[0] == 1
    assert three.say("add", "twin", "--channel", "telegram", "--chat", "-56")[0].startswith("twin is changed")
    assert three.run("check")[0] == 0


def test_the_list_says_where_each_is_and_who_asks_whom(three: Desk) -> None:
    assert three.say() == [
        *("home", "  main:     yes", "  at:       telegram:7, terminal:local"),
        *("  asks:     notes, repo (main asks every group)", "  asked by: nobody", ""),
        *("notes", "  Knows my notes.", "  at:       telegram:-55", "  asks:     repo", "  asked by: home", ""),
        *("repo", "  at:       telegram:-66:7", "  asks:     nobody", "  asked by: home, notes", ""),
        *("drafts", "  x", "  off:      not registered: retinue groups add drafts --channel C --chat ID", ""),
        f"They lie in {three.folder}; a running bot takes up within seconds what changes there.",
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
    assert desk.say() == [
        f"There are no groups in {desk.folder} yet: retinue groups add NAME --channel C --chat ID makes one."
    ]
    assert desk.say("check") == ["0 groups in order"]
    assert not desk.folder.exists()


def test_nothing_that_somebody_wrote_reaches_the_terminal_as_an_order_to_it(desk: Desk) -> None:
    desk.write("notes", 'address: telegram:5\ndescription: "\\e[2J gone"\n', "You \x1b[2J are.\n")
    assert "\x1b" not in "".join([*desk.say(), *desk.say("show", "notes"), *desk.say("--json")])


def test_two_commands_at_once_wait_for_one_another(three: Desk) -> None:
    loaded = load(three.place / "config.json", variables={})
    why = "another command is changing the groups; try again later"
    with alone(loaded), pytest.raises(ConfigError, match=why), alone(loaded, seconds=0.1):
        raise AssertionError("two at once")
    assert three.say("allow", "repo", "notes") == ["repo may ask notes"]


def test_where_nothing_can_be_written_it_says_where_it_can(three: Desk) -> None:
    place = three.folder / "new"
    place.symlink_to("/proc")  # where not even root makes a file
    said = three.refused("add", "new", "--channel", "telegram", "--chat", "5")
    assert "nothing can be written here: " in said
    assert said.endswith("; a tenant's groups are changed as root on the host, with --config")


def test_a_file_of_the_operators_own_that_a_link_leads_to_is_changed_there(three: Desk, tmp_path: Path) -> None:
    file = three.folder / "repo" / "instructions.md"
    file.rename(tmp_path / "mine.md")
    file.symlink_to(tmp_path / "mine.md")
    (tmp_path / "mine.md").chmod(0o640)
    three.say("allow", "repo", "notes")
    assert file.is_symlink()
    assert "allow_delegation: [notes]" in (tmp_path / "mine.md").read_text()
    assert (tmp_path / "mine.md").stat().st_mode & 0o777 == 0o640
