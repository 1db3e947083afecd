"""The Discord stand-in as discord.py's own client meets it, when all goes well."""

import asyncio
import hashlib
import io
from collections.abc import AsyncIterator
from typing import Any

import discord
import pytest

from tests.stand_ins.bots import Bot, bot_of
from tests.stand_ins.discord import Channel, DiscordStandIn, Flag, Guild, Person, Route


@pytest.fixture
def home(server: DiscordStandIn, ann: Person) -> Guild:
    return server.guild("Home", ann)


@pytest.fixture
def general(server: DiscordStandIn, home: Guild) -> Channel:
    return server.channel(home, "general")


@pytest.fixture
async def bot(server: DiscordStandIn, general: Channel) -> AsyncIterator[Bot]:
    async with bot_of(server) as running:
        yield running
    server.verify()


def there(bot: Bot, channel: Channel) -> Any:
    """The library's channel, as it knows it from the gateway."""
    return bot.get_channel(channel.id) or bot.get_partial_messageable(channel.id)


def buttons(*names: str) -> discord.ui.View:
    view = discord.ui.View(timeout=None)
    for name in names:
        view.add_item(discord.ui.Button(label=name.title(), custom_id=name))
    return view


async def test_a_client_is_told_who_it_is_and_where(bot: Bot, server: DiscordStandIn, home: Guild) -> None:
    assert bot.user
    assert bot.application
    assert bot.user.id == server.bot.id
    assert bot.application.owner.id == server.owner.id
    assert bot.application.flags.gateway_message_content_limited
    assert [guild.id for guild in bot.guilds] == [home.id]
    assert [channel.name for channel in bot.get_all_channels()] == ["general"]


async def test_the_address_of_the_library_is_put_back(server: DiscordStandIn) -> None:
    before = discord.http.Route.BASE, discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY
    async with bot_of(server):
        assert server.base_url == discord.http.Route.BASE
    assert before == (discord.http.Route.BASE, discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY)


async def test_peoples_messages_are_heard_in_order(bot: Bot, server: DiscordStandIn, ann: Person, home: Guild) -> None:
    general = home.channels[0]
    plans = server.thread(general, "Plans")
    first = ann.say(general, "hello", mentions=[server.bot])
    ann.say(general, "and this", reply_to=first, attachments=["a.png"])
    ann.say(plans, "in a thread")
    ann.say(ann.private(), "in private")
    server.other_bot("Helper").say(general, "beep")
    server.webhook("Hook").say(general, "news")
    await bot.until(lambda: len(bot.heard) == 6)
    assert bot.texts == [f"<@{server.bot.id}> hello", "and this", "in a thread", "in private", "beep", "news"]
    hello, this, thread, private, beep, news = bot.heard
    assert hello.mentions == [bot.user]
    assert isinstance(hello.author, discord.Member)
    assert this.reference
    assert this.reference.message_id == first.id
    assert isinstance(this.reference.resolved, discord.Message)
    assert [one.filename for one in this.attachments] == ["a.png"]
    assert isinstance(thread.channel, discord.Thread)
    assert thread.channel.parent_id == general.id
    assert isinstance(private.channel, discord.DMChannel)
    assert private.guild is None
    assert (beep.author.bot, beep.webhook_id) == (True, None)
    assert news.webhook_id == news.author.id


async def test_edits_and_deletions_of_people_are_heard(bot: Bot, ann: Person, general: Channel) -> None:
    edits: list[discord.RawMessageUpdateEvent] = []
    gone: list[discord.RawMessageDeleteEvent] = []

    @bot.event
    async def on_raw_message_edit(event: discord.RawMessageUpdateEvent) -> None:
        edits.append(event)

    @bot.event
    async def on_raw_message_delete(event: discord.RawMessageDeleteEvent) -> None:
        gone.append(event)

    message = ann.say(general, "helo")
    ann.edit(message, "hello")
    ann.delete(message)
    await bot.until(lambda: "raw_message_delete" in bot.events)
    await asyncio.sleep(0)  # the listeners are tasks of their own
    assert [one.message.content for one in edits] == ["hello"]
    assert [one.message_id for one in gone] == [message.id]
    assert message.earlier == ["helo"]
    assert ann.sees(general) == []


async def test_the_bots_messages_are_seen(bot: Bot, ann: Person, general: Channel) -> None:
    asked = ann.say(general, "hello")
    reference = discord.MessageReference(message_id=asked.id, channel_id=general.id, fail_if_not_exists=False)
    sent = await there(bot, general).send(
        "  Hello.\n", reference=reference, view=buttons("yes", "no"), suppress_embeds=True, silent=True
    )
    assert sent.content == "Hello."
    assert sent.reference
    await sent.edit(content="Hello, Ann.", suppress=True)  # without it the library takes the suppression back
    second = await there(bot, general).send("Never mind.")
    await second.delete()
    mine = ann.sees(general)[-1]
    assert (mine.author, mine.text, mine.is_edited) == ("Retinue", "Hello, Ann.", True)
    assert mine.flags == Flag.SUPPRESS_EMBEDS | Flag.SUPPRESS_NOTIFICATIONS
    assert mine.buttons == ("Yes", "No")
    assert mine.message.reply_to is asked
    assert not mine.rings
    assert len(ann.sees(general)) == 2


async def test_only_those_are_told_that_a_message_may_ring(
    bot: Bot, server: DiscordStandIn, ann: Person, general: Channel
) -> None:
    bob = server.person("Bob")
    asked = bob.say(general, "hello")
    text = f"{ann.mention} {bob.mention} @everyone"
    only = discord.AllowedMentions(everyone=False, users=[discord.Object(bob.id)], roles=False, replied_user=False)
    for allowed in (only, discord.AllowedMentions.none(), discord.AllowedMentions.all()):
        await there(bot, general).send(text, allowed_mentions=allowed)
    reply = discord.MessageReference(message_id=asked.id, channel_id=general.id)
    await there(bot, general).send("yes", reference=reply, mention_author=True)
    told = [([one.name for one in message.mentions], message.pings_everyone) for message in server.said(general)]
    assert told == [(["Bob"], False), ([], False), (["Ann", "Bob"], True), (["Bob"], False)]


async def test_the_same_nonce_returns_the_same_message(bot: Bot, server: DiscordStandIn, general: Channel) -> None:
    first = await there(bot, general).send("once", nonce="n" * 25)
    again = await there(bot, general).send("once", nonce="n" * 25)
    other = await there(bot, general).send("once", nonce="m")
    assert first.id == again.id != other.id
    assert len(server.said(general)) == 2
    assert [one.body["enforce_nonce"] for one in server.to(Route.SEND)] == [True] * 3


async def test_a_nonce_is_forgotten_after_some_minutes(general: Channel, server: DiscordStandIn) -> None:
    now = server.now()
    server.world.now = lambda: now
    async with bot_of(server) as bot:
        first = await there(bot, general).send("once", nonce="n")
        now += 181
        assert (await there(bot, general).send("once", nonce="n")).id != first.id


async def test_history_is_paged_either_way(bot: Bot, ann: Person, general: Channel) -> None:
    said = [ann.say(general, str(number)) for number in range(250)]
    channel = there(bot, general)
    after = [one.content async for one in channel.history(limit=None, after=discord.Object(said[9].id))]
    assert after == [str(number) for number in range(10, 250)]
    before = [one.content async for one in channel.history(limit=120, before=discord.Object(said[200].id))]
    assert before == [str(number) for number in range(199, 79, -1)]
    around = [one.content async for one in channel.history(limit=5, around=discord.Object(said[100].id))]
    assert around == ["102", "101", "100", "99", "98"]
    assert (await channel.fetch_message(said[3].id)).content == "3"


async def test_typing_is_seen(bot: Bot, general: Channel) -> None:
    async with there(bot, general).typing():
        assert len(general.typing) == 1


async def test_a_private_channel_is_opened_once(bot: Bot, ann: Person) -> None:
    person = await bot.fetch_user(ann.id)
    channel = await person.create_dm()
    await channel.send("psst")
    assert channel.id == ann.private().id
    assert [(one.text, one.rings) for one in ann.sees(ann.private())] == [("psst", True)]


async def test_a_tap_is_answered_for_one_person_alone(
    bot: Bot, server: DiscordStandIn, ann: Person, general: Channel
) -> None:
    bob = server.person("Bob")
    asked = await there(bot, general).send("Go on?", view=buttons("yes", "no"))
    tap = bob.tap(server.world.messages[asked.id], "yes")
    await bot.until(lambda: bot.interactions)
    (interaction,) = bot.interactions
    assert interaction.data
    assert interaction.data.get("custom_id") == "yes"
    assert interaction.user.id == bob.id
    await interaction.response.send_message("Going on.", ephemeral=True)
    assert [one.text for one in bob.sees(general)] == ["Go on?", "Going on."]
    assert bob.sees(general)[-1].is_only_for_me
    assert [one.text for one in ann.sees(general)] == ["Go on?"]
    assert not tap.has_failed
    await interaction.followup.send("And more.", ephemeral=True)
    await interaction.edit_original_response(content="Went on.")
    assert [one.text for one in bob.sees(general)] == ["Go on?", "Went on.", "And more."]
    await interaction.delete_original_response()
    assert [one.text for one in bob.sees(general)] == ["Go on?", "And more."]


async def test_a_tap_may_change_the_message_or_nothing(bot: Bot, server: DiscordStandIn, ann: Person) -> None:
    asked = await there(bot, ann.private()).send("Go on?", view=buttons("yes", "no"))
    message = server.world.messages[asked.id]
    for _ in range(2):
        ann.tap(message, "no")
    await bot.until(lambda: len(bot.interactions) == 2)
    first, second = bot.interactions
    await first.response.defer()
    assert ann.sees(ann.private())[0].text == "Go on?"
    await second.response.edit_message(content="No, then.", view=None)
    assert [(one.text, one.buttons) for one in ann.sees(ann.private())] == [("No, then.", ())]


async def test_commands_are_kept_and_given(bot: Bot, server: DiscordStandIn, ann: Person, general: Channel) -> None:
    tree = discord.app_commands.CommandTree(bot)

    @tree.command(description="Say what goes on.")
    async def status(interaction: discord.Interaction) -> None:
        await interaction.response.defer(ephemeral=True)
        await interaction.followup.send("All is well.")

    (kept,) = await tree.sync()
    assert [one.name for one in await tree.fetch_commands()] == ["status"]
    assert (await tree.sync())[0].id == kept.id
    given = ann.command(general, "status")
    await server.until(lambda: given.original and given.original.text)
    assert [(one.text, one.is_only_for_me) for one in ann.sees(general)] == [("All is well.", True)]


async def test_files_are_noted_by_name_and_size(bot: Bot, general: Channel, server: DiscordStandIn) -> None:
    await there(bot, general).send("see", file=discord.File(io.BytesIO(b"x" * 2_000_000), "big.txt"))
    (message,) = server.said(general)
    assert [(one["filename"], one["size"]) for one in message.attachments] == [("big.txt", 2_000_000)]
    assert message.attachments[0]["url"].endswith(hashlib.sha256(b"x" * 2_000_000).hexdigest())
    assert message.text == "see"


async def test_writing_opens_an_archived_thread(bot: Bot, server: DiscordStandIn, general: Channel) -> None:
    plans = server.thread(general, "Plans")
    plans.is_archived = True
    await there(bot, plans).send("still here")
    assert not plans.is_archived


async def test_without_the_intent_only_what_is_meant_for_the_bot_can_be_read(
    server: DiscordStandIn, ann: Person, general: Channel
) -> None:
    server.portal.intents &= 0
    async with bot_of(server, intents=discord.Intents(guilds=True, messages=True).value) as bot:
        ann.say(general, "not for you")
        ann.say(general, "for you", mentions=[server.bot])
        ann.say(ann.private(), "for you alone")
        await bot.until(lambda: len(bot.heard) == 3)
        assert bot.texts == ["", f"{server.bot.mention} for you", "for you alone"]
        assert [one.content async for one in there(bot, general).history()] == [bot.texts[1], ""]


async def test_without_an_intent_its_events_do_not_come(server: DiscordStandIn, ann: Person, general: Channel) -> None:
    async with bot_of(server, intents=discord.Intents(dm_messages=True).value) as bot:
        ann.say(general, "unheard")
        ann.say(ann.private(), "heard")
        await bot.until(lambda: bot.heard)
        assert bot.texts == ["heard"]
        assert [guild.name for guild in bot.guilds] == [""]  # READY names it; nothing more is told


async def test_all_is_recorded_with_its_time(bot: Bot, server: DiscordStandIn, ann: Person, general: Channel) -> None:
    ann.say(general, "hello")
    await bot.until(lambda: bot.heard)
    await there(bot, general).send("Hello.")
    (request,) = server.to(Route.SEND)
    assert (request.ids["channel"], request.body["content"]) == (str(general.id), "Hello.")
    assert (request.status, request.had_effect) == (200, True)
    frame = next(one for one in server.gateway.frames if one.event == "MESSAGE_CREATE")
    assert frame.is_sent
    assert frame.sequence == 3
    assert frame.at <= request.at <= server.now()
