"""The people in the chats of groups that ask each other, while these chats are in use."""

from tests.rig.chat import Chat, Plot
from tests.rig.groups import CHATS


async def alpha(chat: Chat) -> None:
    """Alpha asks Beta, who asks Ann; then it keeps something, and asks again in the background."""
    chat.says("wonder")
    if await chat.sees("question", "reply") == "question":
        chat.taps("green", "eve")
        chat.says("keep", "bob")
        await chat.pause()
        chat.taps("red")
    await chat.sees("reply")
    chat.says("behind")


async def beta(chat: Chat) -> None:
    """Beta's own chat is in use while it is asked, and it asks back."""
    chat.says("tell")
    await chat.pause()
    chat.says("turns", "bob")
    await chat.sees("update")
    chat.says("keep")


async def main(chat: Chat) -> None:
    """More are asked at once than may be."""
    chat.says("keep")
    await chat.sees("reply")
    chat.says("crowd")
    await chat.pause(0.1)
    chat.says("keep")


async def stopped_asking(chat: Chat) -> None:
    """Who asks is stopped while a group works for it; what it asks next finds room."""
    chat.says("wonder")
    await chat.sees("question")
    chat.types("/stop")
    chat.says("tell")


async def stopped_asked(chat: Chat) -> None:
    """A group that is asked is stopped alone, by its name and where it was asked; its asker goes on."""
    chat.says("turns")
    await chat.sees("update")
    chat.types("/stop alpha")
    await chat.pause()
    chat.says("wonder", "bob")
    await chat.sees("question")
    chat.says("never mind", "bob")


HOPS: dict[str, Plot] = {CHATS["alpha"]: alpha, CHATS["beta"]: beta, CHATS["main"]: main}
STOP_HOPS: dict[str, Plot] = {CHATS["alpha"]: stopped_asking, CHATS["beta"]: stopped_asked}
