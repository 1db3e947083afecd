"""One person at one terminal, as a channel."""

import re
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Protocol

from bot.channel import Door, Health, Part, Publish
from bot.messages import Address, Draft, OutboundKind, OutboundMessage, PlatformId
from channels.formatting import label
from channels.invisible import without_invisible
from channels.terminal.talk import CHANNEL, Talk

# A terminal obeys what it is sent: whatever a model or a file says, no control character but tabs and line feeds gets
# there.
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Face(Protocol):
    """How a run of the chat looks and hears: a screen with a keyboard, or lines without either."""

    async def run(self, publish: Publish) -> None:
        """Publish what the person says, until there is no more to be said; then let the bot end."""
        ...

    async def say(self, part: Part) -> None:
        """Show what must be shown, for good."""
        ...

    def draw(self, board: OutboundMessage) -> None:
        """Show how the delegations of a turn are doing, until its reply comes."""
        ...

    def sketch(self, draft: Draft) -> None:
        """Show what is being written, until it is said."""
        ...

    def warn(self, text: str, *, is_over: bool) -> None:
        """Show that everything waits, and why, until that is over. It is told at any time, and never fails."""
        ...


class Terminal:
    """It has no memory: what may have been shown when the process was killed is shown again, and marked."""

    name = CHANNEL
    nonce_seconds = 0.0
    has_history = False
    board_seconds = 0.2
    keeps_seconds: float | None = None

    def __init__(self, face: Face, talk: Talk) -> None:
        self.face = face
        self.talk = talk

    async def run(self, door: Door) -> None:
        self.talk.begin()
        await self.face.run(door.publish)

    def health(self) -> Health:
        return Health()

    def lane(self, address: Address) -> str:
        return address.chat

    async def pace(self, address: Address) -> None:
        """A terminal takes whatever comes."""

    def has_room(self, address: Address, *, is_edit: bool) -> bool:
        return True

    def parts(self, message: OutboundMessage) -> Sequence[str]:
        return [visible(label(message) + message.text)]

    def anchors(self, address: Address) -> bool:
        return False

    async def send(self, part: Part) -> PlatformId:
        if part.message.kind is OutboundKind.BOARD:
            self.face.draw(part.message)
        elif not self.talk.is_about_opening(part.message):
            await self.face.say(part)
        return PlatformId(part.message.id)  # the same at every start: nothing here has an id of its own

    async def edit(self, id: PlatformId, part: Part) -> None:
        if part.message.kind is not OutboundKind.QUESTION:  # one that is over has no buttons here to lose
            await self.send(part)

    async def delete(self, address: Address, id: PlatformId) -> None:
        """What has scrolled by stays."""

    async def find(self, part: Part, since: datetime, known: Collection[PlatformId]) -> PlatformId | None:
        return None

    async def show(self, draft: Draft) -> None:
        self.face.sketch(draft)


def visible(text: str) -> str:
    return CONTROLS.sub("�", without_invisible(text))
