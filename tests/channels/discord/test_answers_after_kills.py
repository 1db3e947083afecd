"""Answers to taps and slash commands that Discord may have taken before a kill: no history shows them."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from bot.core.messages import MessageId, OutboundKind
from tests.support.discord_channel import Town, at, message, parts
from tests.support.wording import REPEAT_MARK


async def test_only_a_notice_to_a_tap_or_a_command_may_be_missing_in_the_history(town: Town) -> None:
    async with town.at_work() as channel:
        done = town.ann.command(town.general, "status")
        about, asked = MessageId(f"discord:{town.server.bot.id}:tap:{done.id}"), town.ask("who?")
        said = message("not much", at(town.general), OutboundKind.NOTICE, reply_to=about)
        assert not channel.history_shows(said)
        assert channel.history_shows(replace(said, kind=OutboundKind.REPLY))
        assert channel.history_shows(replace(said, reply_to=None))
        to_message = MessageId(f"discord:{town.server.bot.id}:{town.general.id}:{asked.id}")
        assert channel.history_shows(replace(said, reply_to=to_message))


async def test_its_copy_after_a_kill_is_marked_once_and_found(town: Town) -> None:
    async with town.at_work() as channel:
        done = town.ann.command(town.general, "status")
        await town.server.until(lambda: done.answered)
    about = MessageId(f"discord:{town.server.bot.id}:tap:{done.id}")
    since = datetime.now(UTC) - timedelta(seconds=1)
    async with town.at_work() as channel:  # another life, which knows nothing of the command
        [part] = parts(channel, message("not much", at(town.general), OutboundKind.NOTICE, reply_to=about))
        assert await channel.find_sent_part_id(part, since, ()) is None
        id = await channel.send(replace(part, may_be_shown_already=True))
        assert [one.text for one in town.bob.sees(town.general)] == [f"{REPEAT_MARK}not much"]
        assert await channel.find_sent_part_id(part, since, ()) == id
