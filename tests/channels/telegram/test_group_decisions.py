"""Who may talk in a Telegram group: the settings say it while they do, and the owner changes a decision later. Only the
model is not real."""

from dataclasses import replace

from bot.core.texts import people_groups
from tests.stand_ins.telegram import Person, Room, Standing, TelegramStandIn
from tests.support.bench import Bench
from tests.support.group_questions import EVERYBODY, LEAVE, ONLY_ME, is_asked
from tests.support.places.telegram import ANN, owned_by
from tests.support.telegram_bot import EVE, bot, private, said, sees
from tests.support.troubles import wait_for_row


async def test_a_group_that_the_settings_opened_closes_with_them(
    bench: Bench, server: TelegramStandIn, team: Room, ben: Person
) -> None:
    bench.model.says("lead", "hello Eve", "hello Ann")
    public = {"telegram": replace(owned_by(ANN)["telegram"], is_public=True)}
    async with bot(bench, server, public):
        team.change_bot(ben, Standing.MEMBER)
        team.say(server.person(EVE, "Eve"), "@retinue_bot hi")
        await sees(server, team, lambda there: "hello Eve" in there)
    async with bot(bench, server, owned_by(ANN)):
        team.say(server.person(EVE, "Eve"), "@retinue_bot hi again")
        team.say(server.person(ANN, "Ann"), "@retinue_bot hi")
        await sees(server, team, lambda there: "hello Ann" in there)
    assert bench.count("turns") == 2


async def test_the_owner_closes_a_group_that_was_open_to_everybody(
    bench: Bench, server: TelegramStandIn, team: Room, ben: Person
) -> None:
    owner = private(server)
    async with bot(bench, server, owned_by(ANN)):
        team.change_bot(ben, Standing.MEMBER)
        await is_asked(server, owner, team)
        owner.tap(owner.chat.person, owner.answers()[0], EVERYBODY)
        await wait_for_row(bench, "group_starts", "decision = 'everybody'")
        owner.say(owner.chat.person, "/people")
        line = people_groups.GROUP_LINE(
            channel="telegram", chat=team.id, title="Team", who=people_groups.DECISIONS["everybody"]()
        )
        await sees(server, owner, lambda there: any(line in text.splitlines() for text in there))
        owner.say(owner.chat.person, f"/people telegram {team.id}")
        again = people_groups.WHO_MAY_TALK_NOW(line=line)
        await sees(server, owner, lambda there: any(text.startswith(again) for text in there))
        [asked] = [each for each in owner.answers() if each.text.startswith(again)]
        assert asked.labels == [EVERYBODY, ONLY_ME, LEAVE]
        owner.tap(owner.chat.person, asked, ONLY_ME)
        await wait_for_row(bench, "group_starts", "decision = 'owner'")
        team.say(server.person(EVE, "Eve"), "@retinue_bot hi")
        team.change_bot(ben, Standing.LEFT)
        team.change_bot(ben, Standing.MEMBER)
        hello = " ".join([people_groups.HELLO(), people_groups.HEARS_OWN(), people_groups.OWNER_HAS_DECIDED()])
        await sees(server, team, lambda there: hello in there)
    assert bench.count("turns") == 0
    assert bench.count("questions") == 2


async def test_the_owner_decides_about_a_group_that_became_a_supergroup_meanwhile(
    bench: Bench, server: TelegramStandIn, ben: Person
) -> None:
    owner, team = private(server), server.group("Team", server.person(ANN, "Ann"), ben)
    team.chat.standings[server.world.bot.id] = Standing.LEFT
    bench.model.says("lead", "hello Ben")
    async with bot(bench, server, owned_by(ANN)):
        team.change_bot(ben, Standing.MEMBER)
        await is_asked(server, owner, team)
        moved = team.migrate(ben)
        await wait_for_row(bench, "group_starts", f"group_chat = '{moved.id}'")
        owner.tap(owner.chat.person, owner.answers()[0], EVERYBODY)
        await wait_for_row(bench, "group_starts", "decision = 'everybody'")
        moved.say(ben, "@retinue_bot hi")
        await sees(server, moved, lambda there: "hello Ben" in there)
        moved.change_bot(ben, Standing.LEFT)
        moved.change_bot(ben, Standing.MEMBER)
        await sees(server, moved, lambda there: len(there) == 2)
    assert bench.count("group_starts") == bench.count("questions") == 1
    assert people_groups.OWNER_DECIDES() not in said(moved)[-1]


async def test_a_group_of_the_settings_is_changed_there(
    bench: Bench, server: TelegramStandIn, team: Room, ben: Person
) -> None:
    owner = private(server)
    async with bot(bench, server, owned_by(ANN, team.id)):
        team.change_bot(ben, Standing.MEMBER)
        await sees(server, team, lambda there: bool(there))
        owner.say(owner.chat.person, f"/people telegram {team.id}")
        why = people_groups.OPEN_IN_SETTINGS(title="Team", channel="telegram")
        await sees(server, owner, lambda there: why in there)
    assert bench.count("questions") == 0
