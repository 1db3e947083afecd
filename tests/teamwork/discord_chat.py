"""A channel on Discord's stand-in, as one person sees it, with another person in it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from channels.discord.channel import Discord
from tests.stand_ins.discord import Channel, DiscordStandIn, Message, Permission, Person, Webhook
from tests.teamwork.chat import Post, Span

MENTION = re.compile(r"<@(\d+)>")
LIST_ITEM = re.compile(r"^- ")
BOLD = re.compile(r"\*\*(.+?)\*\*|\Z")


class PromptDiscord(Discord):
    """Discord that edits a board at once: the conversation's clock stands still between two things that happen."""

    board_edit_seconds = 0.0


class DiscordChat:
    name = "discord"

    def __init__(self, server: DiscordStandIn, person: Person, *others: Person, guild: str, channel: str) -> None:
        self.server, self.person = server, person
        self.guild = server.guild(guild, *others, person)
        self.channel: Channel = server.channel(self.guild, channel)
        self.channel.granted |= Permission.MANAGE_WEBHOOKS

    def posts(self) -> Sequence[Post]:
        return [self.post(seen.message, rings=seen.rings) for seen in self.person.sees(self.channel)]

    def post(self, message: Message, *, rings: bool = False, is_deep: bool = True) -> Post:
        text, spans = plain(MENTION.sub(self.name_of, message.text))
        reply_to = message.reply_to if is_deep else None
        author, interaction = message.author, message.interaction
        return Post(
            id=str(message.id),
            author=message.author_name,
            text=text,
            at=message.at,
            is_mine=author is self.person,
            is_person=not author.is_bot,
            spans=spans,
            reply_to=self.post(reply_to, is_deep=False) if reply_to else None,
            buttons=tuple(tuple(button["label"] for button in row["components"]) for row in message.components),
            reactions=tuple(message.reactions),
            picture=author.picture or b"" if isinstance(author, Webhook) else b"",
            command=f"/{interaction.name}" if interaction and interaction.name else "",
            rings=rings,
            is_edited=message.edited_at is not None,
        )

    def name_of(self, mention: re.Match[str]) -> str:
        return f"@{self.server.world.accounts[int(mention[1])].name}"

    def say(self, text: str, *, to: str = "") -> None:
        self.person.say(self.channel, text, mentions=[] if to else [self.server.bot], reply_to=self.find(to))

    def say_aside(self, person: Person, text: str) -> None:
        """Let somebody write to the others and not to the bot."""
        person.say(self.channel, text)

    def command(self, name: str, **options: str) -> None:
        """Let the person give a slash command."""
        self.person.command(self.channel, name, **options)

    def find(self, words: str) -> Message | None:
        """Return the newest message with these words; None if there are no words."""
        return [one for one in self.channel.messages if words in one.text][-1] if words else None


def plain(markdown: str) -> tuple[str, tuple[Span, ...]]:
    """Return a text as Discord shows it, without marks, and the places of bold words and of quotes."""
    shown, spans, at = list[str](), list[Span](), 0
    for line in markdown.split("\n"):
        is_quote = line.startswith("> ")
        text, bold = without_bold_marks(line.removeprefix("> ") if is_quote else LIST_ITEM.sub("• ", line))
        spans += [Span("bold", at + begin, at + end) for begin, end in bold]
        spans += [Span("quote", at, at + len(text))] * is_quote
        shown.append(text)
        at += len(text) + 1
    return "\n".join(shown), tuple(spans)


def without_bold_marks(line: str) -> tuple[str, list[tuple[int, int]]]:
    text, places, at = "", list[tuple[int, int]](), 0
    for found in BOLD.finditer(line):
        text += line[at : found.start()]
        if found[1]:
            places.append((len(text), len(text) + len(found[1])))
            text += found[1]
        at = found.end()
    return text, places
