"""The people in the chats of groups that ask each other. They also write there while their group is asked."""

from tests.rig.chat import Chat, Plot
from tests.rig.groups import CHATS


async def alpha(chat: Chat) -> None:
    """Alpha asks Beta, and Beta asks Ann. Then Alpha saves a memory, and asks Beta again in the background."""
    chat.says("wonder")
    if await chat.sees("question", "reply") == "question":
        chat.taps("green", "eve")
        chat.says("keep", "bob")
        await chat.pause()
        chat.taps("red")
    await chat.sees("reply")
    chat.says("behind")


async def beta(chat: Chat) -> None:
    """Beta's own chat is in use while Beta is asked, and Beta asks back."""
    chat.says("tell")
    await chat.pause()
    chat.says("turns", "bob")
    await chat.sees("update")
    chat.says("keep")


async def main(chat: Chat) -> None:
    """The main group asks more groups at once than it may."""
    chat.says("keep")
    await chat.sees("reply")
    chat.says("crowd")
    await chat.pause(0.1)
    chat.says("keep")


async def stopped_asking(chat: Chat) -> None:
    """The asker is stopped while a group works for it. Its next question finds room."""
    tag = chat.says("wonder")
    await chat.sees_question(tag)
    chat.types("/stop")
    chat.says("tell")


async def stopped_asked(chat: Chat) -> None:
    """One asked group is stopped, by its name, in the chat of the question. Its asker goes on. What another group asks
    stays open while people write, until it is answered."""
    chat.says("turns")
    await chat.sees("update")
    chat.types("/stop alpha")
    await chat.pause()
    tag = chat.says("wonder", "bob")
    is_asked = await chat.sees_question(tag)
    chat.says("never mind", "bob")
    await chat.pause()
    if is_asked:
        chat.taps("red", "bob")


HOPS: dict[str, Plot] = {CHATS["alpha"]: alpha, CHATS["beta"]: beta, CHATS["main"]: main}
STOP_HOPS: dict[str, Plot] = {CHATS["alpha"]: stopped_asking, CHATS["beta"]: stopped_asked}
