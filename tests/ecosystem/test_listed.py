"""What is listed: enough of each kind, and each in one version."""

from collections import Counter

from tests.ecosystem.agents import file_name
from tests.ecosystem.listed import read_list


def test_twenty_of_each_kind_are_listed() -> None:
    listed = read_list()
    assert Counter(server.needs for server in listed.servers.values())[""] >= 20
    assert len({skill.name for skill in listed.skills}) == len(listed.skills) >= 20
    assert len({file_name(agent) for agent in listed.agents}) == len(listed.agents) >= 20


def test_each_has_one_version() -> None:
    listed = read_list()
    assert all(len(each.commit) == 40 for each in (*listed.skills, *listed.agents))
    assert all(server.version[0].isdecimal() for server in listed.servers.values())
    assert all(before.version != after.version for before, after in listed.changes)


def test_each_script_is_of_a_listed_skill() -> None:
    listed = read_list()
    assert {script.skill for script in listed.scripts} <= {skill.name for skill in listed.skills}
