"""Show what the model is writing, while it writes. No draft has to arrive."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from bot.core.call_progress import CallProgress, activity_with_progress
from bot.core.channel import Channel
from bot.core.errors import DeliveryDelayed, DeliveryError, StoreDamaged
from bot.core.exits import clean_draft, current_exit_rules
from bot.core.limits import GetCurrentTerms
from bot.core.messages import Draft, OutboundKind, OutboundMessage
from bot.core.texts import logs
from bot.core.turn import RequestId, TurnId
from bot.core.unseen_links import holds_link
from bot.engine.delivery import make_message_part
from bot.journal import boards
from bot.journal.bus import Bus
from bot.journal.turn_messages import open_draft_message
from bot.journal.withheld_links import withhold_unseen_links_of_draft
from bot.store import Store, delivery
from bot.store import drafts as rows
from bot.store.drafts import DraftRow

PLACEHOLDER_TEXT = "…"  # the first text of a draft message; its real text is never stored
FIRST_RETRY_SECONDS, MAX_RETRY_SECONDS = 0.02, 1.0  # before a draft that could not be shown is tried again
PROGRESS_KEPT_SECONDS = 120.0  # after a draft was due, its progress is forgotten
MAX_DRAFT_CHARACTERS_ON_EVENT_LOOP = 4_000  # a longer text is cleaned in a thread

log = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class DraftProgress:
    due_at: float  # when it may be shown next, by the loop's clock
    edit_count: int = 0
    message_id: str = ""  # the id of the message that shows it
    part_texts: list[str] = field(default_factory=list)  # the text that each part of that message shows


class ChannelDrafts:
    """One channel's drafts. If the platform has draft messages, a silent message shows the draft. It is edited, and
    gets another part when one is full. Edits and the courier share the lane's lock: no edit comes after the final text.

    Each draft is shown in a task of its own, so a slow chat delays no other. A turn has one such task at a time, which
    lasts until the next draft is due. The newest draft of the turn waits at the bus meanwhile.
    """

    def __init__(
        self, channel: Channel, store: Store, bus: Bus, terms: GetCurrentTerms, locks: Mapping[str, asyncio.Lock]
    ) -> None:
        self.channel = channel
        self.store = store
        self.bus = bus
        self.terms = terms
        self.locks = locks  # by lane; shared with the courier
        self._progress: dict[int, DraftProgress] = {}  # by request
        self._at_work: set[str] = set()  # the turns with a draft that is being shown
        self._showing_progress: set[TurnId] = set()

    async def run(self) -> None:
        with self.bus.subscribe_drafts(self.channel.name) as changed:
            async with asyncio.TaskGroup() as tasks:
                while True:
                    changed.take_names_and_clear()
                    for typing in self.bus.take_drafts_without_text(self.channel.name):
                        cleaned = clean_draft(typing, current_exit_rules())
                        shown = self.show_draft_or_log_failure(cleaned, self.channel.show_draft)
                        tasks.create_task(shown, name=f"typing of {typing.turn}")
                    for progress in self.bus.take_progress(self.channel.name, besides=self._showing_progress):
                        self._showing_progress.add(progress.turn.id)
                        tasks.create_task(self.show_progress(progress), name=f"progress of {progress.turn.id}")
                    for draft in self.bus.take_drafts(self.channel.name, besides=self._at_work):
                        self._at_work.add(draft.turn)
                        tasks.create_task(self.show_draft(draft), name=f"draft of {draft.turn}")
                    await changed.wait()

    async def show_draft(self, draft: Draft) -> None:
        is_editable = self.channel.has_editable_drafts(draft.address)
        show = self.show_newest_when_due if is_editable else self.show_draft_without_editing
        try:
            await self.show_draft_or_log_failure(draft, show)
            if not is_editable:
                await asyncio.sleep(self.terms().timings.screen_draft_seconds)
        finally:
            self._at_work.discard(draft.turn)
            if self.bus.has_draft_waiting(draft):
                self.bus.wake_draft_subscriber(self.channel.name)

    async def show_progress(self, progress: CallProgress) -> None:
        """Show what a call reports: of a root turn as what it does, of a delegation on the board. Then pause as between
        two drafts, or two edits of a board. What comes meanwhile waits at the bus."""
        turn = progress.turn
        try:
            if turn.is_root:
                activity = activity_with_progress(progress.activity, progress.line, current_exit_rules())
                draft = Draft(turn=turn.id, address=turn.address, text="", activity=activity)
                await self.show_draft_or_log_failure(clean_draft(draft, current_exit_rules()), self.channel.show_draft)
                await asyncio.sleep(self.terms().timings.screen_draft_seconds)
            else:
                await self.store.write(boards.revise_board_if_posted, turn)
                await asyncio.sleep(self.channel.board_edit_seconds)
        finally:
            self._showing_progress.discard(turn.id)
            self.bus.wake_draft_subscriber(self.channel.name)

    async def show_draft_or_log_failure(self, draft: Draft, show: Callable[[Draft], Awaitable[None]]) -> None:
        try:
            await show(draft)
        except (DeliveryError, OSError) as error:
            log.debug(logs.DRAFT_FAILED_BECAUSE, draft.turn, error)
        except StoreDamaged:
            raise
        except Exception:  # a channel is other people's code, and a failed draft must not end the bot
            log.exception(logs.DRAFT_FAILED, draft.turn, extra={"turn": draft.turn})

    async def show_newest_when_due(self, draft: Draft) -> None:
        """Show the newest text of a draft as soon as that is allowed. Return when it is shown, or the draft is over."""
        progress, again, time = self.get_or_start_progress(draft), FIRST_RETRY_SECONDS, asyncio.get_running_loop().time
        while True:
            await asyncio.sleep(max(0.0, progress.due_at - time()))
            draft = self.bus.take_newer_draft_or_given(draft)
            progress = self.get_or_start_progress(draft)
            if progress.due_at > time():  # the newest draft is of another reply
                continue
            if await self.try_to_show_draft(draft, progress):
                pauses = self.terms().timings.draft_edit_seconds  # they grow with the number of edits
                pause = pauses[min(progress.edit_count, len(pauses)) - 1] if progress.edit_count else 0.0
                progress.due_at = time() + pause
                return
            progress.due_at = time() + again
            again = min(2 * again, MAX_RETRY_SECONDS)

    async def try_to_show_draft(self, draft: Draft, progress: DraftProgress) -> bool:
        """Show what has changed. Return False to try again: the message is on its way, or the platform has no room."""
        turn, request, lane = TurnId(draft.turn), RequestId(draft.request), self.channel.lane(draft.address)
        row = await self.store.read(rows.find_draft_of_request, turn, request)
        if row is None:  # opened without the lane's lock: a full disk must not keep a reply from being sent
            await self.store.write(open_draft_message, turn, request, draft.address, PLACEHOLDER_TEXT, self.terms().now)
            return False
        if row.is_over:
            return True
        async with self.locks[lane]:  # the final text waits for this edit, or has taken the message over already
            row = await self.store.read(rows.find_draft_of_request, turn, request)
            if row is None or row.is_over:
                return True
            held = await self.store.read(delivery.lane_held_until, self.channel.name, lane, self.terms().now)
            if held or not row.shown_platform_ids:
                return False
            if progress.message_id != row.id:
                progress.message_id, progress.part_texts = row.id, [PLACEHOLDER_TEXT]
            try:
                return await self.try_to_update_draft_parts(draft, row, progress)
            except DeliveryDelayed as delay:
                if not delay.holds_lane:
                    progress.due_at = asyncio.get_running_loop().time() + delay.seconds
                    raise  # a newer text may be shown then
                until = self.terms().now + timedelta(seconds=delay.seconds)
                await self.store.write(delivery.hold_lane_until, self.channel.name, lane, until)
                return False

    def get_or_start_progress(self, draft: Draft) -> DraftProgress:
        """Return how far this draft's reply is shown. A new reply is due later: its first words need no message yet."""
        now = asyncio.get_running_loop().time()
        self._progress = {id: each for id, each in self._progress.items() if now <= each.due_at + PROGRESS_KEPT_SECONDS}
        first = now + self.terms().timings.draft_delay_seconds
        return self._progress.setdefault(draft.request, DraftProgress(due_at=first))

    async def show_draft_without_editing(self, draft: Draft) -> None:
        """Show the whole text. If cleaning it takes time, and its reply is posted meanwhile, drop it."""
        rules = current_exit_rules()
        if len(draft.text) <= MAX_DRAFT_CHARACTERS_ON_EVENT_LOOP and not holds_link(draft.text):
            await self.channel.show_draft(clean_draft(draft, rules))
            return
        draft = await self.leave_out_unseen_links(draft)
        cleaned = await asyncio.to_thread(clean_draft, draft, rules)
        row = await self.store.read(rows.find_draft_of_request, TurnId(draft.turn), RequestId(draft.request))
        if row is None or not row.is_over:
            await self.channel.show_draft(cleaned)

    async def leave_out_unseen_links(self, draft: Draft) -> Draft:
        if not await asyncio.to_thread(holds_link, draft.text):
            return draft
        return await self.store.read(withhold_unseen_links_of_draft, draft, self.terms())

    async def try_to_update_draft_parts(self, draft: Draft, row: DraftRow, progress: DraftProgress) -> bool:
        # In threads, because the text may be long. It is cleaned only here, not with every new word.
        draft = await self.leave_out_unseen_links(draft)
        cleaned = await asyncio.to_thread(clean_draft, draft, current_exit_rules())
        message = OutboundMessage(id=row.id, address=draft.address, kind=OutboundKind.DRAFT, text=cleaned.text)
        texts = await asyncio.to_thread(self.channel.split_into_parts, message)
        texts = texts[: self.terms().settings.long_answer_parts]  # of a longer answer the rest will be in a file
        for number, text in enumerate(texts):
            if progress.part_texts[number : number + 1] == [text]:
                continue
            is_edit = number < len(row.shown_platform_ids)
            if not self.channel.has_room_for_cosmetic_message(draft.address, is_edit=is_edit):
                return False
            if is_edit:
                await self.channel.edit(row.shown_platform_ids[number], make_message_part(message, texts, number))
            else:
                sent = await self.channel.send(make_message_part(message, texts, number))
                await self.store.write(rows.add_draft_part, row.id, sent)
            progress.part_texts[number : number + 1] = [text]
            progress.edit_count += 1
        for id in row.shown_platform_ids[len(texts) :]:  # a failed attempt had written more
            await self.channel.delete(draft.address, id)
            await self.store.write(rows.keep_first_platform_ids, row.id, len(texts))
            del progress.part_texts[len(texts) :]
        return True
