"""The setting `allow_roles`: who has one of these roles may talk to the bot in the server that the role is of."""

from dataclasses import replace

from bot.core.access import Access
from bot.core.messages import PersonId
from bot.core.rights import EVERY_RIGHT, GUEST_RIGHTS, Right, Rights
from bot.core.texts import people_groups
from channels.discord import people_texts
from tests.stand_ins.discord import Person, Route
from tests.stand_ins.discord.interactions import Interaction
from tests.support.discord_channel import Town, at, private
from tests.support.discord_talk import Talk
from tests.support.troubles import wait_for_row

TALK_ONLY = frozenset({Right.TALK})
MORE = GUEST_RIGHTS | {Right.MEMORY}


def allow(talk: Talk, *roles: int, **rights: Rights) -> None:
    """Let only these roles talk, beside Ann, who owns the bot."""
    owner = PersonId(str(talk.town.ann.id))
    talk.access["discord"] = Access(
        owner_id=owner,
        owner_address=private(talk.town.ann),
        may_strangers_pair=True,
        allowed_roles=frozenset(map(str, roles)),
        rights_by_id={id.removeprefix("r"): each for id, each in rights.items()},
    )


async def commands_offered(talk: Talk) -> None:
    await talk.connected()
    await talk.town.server.until(lambda: talk.town.server.world.commands)


async def answer_to(talk: Talk, command: Interaction) -> str:
    await talk.town.server.until(lambda: command.original and command.original.text)
    assert command.original
    return command.original.text


async def ignored(talk: Talk, text: str) -> None:
    """Wait until what somebody has written was taken in, and is known not to be answered."""
    await wait_for_row(talk.bench, "inbox", "person = '' AND state = 'done'")
    assert talk.bench.count("inbox", f"text = '{text}'") == 0


async def test_who_has_the_role_may_talk_until_it_is_taken_away(talk: Talk, town: Town) -> None:
    family = town.server.role(town.home, "Family", town.bob)
    allow(talk, family)
    talk.bench.model.says("lead", "hello Bob")
    async with talk.run():
        await talk.connected()
        town.ask("hi", by=town.bob)
        await talk.sees(town.bob, town.general, "hello Bob")
        assert talk.bench.count("server_roles") == 1
        town.server.take_role(town.home, town.bob, family)
        town.ask("and now?", by=town.bob)
        await ignored(talk, "and now?")
    assert talk.bench.count("server_roles") == 0
    assert town.has_said() == ["hello Bob"]


async def test_a_role_counts_only_in_its_server(talk: Talk, town: Town) -> None:
    family = town.server.role(town.home, "Family", town.bob)
    away = town.server.guild("Away", town.bob)
    elsewhere = town.server.channel(away, "elsewhere")
    allow(talk, family)
    async with talk.run():
        await talk.connected()
        town.ask("hi", by=town.bob, channel=elsewhere)
        await ignored(talk, "hi")
        town.bob.say(town.bob.private(), "let me in")
        await talk.sees(town.bob, town.bob.private(), "code")
    assert town.has_said(elsewhere) == []


async def test_slash_commands_taps_and_ask_need_the_role_too(talk: Talk, town: Town) -> None:
    family = town.server.role(town.home, "Family", town.bob)
    eve = town.server.person("Eve")
    town.home.members.append(eve)
    allow(talk, family)
    talk.bench.model.says("lead", "asked aloud")
    async with talk.run():
        await commands_offered(talk)
        done = town.bob.command(town.general, "help")
        assert "/help" in await answer_to(talk, done)
        refused = eve.command(town.general, "help")
        asked = eve.command(town.general, "ask", text="may I?")
        assert {await answer_to(talk, refused), await answer_to(talk, asked)} == {people_texts.HAS_ARRIVED()}
        town.bob.command(town.general, "ask", text="may I?")
        await talk.sees(town.ann, town.general, "asked aloud")
    assert talk.bench.count("turns") == 1


async def test_roles_add_up_and_a_person_of_the_settings_stands_above_them(talk: Talk, town: Town) -> None:
    one, other = (town.server.role(town.home, name, town.bob) for name in ("One", "Other"))
    allow(talk, one, other, **{f"r{one}": TALK_ONLY, f"r{other}": MORE})
    access = talk.access["discord"]
    assert access.rights_by_roles([str(one)]) == TALK_ONLY
    assert access.rights_by_roles([str(one), str(other), "12"]) == MORE
    assert replace(access, others_rights=EVERY_RIGHT, rights_by_id={}).rights_by_roles([str(one)]) == EVERY_RIGHT
    talk.access["discord"] = replace(access, rights_by_id={**access.rights_by_id, str(town.bob.id): GUEST_RIGHTS})
    async with talk.run():
        await commands_offered(talk)
        told = await whereami(talk, town.bob)
    assert people_groups.RIGHTS_LINE(rights="talk, web") in told


async def whereami(talk: Talk, person: Person) -> str:
    done = person.command(talk.town.general, "whereami")
    return await answer_to(talk, done)


async def test_whereami_tells_ones_roles_and_which_are_allowed(talk: Talk, town: Town) -> None:
    one, other = (town.server.role(town.home, name, town.bob) for name in ("Family [x]", "Guests"))
    allow(talk, one)
    async with talk.run():
        await commands_offered(talk)
        told = (await whereami(talk, town.bob)).splitlines()
    assert people_groups.ALLOWED_ROLE_LINE(role=f"Family x {one}") in told
    assert people_groups.ROLE_LINE(role=f"Guests {other}") in told


async def test_people_lists_what_each_role_may(talk: Talk, town: Town) -> None:
    family = town.server.role(town.home, "Family", town.bob)
    allow(talk, family, **{f"r{family}": MORE})
    async with talk.run():
        await talk.connected()
        town.ann.say(town.ann.private(), "/people")
        told = await talk.sees(town.ann, town.ann.private(), str(family))
        town.ann.say(town.ann.private(), f"/people discord {family} give schedule")
        await talk.sees(town.ann, town.ann.private(), f"The rights of {family} are in the settings")
    assert told[-1].count(str(family)) == 1


async def test_roles_of_who_wrote_while_the_bot_was_away_are_asked_for(town: Town) -> None:
    family = town.server.role(town.home, "Family", town.bob)
    town.door.knows(at(town.general), 1)
    town.ask("one", by=town.bob)
    town.ask("two", by=town.ann)
    town.ask("three", by=town.bob)
    gone = town.server.person("Gone")
    town.ask("four", by=gone)
    async with town.at_work(reads_roles=True):
        heard = await town.door.messages(4)
    roles = [[role.id for role in each.sender.server_roles or ()] for each in heard]
    assert roles == [[str(family)], [], [str(family)], []]
    assert len(town.server.to(Route.MEMBER)) == 3
