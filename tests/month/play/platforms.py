"""What the platforms have besides: groups that the bot is added to, drafts, private topics, uploads, rich messages."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tests.month.places import DiscordPlace, Place, TelegramPlace
from tests.month.play.files_out import digest, file_comes, files_of, put, sends
from tests.month.play.reminders import remind, set_reminders
from tests.month.registry import situation
from tests.month.stage import Stage
from tests.stand_ins.telegram import Standing
from tests.stand_ins.telegram.media import rich
from tests.support.sample_media import pdf

EVERYBODY, LEAVE = "Everybody there", "Leave"
HELLO = "Hello! I answer if you mention me, reply to me or give me a command."


def new_group(s: Stage, title: str) -> TelegramPlace:
    """Open a group on Telegram that the bot is not in."""
    family = s.month.family
    names = ("Anna", "Ben", "Clara")
    people = {name: family.people[name] for name in names} | {"Mia": family.telegram.person(1010, "Mia")}
    people["Mia"].language = family.language
    room = family.telegram.supergroup(title, *people.values())
    room.chat.standings[family.telegram.world.bot.id] = Standing.LEFT
    place = TelegramPlace("T", title, room, people)
    family.add(place)
    return place


async def decide(s: Stage, owner: Place, asked: Any, label: str, *words: str) -> None:
    """Let the owner tap one of the three answers. It is confirmed once, as a toast or as a message."""
    await s.tap(owner, "Anna", asked, label)
    await s.month.at_rest()
    for each in s.month.unclaimed(owner):
        s.so(all(word in each.text for word in words), f"the owner is told {each.text}")
        s.month.claim(each)


async def says_hello(s: Stage, place: Place, who: str) -> None:
    s.model(lambda view: "Hello Mia." if "is anybody here?" in view.text else None)
    asked = s.ask(place, who, "is anybody here?")
    shown = await s.answer(place, exactly="Hello Mia.")
    s.so(shown.reply_to is asked, "it is no reply")
    s.rules.clear()


@situation(96)
async def added_to_a_group(s: Stage) -> None:
    owner, place = s.t("Anna"), new_group(s, "Book club")
    room = place.room
    room.change_bot(place.people["Ben"], Standing.MEMBER)
    await s.answer(place, HELLO, "My owner decides who may talk to me here.")
    asked = await s.answer(owner, "added me to “Book club”", str(room.id))
    s.so(asked.labels == (EVERYBODY, "Only me", LEAVE), f"its buttons are {asked.labels}")
    await decide(s, owner, asked, EVERYBODY, "Book club")
    await says_hello(s, place, "Mia")
    room.change_bot(place.people["Ben"], Standing.KICKED)
    place.say("Mia", f"{place.mention} are you gone?")
    await s.nothing()
    s.so(s.requests == 1, "the model was asked although the bot is not there any more")


@situation(97)
async def a_group_without_thumbs(s: Stage) -> None:
    owner, place = s.t("Anna"), new_group(s, "Quiet corner")
    place.room.chat.reactions = frozenset({"🎉"})
    place.room.change_bot(place.people["Ben"], Standing.MEMBER)
    await s.answer(place, HELLO)
    await decide(s, owner, await s.answer(owner, "added me to “Quiet corner”"), "Only me", "Quiet corner")
    s.model(lambda view: "Hush." if "a quiet question" in view.text else None)
    for text in ("a quiet question", "a quiet question again"):
        asked = s.ask(place, "Clara", text, mark="none")
        shown = await s.answer(place, exactly="Hush.")
        s.so(shown.reply_to is asked, "it is no reply")
    s.ask(place, "Mia", "a quiet question of mine", mark="none")
    await s.month.at_rest()
    s.so(s.requests == 2, "Mia may talk although only the owner and the family may")
    s.month.claim_all()
    tries = [each for each in s.month.family.telegram.calls if each.method == "setMessageReaction" and each.refusal]
    s.so(len(tries) == 1, f"it goes on trying to react: {len(tries)}")


@situation(98)
async def invited_to_a_server(s: Stage) -> None:
    family, owner = s.month.family, s.d("Anna")
    mia = family.discord.person("Mia")
    # The channel asks the machine's clock whether a server is new.
    ago = s.month.clock() - time.time()
    guild = family.discord.world.add_guild("Chess club", (family.members["Anna"], mia), joined_seconds_ago=ago)
    channel = family.discord.channel(guild, "openings")
    people = {"Anna": family.members["Anna"], "Mia": mia}
    place = DiscordPlace("D", "openings", channel, people, family.discord)
    family.add(place)
    asked = await s.answer(owner, "“Chess club”", str(guild.id))
    await decide(s, owner, asked, EVERYBODY, "Chess club")
    s.allow(HELLO)
    await says_hello(s, place, "Mia")
    family.discord.throw_out(guild)
    await s.nothing()


@situation(125)
async def the_owner_lets_it_leave(s: Stage) -> None:
    owner, place = s.t("Anna"), new_group(s, "Quiz night")
    place.room.change_bot(place.people["Clara"], Standing.MEMBER)
    await s.answer(place, HELLO)
    asked = await s.answer(owner, "added me to “Quiz night”")
    await decide(s, owner, asked, LEAVE, "Quiz night")
    await s.until_so(lambda: place.room.chat.standing is Standing.LEFT, what="the bot has left")
    await s.nothing()
    s.so(s.requests == 0, "the model was asked")


@asynccontextmanager
async def native_drafts(s: Stage) -> AsyncIterator[None]:
    """Switch Telegram's own drafts on, and off again."""
    s.month.family.native_drafts = True
    await s.month.restart()
    try:
        yield
    finally:
        s.month.family.native_drafts = False
        await s.month.restart()


@situation(119)
async def a_draft_grows(s: Stage) -> None:
    place = s.t("Ben")
    async with native_drafts(s):
        hold, go_on = s.holding(" and this is how it ends.", begun="It begins like this,")
        s.model(lambda view: hold if "a story" in view.text else None)
        s.ask(place, "Ben", "tell me a story")
        await s.until_so(lambda: place.room.draft and "It begins" in place.room.draft.text, what="there is a draft")
        s.so(not s.month.new_texts(place), "there is a message beside the draft")
        go_on.set()
        shown = await s.answer(place, "It begins like this,", "and this is how it ends.")
        s.so(not shown.message.versions, "the message was edited")
        s.so(place.room.draft is None, "the draft is still there")
        await s.nothing()


@situation(124)
async def a_draft_is_stopped(s: Stage) -> None:
    place = s.t("Anna")
    async with native_drafts(s):
        hold, _ = s.holding("It never ends.", begun="This is a long poem")
        s.model(lambda view: hold if "a poem" in view.text else None)
        s.ask(place, "Anna", "a poem please", mark="none")
        await s.until_so(lambda: place.room.draft and place.room.draft.can_stop, what="there is a draft with a button")
        place.room.stop_draft()
        await s.answer(place, exactly="This is a long poem")
        await s.answer(place, "— stopped")
        await s.nothing()
        s.so(s.requests == 1, "the model was asked again")


@situation(90)
async def topics_in_private(s: Stage) -> None:
    david = s.t("David")
    room = david.room
    room.let_topics()
    latin, maths = (
        TelegramPlace("T", f"David's {title}", room, david.people, thread=room.topic(room.chat.person, title).id)
        for title in ("Latin", "Maths")
    )
    for place in (latin, maths):
        s.month.family.add(place)
    s.model(lambda view: f"I know {view.all_text.count('a horse')} horses." if "how many?" in view.text else None)
    s.model(lambda view: "Equus." if "a horse in Latin" in view.text and "how many?" not in view.text else None)
    s.ask(latin, "David", "what is a horse in Latin?")
    await s.answer(latin, exactly="Equus.")
    s.ask(maths, "David", "how many?")
    await s.answer(maths, exactly="I know 0 horses.")
    s.rules.clear()
    await set_reminders(s, latin, "David", remind("the ablative", when="PT30M"))
    await s.later(minutes=30, seconds=2)
    await s.answer(latin, exactly="⏰ the ablative")
    await s.nothing()


@situation(18)
async def hidden_links(s: Stage) -> None:
    place = s.t("Anna")
    words = ("Prices", "tea", "menu (https://example.org/menu)", "here (https://example.org/trap)")
    s.model(lambda view: f"I read {view.said(*words) or 'nothing'}.")
    link = {"type": "url", "text": [{"type": "bold", "text": "menu"}], "url": "https://example.org/menu"}
    table = {"type": "table", "caption": "Prices", "cells": [[{"text": "tea", "is_header": True}, {"text": link}]]}
    s.ask(place, "Anna", media=rich(table))
    await s.answer(place, exactly=f"I read {', '.join(words[:3])}.")
    text = "look here for the prize"
    hidden = {"type": "text_link", "offset": 5, "length": 4, "url": "https://example.org/trap"}
    s.ask(place, "Anna", text, entities=[hidden])
    await s.answer(place, exactly=f"I read {words[3]}.")


@situation(141)
async def a_large_upload(s: Stage) -> None:
    place, content = s.t("Ben"), pdf(3) + b"%" * 8 * 2**20
    actions = place.room.chat.actions
    before = len(actions)
    put(s, "atlas.pdf", content)
    sends(s, "send the atlas", "atlas.pdf", "our atlas")
    s.ask(place, "Ben", "send the atlas")
    shown = await file_comes(s, place, "atlas.pdf", content, "our atlas")
    s.so(files_of(s, shown) == [("atlas.pdf", digest(content))], "it is another file")
    await s.answer(place, exactly="There it is.")
    s.so("upload_document" in [each.action for each in actions[before:]], "nobody sees that a file is on its way")


@situation(153)
async def the_bot_is_blocked(s: Stage) -> None:
    place = s.t("Ben")
    hold, go_on = s.holding("Roses are red.")
    s.model(lambda view: hold if "a verse" in view.text else None)
    s.ask(place, "Ben", "a verse please", mark="any")
    await s.asked()
    place.room.block()
    go_on.set()
    await s.month.at_rest()
    s.so(not s.month.new_texts(place), "something came although the bot is blocked")
    await s.answer(s.t("Anna"), "I cannot write to the telegram chat 1002 any more", "unblock")
    place.room.unblock()
    s.model(lambda view: "Here I am." if "are you back?" in view.text else None)
    s.allow("Roses are red.")  # if it is tried again
    s.ask(place, "Ben", "are you back?", mark="any")  # for an hour it shows no marks there
    await s.answer(place, exactly="Here I am.")
    await s.month.restart()  # so that it shows marks there again
