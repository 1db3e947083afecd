"""Groups as an operator writes them: what is read of their files, and what is wrong with one while the others go on."""

import errno
import os
from pathlib import Path

import pytest

from bot.config import texts as config_texts
from bot.config.groups import texts
from bot.config.groups.file import address_forms_by_channel
from bot.config.roles import texts as role_texts
from bot.core import prompt_guidance
from bot.core.errors import ConfigError
from bot.core.group import NO_GROUPS
from bot.core.messages import NO_GROUP, Address, GroupName
from bot.core.texts import people, setting_values
from bot.engine import commands
from channels.terminal.conversation import LOCAL_ADDRESS
from tests.support.engine_options import DELEGATION_LIMITS, TURN_LIMITS
from tests.support.fakes import own_text
from tests.support.group_folders import HERE, OWNER, Groups


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
    assert (found.askable_group_names, found.is_main) == (frozenset({"repo"}), False)
    assert found.workspace == groups.folder / "notes" / "workspace"
    assert (found.limits.iterations, found.limits.tokens, found.limits.seconds) == (5, 600, 70)
    assert (found.agent.limits.iterations, found.agent.limits.tokens, found.agent.limits.seconds) == (5, 600, 70)
    assert (found.limits.cost, found.agent.limits.cost) == (TURN_LIMITS.cost, DELEGATION_LIMITS.cost)


def test_keys_missing_from_a_file_come_from_the_config(groups: Groups) -> None:
    groups.settings = {"model": {"lead": "claude-lead"}}
    groups.write("notes", "address: discord:@5")
    found = groups.group("notes")
    assert (found.agent.model, found.agent.tools, found.askable_group_names) == ("claude-lead", None, frozenset())
    assert (found.limits, found.agent.limits) == (TURN_LIMITS, DELEGATION_LIMITS)


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
    assert groups.read().groups.group_name_at(OWNER) == "home"
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
def test_a_folder_with_neither_address_nor_main_is_no_group_and_no_fault(
    groups: Groups, name: str, content: bytes
) -> None:
    groups.put("drafts", content)
    groups.write("notes", "address: telegram:5\nallow_delegation: [drafts]")
    (groups.folder / "empty").mkdir()
    (groups.folder / ".hidden").mkdir()
    (groups.folder / "README.md").write_text("---\nmain: true\n---\n")
    found = groups.read()
    assert found.faults == ()
    assert [folder.name for folder in found.group_files] == ["drafts", "empty", "notes"]
    assert [group.name for group in found.groups] == ["notes"]


ALONE = [
    ("foo: x", texts.UNKNOWN_KEY(key="foo", nearest="tools")),
    ("adress: telegram:6", texts.UNKNOWN_KEY(key="adress", nearest="address")),
    ("effort: high", texts.UNKNOWN_KEY(key="effort", nearest="hosts")),
    ("main: yes", config_texts.WRONG_VALUE(key="main", problem=setting_values.MUST_BE_BOOLEAN)),
    ("main: True", config_texts.WRONG_VALUE(key="main", problem=setting_values.MUST_BE_BOOLEAN)),
    ("name: Notes", texts.NAME_NOT_THE_FOLDERS(name="bad")),
    ("model: ''", config_texts.WRONG_VALUE(key="model", problem=setting_values.MUST_NOT_BE_EMPTY)),
    ("limits: {usd: 5}", texts.UNKNOWN_KEY(key="limits.usd", nearest="limits")),
    ("limits: {tokens: -1}", "limits.tokens must be greater than or equal to 1"),
    ("tools: [read_fil]", texts.NO_SUCH_TOOL(tool="read_fil", nearest="read_file")),
    ("tools: mcp__mail__read", texts.NO_SUCH_TOOL(tool="mcp__mail__read", nearest="cancel_delegation")),
    ("tools: [{a: b}]", role_texts.NOT_TOOLS(key="tools")),
    ("allow_delegation: notes", config_texts.WRONG_VALUE(key="allow_delegation", problem=setting_values.MUST_BE_LIST)),
    ("allow_delegation: [note]", texts.NO_SUCH_GROUP(group="note", nearest="notes")),
    ("allow_delegation: [HOME]", texts.MAY_NOT_ASK_MAIN(group="HOME")),
    (
        "allow_delegation: ['../x']",
        config_texts.WRONG_VALUE(key="allow_delegation[0]", problem=texts.NAME_NOT_OF_A_FOLDER),
    ),
    ("description: &a x", f"3: {role_texts.NO_ANCHORS}"),
    ("x: [", "4: " + role_texts.NOT_YAML(problem="expected the node content, but found '<stream end>'")),
]


@pytest.mark.parametrize(("line", "said"), ALONE, ids=[line for line, _ in ALONE])
def test_a_faulty_file_is_reported_and_the_others_go_on(groups: Groups, line: str, said: str) -> None:
    groups.write("home", "main: true")
    groups.write("notes", "address: telegram:5\nallow_delegation: [bad]")
    groups.write("bad", f"address: telegram:6\n{line}")
    assert groups.faults().keys() == {"bad"}
    assert groups.faults()["bad"] == said
    there = groups.read().groups
    assert [group.name for group in there] == ["home", "notes"]
    assert there.group_name_at(Address(channel="telegram", chat="6")) == "bad", "nobody else answers there"
    assert there.find_working_group("bad") is None
    assert there.groups_askable_by(there.group_name_at(OWNER)) == [groups.group("notes")]


NO_CHANNEL = texts.NO_CHANNEL(
    channels="telegram, discord, terminal", example=address_forms_by_channel()["telegram"].example
)
ADDRESSES = [
    ("telegram", texts.NO_CHAT(example=address_forms_by_channel()["telegram"].example)),
    ("telegram:", texts.NO_CHAT(example=address_forms_by_channel()["telegram"].example)),
    ("telegram:@ann", texts.NO_CHAT(example=address_forms_by_channel()["telegram"].example)),
    ("telegram:0012", texts.NO_CHAT(example=address_forms_by_channel()["telegram"].example)),
    ("telegram:5:x", texts.NO_CHAT(example=address_forms_by_channel()["telegram"].example)),
    ("telegram:5:6:7", texts.NO_CHAT(example=address_forms_by_channel()["telegram"].example)),
    ("telegram:٣", texts.NO_CHAT(example=address_forms_by_channel()["telegram"].example)),
    ("discord:-5", texts.NO_CHAT(example=address_forms_by_channel()["discord"].example)),
    ("terminal:remote", texts.NO_CHAT(example=address_forms_by_channel()["terminal"].example)),
    ("terminal:local:1", texts.NO_CHAT(example=address_forms_by_channel()["terminal"].example)),
    ("slack:5", NO_CHANNEL),
    ("-1001234", NO_CHANNEL),
    ("[telegram]", texts.ADDRESS_NOT_TEXT),
    ("''", NO_CHANNEL),
]


@pytest.mark.parametrize(("address", "said"), ADDRESSES, ids=[address for address, _ in ADDRESSES])
def test_an_address_that_is_none_is_told_with_one_that_is(groups: Groups, address: str, said: str) -> None:
    groups.write("bad", f"address: {address}")
    assert groups.faults()["bad"] == config_texts.WRONG_VALUE(key="address", problem=said)


def test_two_groups_at_one_address_are_both_off(groups: Groups) -> None:
    groups.write("a", "address: telegram:5")
    groups.write("b", "address: telegram:5")
    groups.write("thread", "address: telegram:5:6")
    assert groups.faults() == {
        "a": texts.ADDRESS_TAKEN(other="b", address="telegram:5"),
        "b": texts.ADDRESS_TAKEN(other="a", address="telegram:5"),
    }
    there = groups.read().groups
    assert there.group_name_at(Address(channel="telegram", chat="5")) in ("a", "b")
    assert [group.name for group in there] == ["thread"]


def test_a_group_where_main_lives_by_default_is_off_and_so_is_main(groups: Groups) -> None:
    groups.write("home", "main: true")
    groups.write("b", "address: telegram:7")
    assert groups.faults() == {
        "home": texts.OWNERS_CHAT_TAKEN(other="b", address="telegram:7"),
        "b": texts.ADDRESS_TAKEN(other="home", address="telegram:7"),
    }


def test_two_mains_are_both_off(groups: Groups) -> None:
    groups.write("a", "main: true\naddress: telegram:5")
    groups.write("b", "main: true\naddress: telegram:6")
    assert groups.faults() == {"a": texts.TWO_MAINS(other="b"), "b": texts.TWO_MAINS(other="a")}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("writer", texts.NAME_IS_A_ROLES(role="Writer")),
        ("LEAD", texts.NAME_IS_LEAD),
        ("a.b", texts.NAME_NOT_VALID(name="a.b")),
        ("x" * 41, texts.NAME_NOT_VALID(name="x" * 41)),
        ("a\u202eb", texts.NAME_NOT_VALID(name=r"a\u202eb")),
    ],
)  # fmt: skip
def test_a_name_that_cannot_be_a_groups(groups: Groups, name: str, said: str) -> None:
    groups.write(name, "address: telegram:5")
    assert said in groups.faults()[name]


def test_names_that_differ_only_in_case_are_both_off(groups: Groups) -> None:
    groups.write("notes", "address: telegram:5")
    groups.write("Notes", "address: telegram:6")
    assert groups.faults() == {
        "notes": texts.NAMES_ALIKE(other="Notes"),
        "Notes": texts.NAMES_ALIKE(other="notes"),
    }


def test_without_main_the_owners_chats_and_the_terminal_count_as_main(groups: Groups) -> None:
    groups.write("notes", "address: telegram:5")
    groups.write("repo", "address: telegram:6")
    stranger = Address(channel="telegram", chat="9")

    def asked_by_lead() -> list[list[str]]:
        there = groups.read().groups.with_lost_addresses_from(NO_GROUPS)  # as a running bot reads them again
        return [
            [each.name for each in there.groups_askable_by(NO_GROUP, at)] for at in (OWNER, LOCAL_ADDRESS, stranger)
        ]

    assert asked_by_lead() == [["notes", "repo"], ["notes", "repo"], []]
    groups.write("repo", "address: telegram:6\nmain: true")
    assert asked_by_lead() == [[], [], []], "main asks them, wherever it is"
    groups.write("repo", "adress: telegram:6\nmain: true")
    assert asked_by_lead() == [[], [], []], "main has a fault"


def test_a_file_that_lost_its_address_is_still_a_groups(groups: Groups) -> None:
    """Its name is no role's: or somebody who is asked for the mail would be made up from that name alone."""
    groups.write("mail", "adress: telegram:-1001234")
    groups.write("home", "main: true")
    found = groups.read().groups
    assert found.names_of_faulty_groups == ["mail"]
    assert found.has_group_named("Mail")
    assert found.may_ask_group_once_working(GroupName("home"), "mail")


def test_a_group_without_instructions_is_off(groups: Groups) -> None:
    groups.write("notes", "address: telegram:5", "\n ")
    assert groups.faults() == {"notes": texts.NO_PROMPT}


def test_without_a_folder_there_are_no_groups(groups: Groups) -> None:
    groups.folder.rmdir()
    found = groups.read()
    assert (found.group_files, found.faults, list(found.groups)) == ((), (), [])


def test_a_folder_of_groups_that_is_none_is_an_error(groups: Groups) -> None:
    groups.folder.rmdir()
    groups.folder.write_text("x")
    with pytest.raises(ConfigError) as error:
        groups.read()
    reason = os.strerror(errno.ENOTDIR)
    assert str(error.value) == texts.GROUPS_FOLDER_NOT_READABLE(path=groups.folder, reason=reason)


def test_the_owner_is_told_an_address_as_it_is_written_in_the_file(groups: Groups) -> None:
    groups.write("notes", "address: discord:@5")
    assert commands.describe_groups(groups.read().groups).splitlines() == [
        people.GROUP_THAT_ASKS_NOBODY(group="notes", addresses="discord:@5"),
        people.OWNER_CHAT_IS_MAIN(),
    ]


def test_an_agents_prompt_begins_with_how_to_talk_and_what_is_untrusted(groups: Groups) -> None:
    groups.write("notes", "address: telegram:6", "You know notes.")
    prompt = groups.group("notes").agent.prompt
    assert prompt.startswith(prompt_guidance.CHAT_GUIDANCE)
    assert prompt_guidance.UNTRUSTED_MATERIAL_GUIDANCE in prompt
    assert own_text(prompt) == "You know notes."
