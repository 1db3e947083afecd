"""Show what the model is writing, while it writes. No draft has to arrive."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta

from bot.core.channel import Channel
from bot.core.errors import DeliveryDelayed, DeliveryError, StoreDamaged
from bot.core.limits import TermsNow
from bot.core.messages import Draft, OutboundKind, OutboundMessage
from bot.core.speaker_labels import without_false_labels
from bot.core.texts import logs
from bot.core.turn import RequestId, TurnId
from bot.engine.delivery import make_part
from bot.journal.bus import Bus
from bot.journal.turn_messages import open_draft_message
from bot.store import Store, delivery
from bot.store import drafts as rows
from bot.store.drafts import DraftRow

OPENING_TEXT = "…"  # the first text of a draft message; its real text is never stored
FIRST_PAUSE, LONGEST_PAUSE = 0.02, 1.0  # seconds, before a draft that could not be shown is tried again
FORGOTTEN_SECONDS = 120.0  # after a draft was due, its progress is forgotten
LONG_TEXT = 4_000  # characters

log = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class DraftProgress:
    due: float  # when it may be shown next, by the loop's clock
    edits: int = 0
    message: str = ""  # the id of the message that shows it
    texts: list[str] = field(default_factory=list)  # the text that each part of that message shows


class ChannelDrafts:
    """One channel's drafts. If the platform has draft messages, a silent message shows the draft. It is edited, and
    gets another part when one is full. Edits and the courier share the lane's lock: no edit comes after the final text.

    Each draft is shown in a task of its own, so a slow chat delays no other. A turn has one such task at a time. The
    newest draft of the turn waits at the bus, and is shown as soon as that task has ended and the platform has room.
    """

    def __init__(
        self, channel: Channel, store: Store, bus: Bus, terms: TermsNow, locks: Mapping[str, asyncio.Lock]
    ) -> None:
        self.channel = channel
        self.store = store
        self.bus = bus
        self.terms = terms
        self.locks = locks  # by lane; shared with the courier
        self._progress: dict[int, DraftProgress] = {}  # by request
        self._at_work: set[str] = set()  # the turns with a draft that is being shown

    async def run(self) -> None:
        with self.bus.subscribe_drafts(self.channel.name) as changed:
            async with asyncio.TaskGroup() as tasks:
                while True:
                    changed.take_names()
                    for typing in self.bus.take_drafts_without_text(self.channel.name):
                        tasks.create_task(self.show_or_drop(typing, self.channel.show), name=f"typing of {typing.turn}")
                    for draft in self.bus.take_drafts(self.channel.name, besides=self._at_work):
                        self._at_work.add(draft.turn)
                        tasks.create_task(self.show_draft(draft), name=f"draft of {draft.turn}")
                    await changed.wait()

    async def show_draft(self, draft: Draft) -> None:
        show = self.show_when_due if self.channel.has_draft_messages(draft.address) else self.show_full_text
        try:
            await self.show_or_drop(draft, show)
        finally:
            self._at_work.discard(draft.turn)
            self.bus.wake_draft_subscriber(self.channel.name)

    async def show_or_drop(self, draft: Draft, show: Callable[[Draft], Awaitable[None]]) -> None:
        try:
            await show(draft)
        except (DeliveryError, OSError) as error:
            log.debug(logs.DRAFT_FAILED_BECAUSE, draft.turn, error)
        except StoreDamaged:
            raise
        except Exception:  # a channel is other people's code, and a failed draft must not end the bot
            log.exception(logs.DRAFT_FAILED, draft.turn, extra={"turn": draft.turn})

    async def show_when_due(self, draft: Draft) -> None:
        """Show the newest text of a draft as soon as that is allowed. Return when it is shown, or the draft is over."""
        progress, again, time = self.progress_of(draft), FIRST_PAUSE, asyncio.get_running_loop().time
        while True:
            await asyncio.sleep(max(0.0, progress.due - time()))
            draft = self.bus.take_newer_draft_or_given(draft)
            progress = self.progress_of(draft)
            if progress.due > time():  # the newest draft is of another reply
                continue
            if await self.try_to_show(draft, progress):
                pauses = self.terms().timings.draft_edit_seconds  # they grow with the number of edits
                pause = pauses[min(progress.edits, len(pauses)) - 1] if progress.edits else 0.0
                progress.due = time() + pause
                return
            progress.due = time() + again
            again = min(2 * again, LONGEST_PAUSE)

    async def try_to_show(self, draft: Draft, progress: DraftProgress) -> bool:
        """Show what has changed. Return False to try again: the message is on its way, or the platform has no room."""
        turn, request, lane = TurnId(draft.turn), RequestId(draft.request), self.channel.lane(draft.address)
        row = await self.store.read(rows.find_draft_of_request, turn, request)
        if row is None:  # opened without the lane's lock: a full disk must not keep a reply from being sent
            await self.store.write(open_draft_message, turn, request, draft.address, OPENING_TEXT, self.terms().now)
            return False
        if row.is_over:
            return True
        async with self.locks[lane]:  # the final text waits for this edit, or has taken the message over already
            row = await self.store.read(rows.find_draft_of_request, turn, request)
            if row is None or row.is_over:
                return True
            held = await self.store.read(delivery.lane_held_until, self.channel.name, lane, self.terms().now)
            if held or not row.shown_parts:
                return False
            if progress.message != row.id:
                progress.message, progress.texts = row.id, [OPENING_TEXT]
            try:
                return await self.edit_parts(draft, row, progress)
            except DeliveryDelayed as delay:
                until = self.terms().now + timedelta(seconds=delay.seconds)
                await self.store.write(delivery.hold_lane_until, self.channel.name, lane, until)
                return False

    def progress_of(self, draft: Draft) -> DraftProgress:
        """Return how far this draft's reply is shown. A new reply is due later: its first words need no message yet."""
        now = asyncio.get_running_loop().time()
        self._progress = {
            request: each for request, each in self._progress.items() if now <= each.due + FORGOTTEN_SECONDS
        }
        first = now + self.terms().timings.draft_seconds
        return self._progress.setdefault(draft.request, DraftProgress(due=first))

    async def show_full_text(self, draft: Draft) -> None:
        """Show the whole text. A long text loses its labels in a thread. If its reply is posted meanwhile, drop it."""
        if len(draft.text) <= LONG_TEXT:
            await self.channel.show(replace(draft, text=without_false_labels(draft.text)))
            return
        text = await asyncio.to_thread(without_false_labels, draft.text)
        row = await self.store.read(rows.find_draft_of_request, TurnId(draft.turn), RequestId(draft.request))
        if row is None or not row.is_over:
            await self.channel.show(replace(draft, text=text))

    async def edit_parts(self, draft: Draft, row: DraftRow, progress: DraftProgress) -> bool:
        # In threads, because the text may be long. Labels are removed only here, not with every new word.
        unlabelled = await asyncio.to_thread(without_false_labels, draft.text)
        message = OutboundMessage(id=row.id, address=draft.address, kind=OutboundKind.DRAFT, text=unlabelled)
        texts = await asyncio.to_thread(self.channel.parts, message)
        for number, text in enumerate(texts):
            if progress.texts[number : number + 1] == [text]:
                continue
            if not self.channel.has_room(draft.address, is_edit=number < len(row.shown_parts)):
                return False
            if number < len(row.shown_parts):
                await self.channel.edit(row.shown_parts[number], make_part(message, texts, number))
            else:
                sent = await self.channel.send(make_part(message, texts, number))
                await self.store.write(rows.add_draft_part, row.id, sent)
            progress.texts[number : number + 1] = [text]
            progress.edits += 1
        for id in row.shown_parts[len(texts) :]:  # a failed attempt had written more
            await self.channel.delete(draft.address, id)
            await self.store.write(rows.keep_first_platform_ids, row.id, len(texts))
            del progress.texts[len(texts) :]
        return True
