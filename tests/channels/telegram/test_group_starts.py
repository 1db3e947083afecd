"""The bot comes into a Telegram group: it says hello, and its owner decides who may talk to it. Only the model is not
real."""

from bot.core.texts import people_groups
from tests.stand_ins.telegram import Person, Room, Standing, TelegramStandIn
from tests.support.bench import Bench
from tests.support.group_questions import EVERYBODY, LEAVE, ONLY_ME, is_asked
from tests.support.places.telegram import ANN, owned_by
from tests.support.telegram_bot import EVE, bot, private, said, sees
from tests.support.troubles import wait_for_row


async def test_a_new_group_reads_how_to_address_the_bot_and_the_owner_is_asked_once(
    bench: Bench, server: TelegramStandIn, team: Room, ben: Person
) -> None:
    owner = private(server)
    async with bot(bench, server, owned_by(ANN)):
        team.change_bot(ben, Standing.MEMBER)
        await is_asked(server, owner, team)
        [hello] = await sees(server, team, lambda there: bool(there))
        team.change_bot(ben, Standing.LEFT)
        team.change_bot(ben, Standing.MEMBER)
        await sees(server, team, lambda there: len(there) == 2)
        bench.crashes()
    assert hello == " ".join([people_groups.HELLO(), people_groups.HEARS_OWN(), people_groups.OWNER_DECIDES()])
    assert owner.answers()[0].labels == [EVERYBODY, ONLY_ME, LEAVE]
    assert bench.count("questions") == 1


async def test_the_owner_lets_everybody_there_talk(
    bench: Bench, server: TelegramStandIn, team: Room, ben: Person
) -> None:
    owner = private(server)
    bench.model.says("lead", "hello Eve")
    async with bot(bench, server, owned_by(ANN)):
        team.change_bot(ben, Standing.MEMBER)
        await is_asked(server, owner, team)
        team.say(server.person(EVE, "Eve"), "@retinue_bot too early")
        owner.tap(owner.chat.person, owner.answers()[0], owner.answers()[0].labels[0])
        await wait_for_row(bench, "group_starts", "decision = 'everybody'")
        team.say(server.person(EVE, "Eve"), "@retinue_bot hi")
        await sees(server, team, lambda there: "hello Eve" in there)
    assert 'id 9 "Eve"' in bench.model.heard("lead")[-1]


async def test_only_me_keeps_the_others_out(bench: Bench, server: TelegramStandIn, team: Room, ben: Person) -> None:
    owner = private(server)
    bench.model.says("lead", "hello Ann")
    async with bot(bench, server, owned_by(ANN)):
        team.change_bot(ben, Standing.MEMBER)
        await is_asked(server, owner, team)
        owner.tap(owner.chat.person, owner.answers()[0], owner.answers()[0].labels[1])
        await wait_for_row(bench, "group_starts", "decision = 'owner'")
        team.say(ben, "@retinue_bot hi")
        team.say(server.person(ANN, "Ann"), "@retinue_bot hi")
        await sees(server, team, lambda there: "hello Ann" in there)
    assert bench.count("turns") == 1


async def test_a_group_of_the_settings_needs_no_decision(
    bench: Bench, server: TelegramStandIn, team: Room, ben: Person
) -> None:
    async with bot(bench, server, owned_by(ANN, team.id)):
        team.change_bot(ben, Standing.MEMBER)
        there = await sees(server, team, lambda there: bool(there))
    assert there == [" ".join([people_groups.HELLO(), people_groups.HEARS_OWN()])]
    assert bench.count("questions") == 0


async def test_an_anonymous_admin_is_told_what_to_do_once(
    bench: Bench, server: TelegramStandIn, team: Room, ben: Person
) -> None:
    team.chat.standings[server.world.bot.id] = Standing.MEMBER
    bench.model.says("lead", "hello Ann")
    async with bot(bench, server, owned_by(ANN)):
        for _ in range(2):
            team.say_as(ben, team.chat.as_json(), "@retinue_bot hi")
        team.say(server.person(ANN, "Ann"), "@retinue_bot hi")
        await sees(server, team, lambda there: "hello Ann" in there)
    assert said(team).count(people_groups.ANONYMOUS_ADMIN()) == 1


async def test_whereami_names_the_ids_and_the_rights(bench: Bench, server: TelegramStandIn, ben: Person) -> None:
    ann = server.person(ANN, "Ann")
    forum = server.supergroup("Forum", ann, ben, forum=True)
    topic = forum.topic(ann, "News")
    async with bot(bench, server):
        forum.say(ann, "/whereami", thread=topic.id)
        [told] = await sees(server, forum, lambda there: bool(there))
    assert told.splitlines() == [
        people_groups.CHAT_ID(channel="telegram", chat=forum.id),
        people_groups.THREAD_ID(thread=topic.id),
        people_groups.PERSON_ID(person=ANN),
        people_groups.MODE_LINE(mode=people_groups.MODES["mentioned"]()),
        people_groups.PRIVACY_MODE_ON(),
        people_groups.RIGHTS_LINE(rights="everything"),
    ]
