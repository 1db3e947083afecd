"""Groups as an operator writes them: what is read of their files, and what is wrong with one while the others go on."""

from pathlib import Path

import pytest

from bot import commands, guidance
from bot.errors import ConfigError
from bot.limits import A_DELEGATION, A_TURN
from bot.messages import Address
from tests.fakes import own_text
from tests.groupfolders import HERE, OWNER, Groups


@pytest.fixture
def groups(tmp_path: Path) -> Groups:
    return Groups(tmp_path)


def test_a_file_says_all_that_a_group_is(groups: Groups) -> None:
    groups.write(
        "notes",
        "name: notes\ndescription: Knows my notes.\naddress: telegram:-1001234:7\ntools: Read, grep\nmodel: claude-x\n"
        "limits: {iterations: 5, tokens: 600, seconds: 70}\nallow_delegation: [Repo, notes]",
        "You know\nnotes.\n",
    )
    groups.write("repo", "address: discord:123")
    found = groups.group("NOTES")
    assert (found.name, found.agent.name, own_text(found.agent.prompt)) == ("notes", "notes", "You know\nnotes.")
    assert (found.agent.description, found.agent.model) == ("Knows my notes.", "claude-x")
    assert (found.agent.tools, found.agent.delegates_to) == (frozenset({"read_file", "grep"}), None)
    assert found.addresses == (Address(channel="telegram", chat="-1001234", thread="7"),)
    assert (found.may_ask, found.is_main) == (frozenset({"repo"}), False)
    assert found.workspace == groups.folder / "notes" / "workspace"
    assert (found.limits.iterations, found.limits.tokens, found.limits.seconds) == (5, 600, 70)
    assert (found.agent.limits.iterations, found.agent.limits.tokens, found.agent.limits.seconds) == (5, 600, 70)
    assert (found.limits.cost, found.agent.limits.cost) == (A_TURN.cost, A_DELEGATION.cost)


def test_what_a_file_leaves_out_is_the_configs(groups: Groups) -> None:
    groups.settings = {"model": {"lead": "claude-lead"}}
    groups.write("notes", "address: discord:@5")
    found = groups.group("notes")
    assert (found.agent.model, found.agent.tools, found.may_ask) == ("claude-lead", None, frozenset())
    assert (found.limits, found.agent.limits) == (A_TURN, A_DELEGATION)


@pytest.mark.parametrize(
    ("said", "meant"), [("opus", "claude-opus-5-5"), ("inherit", "claude-sonnet-5-5"), ("claude-y", "claude-y")]
)
def test_a_model_may_be_called_as_in_a_roles_file(groups: Groups, said: str, meant: str) -> None:
    groups.write("notes", f"address: telegram:5\nmodel: {said}")
    assert groups.group("notes").agent.model == meant


def test_a_model_that_another_server_has_not_is_the_leads(groups: Groups) -> None:
    groups.settings = {"model": {"lead": "qwen", "roles": "qwen", "base_url": "http://127.0.0.1:9"}}
    groups.write("notes", "address: telegram:5\nmodel: opus")
    assert groups.group("notes").agent.model == "qwen"


def test_main_lives_in_each_owners_private_chat_unless_it_says_where(groups: Groups) -> None:
    groups.write("home", "main: true")
    assert groups.group("home").addresses == (OWNER, HERE)
    assert groups.read().groups.at(OWNER) == "home"
    groups.write("home", "main: true\naddress: telegram:-55")
    assert groups.group("home").addresses == (Address(channel="telegram", chat="-55"),)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("no address", b"---\ndescription: x\n---\nYou are."),
        ("not main", b"---\nmain: false\n---\nYou are."),
        ("a prompt alone", b"You are a group that nobody has registered."),
        ("no keys", b"---\n---\nYou are."),
        ("nothing", b""),
        ("lines", b"\r\n \n"),
    ],
)
def test_a_folder_that_says_neither_where_it_is_nor_that_it_is_main_is_no_group_and_no_fault(
    groups: Groups, name: str, content: bytes
) -> None:
    groups.put("drafts", content)
    groups.write("notes", "address: telegram:5\nallow_delegation: [drafts]")
    (groups.folder / "empty").mkdir()
    (groups.folder / ".hidden").mkdir()
    (groups.folder / "README.md").write_text("---\nmain: true\n---\n")
    found = groups.read()
    assert found.faults == ()
    assert [folder.name for folder in found.folders] == ["drafts", "empty", "notes"]
    assert [group.name for group in found.groups] == ["notes"]


ALONE = [
    ("foo: x", "foo is not a key of a group; the nearest is tools"),
    ("adress: telegram:6", "adress is not a key of a group; the nearest is address"),
    ("effort: high", "effort is not a key of a group; the nearest is description"),
    ("main: yes", "main must be true or false"),
    ("main: True", "main must be true or false"),
    ("name: Notes", "name must be that of its folder, bad; leave it out"),
    ("model: ''", "model must not be empty; leave it out instead"),
    ("limits: {usd: 5}", "limits.usd is not a key of a group; the nearest is limits"),
    ("limits: {tokens: -1}", "limits.tokens must be greater than or equal to 1"),
    ("tools: [read_fil]", "tools: there is no tool read_fil; the nearest is read_file"),
    ("tools: mcp__mail__read", "tools: there is no tool mcp__mail__read; the nearest is cancel_delegation"),
    ("tools: [{a: b}]", "tools must be a list of names, as [read_file, glob] or read_file, glob"),
    ("allow_delegation: notes", "allow_delegation must be a list"),
    ("allow_delegation: [note]", "allow_delegation: there is no group note; the nearest is notes"),
    ("allow_delegation: [HOME]", "allow_delegation: HOME is main, which nobody may ask; take it out of the list"),
    (
        "allow_delegation: ['../x']",
        "allow_delegation[0] must be 1 to 40 letters, digits, spaces, hyphens or underscores: "
        "it is the name of its folder",
    ),
    ("description: &a x", "3: anchors (&) and aliases (*) are not read; put such a text in quotes"),
    ("x: [", "4: not valid YAML: expected the node content, but found '<stream end>'"),
]


@pytest.mark.parametrize(("line", "said"), ALONE, ids=[line for line, _ in ALONE])
def test_what_is_wrong_in_a_file_is_said_and_the_others_go_on(groups: Groups, line: str, said: str) -> None:
    groups.write("home", "main: true")
    groups.write("notes", "address: telegram:5\nallow_delegation: [bad]")
    groups.write("bad", f"address: telegram:6\n{line}")
    assert groups.faults().keys() == {"bad"}
    assert groups.faults()["bad"] == said
    there = groups.read().groups
    assert [group.name for group in there] == ["home", "notes"]
    assert there.at(Address(channel="telegram", chat="6")) == "bad", "nobody else answers there"
    assert there.named("bad") is None
    assert there.asked_by(there.at(OWNER)) == [groups.group("notes")]


ADDRESSES = [
    ("telegram", "names no chat there; write it as telegram:-1001234, or with a thread telegram:-1001234:7"),
    ("telegram:", "names no chat there"),
    ("telegram:@ann", "names no chat there"),
    ("telegram:0012", "names no chat there"),
    ("telegram:5:x", "names no chat there"),
    ("telegram:5:6:7", "names no chat there"),
    ("telegram:٣", "names no chat there"),
    ("discord:-5", "names no chat there; write it as discord:123, the id of a channel (discord:@123: of a person)"),
    ("terminal:remote", "names no chat there; write it as terminal:local"),
    ("terminal:local:1", "names no chat there; write it as terminal:local"),
    ("slack:5", "must begin with telegram, discord, terminal, as telegram:-1001234"),
    ("-1001234", "must begin with telegram, discord, terminal, as telegram:-1001234"),
    ("[telegram]", "must be text, as telegram:-1001234"),
    ("''", "must begin with telegram, discord, terminal"),
]


@pytest.mark.parametrize(("address", "said"), ADDRESSES, ids=[address for address, _ in ADDRESSES])
def test_an_address_that_is_none_is_told_with_one_that_is(groups: Groups, address: str, said: str) -> None:
    groups.write("bad", f"address: {address}")
    assert groups.faults()["bad"].startswith(f"address {said}")


def test_two_groups_at_one_address_are_both_off(groups: Groups) -> None:
    groups.write("a", "address: telegram:5")
    groups.write("b", "address: telegram:5")
    groups.write("thread", "address: telegram:5:6")
    why = "is at telegram:5 too, and one chat has one group; change the address of one"
    assert groups.faults() == {"a": f"address: b {why}", "b": f"address: a {why}"}
    there = groups.read().groups
    assert there.at(Address(channel="telegram", chat="5")) in ("a", "b")
    assert [group.name for group in there] == ["thread"]


def test_a_group_where_main_lives_by_default_is_off_and_so_is_main(groups: Groups) -> None:
    groups.write("home", "main: true")
    groups.write("b", "address: telegram:7")
    why = "is at telegram:7 too, and one chat has one group;"
    assert groups.faults() == {
        "home": f"address: b {why} give main an address of its own",
        "b": f"address: home {why} change the address of one",
    }


def test_two_mains_are_both_off(groups: Groups) -> None:
    groups.write("a", "main: true\naddress: telegram:5")
    groups.write("b", "main: true\naddress: telegram:6")
    why = "is main too, and only one can be; take main out of one"
    assert groups.faults() == {"a": f"main: b {why}", "b": f"main: a {why}"}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("writer", "there is a role Writer, and a group needs a name of its own; rename its folder"),
        ("LEAD", "no group can be called lead, as whoever answers elsewhere is; rename its folder"),
        ("a.b", "the name of a group's folder must be 1 to 40 letters, digits, spaces, hyphens or underscores; rename "
         "the folder a.b"),
        ("x" * 41, "the name of a group's folder must be 1 to 40 letters"),
        ("a\u202eb", "the name of a group's folder must be 1 to 40 letters, digits, spaces, hyphens or underscores; "
         "rename the folder a\\u202eb"),
    ],
)  # fmt: skip
def test_a_name_that_cannot_be_a_groups(groups: Groups, name: str, said: str) -> None:
    groups.write(name, "address: telegram:5")
    assert said in groups.faults()[name]


def test_names_that_differ_only_in_case_are_both_off(groups: Groups) -> None:
    groups.write("notes", "address: telegram:5")
    groups.write("Notes", "address: telegram:6")
    assert groups.faults() == {
        "notes": "its name is but for case that of the group Notes; rename one folder",
        "Notes": "its name is but for case that of the group notes; rename one folder",
    }


def test_a_file_that_says_no_more_where_its_group_lives_is_a_groups_all_the_same(groups: Groups) -> None:
    """Its name is no role's: or somebody who is asked for the mail would be made up from that name alone."""
    groups.write("mail", "adress: telegram:-1001234")
    groups.write("home", "main: true")
    found = groups.read().groups
    assert found.out_of_order == ["mail"]
    assert found.has_name("Mail")
    assert found.grants(groups.group("home"), "mail")


def test_a_group_without_instructions_is_off(groups: Groups) -> None:
    groups.write("notes", "address: telegram:5", "\n ")
    assert groups.faults() == {"notes": "there is no text below the front matter; write what the group is for"}


def test_without_a_folder_there_are_no_groups(groups: Groups) -> None:
    groups.folder.rmdir()
    found = groups.read()
    assert (found.folders, found.faults, list(found.groups)) == ((), (), [])


def test_a_folder_of_groups_that_is_none_is_an_error(groups: Groups) -> None:
    groups.folder.rmdir()
    groups.folder.write_text("x")
    with pytest.raises(ConfigError, match=r"groups: cannot read this folder, which is swarm\.groups_dir: Not a direct"):
        groups.read()


def test_the_owner_is_told_an_address_as_it_is_written_in_the_file(groups: Groups) -> None:
    groups.write("notes", "address: discord:@5")
    assert commands.groups(groups.read().groups) == "notes at discord:@5: may ask nobody"


def test_an_agent_is_told_how_to_talk_and_what_is_no_instruction_above_its_own_text(groups: Groups) -> None:
    groups.write("notes", "address: telegram:6", "You know notes.")
    prompt = groups.group("notes").agent.prompt
    assert prompt.startswith(guidance.IN_A_CHAT)
    assert guidance.UNTRUSTED in prompt
    assert own_text(prompt) == "You know notes."
