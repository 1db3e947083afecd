"""The permissions that the invite asks for: all features work with them, and each is needed by one."""

from channels.discord.bot_profile import INVITE_PERMISSIONS
from tests.stand_ins.discord import Permission
from tests.support.discord_channel import Town
from tests.support.discord_talk import Talk
from tests.support.fakes import delegates, reply, uses

NOT_CHECKED_BY_THE_STAND_IN = {Permission.EMBED_LINKS}  # without it Discord only shows links without a preview


async def test_every_feature_works_with_what_the_invite_asks_for_and_needs_it(talk: Talk, town: Town) -> None:
    invited = Permission(INVITE_PERMISSIONS.value)
    town.general.granted, town.general.denied = invited, Permission(sum(Permission)) & ~invited
    long = "\n\n".join(f"Paragraph {number}. " + "word " * 150 for number in range(12))
    talk.bench.model.says("lead", delegates("researcher"), long)
    talk.bench.model.says("researcher", reply(uses("message", text="I look")), "found")
    async with talk.run(threads=True, reactions=True):
        await talk.connected()
        town.bob.say(town.general, "what was said before")
        asked = town.ask("look it up")
        await town.server.until(lambda: len(town.home.channels) == 2)
        thread = town.home.channels[1]
        await talk.sees(town.ann, thread, "Paragraph 0")
        await town.server.until(lambda: any(each.attachments for each in thread.messages))
        await talk.sees(town.ann, town.general, "Paragraph 0")  # the line that returns to the channel
        await town.server.until(lambda: asked.reactions)
    assert "Researcher" in {name for name, _ in town.server.heard_voices(thread)}
    town.server.verify()
    assert town.home.asked_permissions | NOT_CHECKED_BY_THE_STAND_IN == set(invited)
