"""A model that obeys the orders of a chain, wherever it reads them: `ORDER 2` is the third.

Each order is obeyed once, by the role that the chain names, and only when its turn has come. So a chain goes its way
and no other, and a hole can be told from how the chain was made."""

import asyncio
import re
from collections import defaultdict, deque
from collections.abc import Callable, Sequence

from bot.core.citations import is_server_tool_result
from bot.core.content_blocks import Block, content_text, text_block
from bot.core.model import Model, ModelReply, ModelRequest, ShowTextCallback
from bot.core.prices import Usage
from bot.core.texts import model as texts
from tests.security.gullible_model import SECRET, Step
from tests.support.fakes import USAGE, played, reply

ORDER = re.compile(r"ORDER (\d+)")
FULL_USAGE = Usage(input=110_000, output=100)  # after which a chapter is summarised
NOTHING_MORE = "Done."

Obey = Callable[[ModelRequest], Sequence[Block]]


class ObedientModel(Model):
    """`steps` are the harmless calls of a role, which come first in its next turn. `orders` say what each order has
    its reader do, and `readers` which role that is."""

    def __init__(self) -> None:
        self.steps: dict[str, deque[Step]] = defaultdict(deque)
        self.orders: Sequence[Obey] = ()
        self.readers: Sequence[str] = ()
        self.last_awake = -1  # orders with a higher number are not obeyed yet
        self.obeyed: set[int] = set()
        self.last_words: dict[str, str] = {}  # what a role ends its turn with
        self.summary = ""
        self.is_chapter_full = False
        self.waits: dict[str, asyncio.Event] = {}  # for which the next reply of a role waits

    async def reply(self, request: ModelRequest, show: ShowTextCallback) -> ModelReply:
        request.meter.sent_at_loop_seconds = asyncio.get_running_loop().time()
        role = played(request)
        if event := self.waits.pop(role, None):
            await event.wait()
        if texts.SUMMARISE in content_text(request.transcript[-1].content):
            return reply(text_block(self.summary or NOTHING_MORE))
        if request.may_call_tools and self.steps[role]:
            return reply(*self.steps[role].popleft()(request))
        while request.may_call_tools and (number := self.next_order(role, request)) is not None:
            self.obeyed.add(number)
            if blocks := self.orders[number](request):
                return reply(*blocks)
        said = self.last_words.pop(role, NOTHING_MORE)
        return reply(text_block(said), usage=FULL_USAGE if self.is_chapter_full else USAGE)

    def next_order(self, role: str, request: ModelRequest) -> int | None:
        found = {int(number) for number in ORDER.findall(readable_text(request))}
        waiting = (each for each in sorted(found - self.obeyed) if each <= self.last_awake)
        return next((each for each in waiting if self.readers[each] == role), None)


def readable_text(request: ModelRequest) -> str:
    """Return all that somebody else may have written, in one text: descriptions of tools, what the user's side says,
    and what the server's tools have found. It is quicker than a walk through all values."""
    blocks = [
        block
        for entry in request.transcript
        for block in entry.content
        if entry.role != "assistant" or is_server_tool_result(block)
    ]
    return repr((request.prefix.tools, blocks))


def knows_secret(request: ModelRequest) -> bool:
    return SECRET in readable_text(request)
