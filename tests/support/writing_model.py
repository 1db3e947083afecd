"""A model that writes while the test watches."""

import asyncio

from bot.core.content_blocks import text_block
from bot.core.messages import Draft, OutboundKind
from bot.core.model import ModelReply, ModelRequest, ShowTextCallback
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import reply

QUICK = engine_options(draft_delay_seconds=0, draft_edit_seconds=(0,), delivery_retry_seconds=0.001)
DRAFT = OutboundKind.DRAFT


class Writes:
    """A step of a script that shows each text that the test gives it, and then answers or fails."""

    def __init__(self, answer: ModelReply | str | Exception) -> None:
        self.answer = reply(text_block(answer)) if isinstance(answer, str) else answer
        self.shown: asyncio.Queue[str | None] = asyncio.Queue()

    async def __call__(self, request: ModelRequest, show: ShowTextCallback) -> ModelReply:
        while (text := await self.shown.get()) is not None:
            show(text)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def shows(self, text: str) -> None:
        self.shown.put_nowait(text)

    def ends(self) -> None:
        self.shown.put_nowait(None)


async def see_a_draft(bench: Bench, step: Writes) -> None:
    """Let the model write until its draft is shown and edited to what it wrote."""
    step.shows("Hel")
    assert (await bench.chat.part(DRAFT)).text == "…"
    await shows_until_edited(bench, step, "Hello")


async def shows_until_edited(bench: Bench, step: Writes, text: str) -> None:
    """Show the text until the draft has it. At the first time, the draft's row may not be committed yet."""

    async def edited() -> None:
        while (await bench.chat.edited(DRAFT)).text != text:
            pass

    edit = asyncio.ensure_future(edited())
    while not edit.done():
        step.shows(text)
        await asyncio.sleep(0.001)
    edit.result()


def drained(drafts: asyncio.Queue[Draft]) -> list[Draft]:
    return [drafts.get_nowait() for _ in range(drafts.qsize())]
