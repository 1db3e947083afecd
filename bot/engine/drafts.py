"""Show what the model is writing, while it writes. Nothing here must arrive."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

from bot.core.channel import Channel
from bot.core.errors import DeliveryDelayed, DeliveryError, StoreDamaged
from bot.core.limits import TermsNow
from bot.core.messages import Draft, OutboundKind, OutboundMessage
from bot.core.speaker_labels import without_false_labels
from bot.core.texts import logs
from bot.core.turn import RequestId, TurnId
from bot.engine.bus import Bus, drafts_topic
from bot.engine.delivery import make_part
from bot.store import Store, delivery
from bot.store import drafts as rows
from bot.store.drafts import DraftRow

OPENING_TEXT = "…"  # what that message says first; its text is never stored
FIRST_PAUSE, LONGEST_PAUSE = 0.02, 1.0  # seconds, before what could not be shown is tried again
FORGOTTEN_SECONDS = 120.0
LONG_TEXT = 4_000  # characters

log = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class DraftProgress:
    """How far the draft of one request is shown."""

    due: float  # when it may be shown next, by the loop's clock
    edits: int = 0
    message: str = ""  # which shows it
    texts: list[str] = field(default_factory=list)  # what that shows, by its parts


class ChannelDrafts:
    """One channel's drafts. Where the platform anchors them, a silent message is opened and edited, and grows by a part
    whenever one is full. Edits share the lane's lock with the courier, so none comes after the final text.

    Each is shown in a task of its own, so that a slow chat delays no other, but only one of a turn at a time: what the
    turn writes meanwhile waits at the bus, where the newest takes the place of the one before. A task that waits for
    its time, or for room, shows the newest then.
    """

    def __init__(
        self, channel: Channel, store: Store, bus: Bus, terms: TermsNow, lock: Callable[[str], asyncio.Lock]
    ) -> None:
        self.channel = channel
        self.store = store
        self.bus = bus
        self.terms = terms
        self.lock = lock
        self._progress: dict[int, DraftProgress] = {}  # by request
        self._at_work: set[str] = set()  # the turns of which one is being shown

    async def run(self) -> None:
        with self.bus.listen(drafts_topic(self.channel.name)) as changed:
            async with asyncio.TaskGroup() as tasks:
                while True:
                    changed.clear()
                    for typing in self.bus.take_typing(self.channel.name):
                        tasks.create_task(self.show_or_drop(typing, self.channel.show), name=f"typing of {typing.turn}")
                    for draft in self.bus.take_drafts(self.channel.name, besides=self._at_work):
                        self._at_work.add(draft.turn)
                        tasks.create_task(self.show_draft(draft), name=f"draft of {draft.turn}")
                    await changed.wait()

    async def show_draft(self, draft: Draft) -> None:
        try:
            await self.show_or_drop(
                draft, self.show_when_due if self.channel.has_draft_messages(draft.address) else self.show_full_text
            )
        finally:
            self._at_work.discard(draft.turn)
            self.bus.wake(drafts_topic(self.channel.name))

    async def show_or_drop(self, draft: Draft, show: Callable[[Draft], Awaitable[None]]) -> None:
        try:
            await show(draft)
        except (DeliveryError, OSError) as error:
            log.debug(logs.DRAFT_FAILED_BECAUSE, draft.turn, error)
        except StoreDamaged:
            raise
        except Exception:  # a channel is other people's code, and a draft no reason to end
            log.exception(logs.DRAFT_FAILED, draft.turn, extra={"turn": draft.turn})

    async def show_when_due(self, draft: Draft) -> None:
        """Show the newest text of a draft as soon as that may be, or find that it is written no more."""
        progress, again = self.progress_of(draft), FIRST_PAUSE
        while True:
            await asyncio.sleep(max(0.0, progress.due - self.loop_time()))
            draft = self.bus.take_newest_draft(draft)
            progress = self.progress_of(draft)
            if progress.due > self.loop_time():  # it is another reply by now
                continue
            if await self.try_to_show(draft, progress):
                progress.due = self.loop_time() + self.pause_seconds(progress)
                return
            progress.due = self.loop_time() + again
            again = min(2 * again, LONGEST_PAUSE)

    async def try_to_show(self, draft: Draft, progress: DraftProgress) -> bool:
        """Show a draft's text; False where that must be tried again: its message is on its way, or there is no room."""
        row = await self.store.read(rows.load_draft_row, TurnId(draft.turn), RequestId(draft.request))
        if row is None:
            await self.open_message(draft)
            return False
        return row.is_over or await self.edit_message(draft, progress)

    def progress_of(self, draft: Draft) -> DraftProgress:
        """How far the reply is shown that this is the draft of. Its first words are not worth a message yet."""
        now = self.loop_time()
        self._progress = {
            request: each for request, each in self._progress.items() if now <= each.due + FORGOTTEN_SECONDS
        }
        first = now + self.terms().settings.draft_seconds
        return self._progress.setdefault(draft.request, DraftProgress(due=first))

    def pause_seconds(self, progress: DraftProgress) -> float:
        """Seconds until the next edit: a text that has been growing for long is looked at less often."""
        pauses = self.terms().settings.draft_edit_seconds
        return pauses[min(progress.edits, len(pauses)) - 1] if progress.edits else 0.0

    def loop_time(self) -> float:
        return asyncio.get_running_loop().time()

    async def open_message(self, draft: Draft) -> None:
        turn, request = TurnId(draft.turn), RequestId(draft.request)
        await self.store.write(rows.open_draft, turn, request, draft.address, OPENING_TEXT, self.terms().now)

    async def edit_message(self, draft: Draft, progress: DraftProgress) -> bool:
        """Show what has changed in the draft's message; False where the platform has no room for that now."""
        lane = self.channel.lane(draft.address)
        async with self.lock(lane):
            # Under the lock: whoever says the final text has to wait for it, or has taken the message over.
            row = await self.store.read(rows.load_draft_row, TurnId(draft.turn), RequestId(draft.request))
            held = await self.store.read(delivery.lane_held_until, self.channel.name, lane, self.terms().now)
            if row is None or row.is_over or held:
                return not held
            if not row.parts:  # on its way
                return False
            if progress.message != row.id:
                progress.message, progress.texts = row.id, [OPENING_TEXT]
            try:
                return await self.edit_parts(draft, row, progress)
            except DeliveryDelayed as delay:
                until = self.terms().now + timedelta(seconds=delay.seconds)
                await self.store.write(delivery.hold_lane, self.channel.name, lane, until)
                return False

    def render_unlabelled(self, message: OutboundMessage) -> tuple[OutboundMessage, Sequence[str]]:
        """In a thread: it may be long. What the model writes is made free of labels only here, as often as it is shown,
        and not with every word that comes."""
        message = replace(message, text=message.text_without_labels)
        return message, self.channel.parts(message)

    async def show_full_text(self, draft: Draft) -> None:
        """A long text is made free of labels in a thread; by then that reply may be said, and is no draft any more."""
        if len(draft.text) <= LONG_TEXT:
            await self.channel.show(replace(draft, text=without_false_labels(draft.text)))
            return
        text = await asyncio.to_thread(without_false_labels, draft.text)
        row = await self.store.read(rows.load_draft_row, TurnId(draft.turn), RequestId(draft.request))
        if row is None or not row.is_over:
            await self.channel.show(replace(draft, text=text))

    async def edit_parts(self, draft: Draft, row: DraftRow, progress: DraftProgress) -> bool:
        message = OutboundMessage(id=row.id, address=draft.address, kind=OutboundKind.DRAFT, text=draft.text)
        message, texts = await asyncio.to_thread(self.render_unlabelled, message)
        for number, text in enumerate(texts):
            if progress.texts[number : number + 1] == [text]:
                continue
            if not self.channel.has_room(draft.address, is_edit=number < len(row.parts)):
                return False
            if number < len(row.parts):
                await self.channel.edit(row.parts[number], make_part(message, texts, number))
            else:
                sent = await self.channel.send(make_part(message, texts, number))
                await self.store.write(rows.add_draft_part, row.id, sent)
            progress.texts[number : number + 1] = [text]
            progress.edits += 1
        for id in row.parts[len(texts) :]:  # an attempt that failed had written more
            await self.channel.delete(draft.address, id)
            await self.store.write(rows.keep_first_parts, row.id, len(texts))
            del progress.texts[len(texts) :]
        return True
