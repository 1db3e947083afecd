"""Show what the model is writing, while it writes. Nothing here must arrive."""

import asyncio
import logging
from collections.abc import Callable
from datetime import timedelta

from bot.bus import Bus, drafts_of
from bot.channel import Channel
from bot.errors import DeliveryDelayed, DeliveryError, StoreDamaged
from bot.limits import TermsNow
from bot.messages import Draft, OutboundId, OutboundKind, OutboundMessage, PlatformId
from bot.showing import part_of
from bot.store import Store, delivery, outbox
from bot.turn import TurnId

ANCHOR = "…"  # what that message says first; its text is never stored

log = logging.getLogger(__name__)


class Drafts:
    """One channel's drafts. Where the platform anchors them, a silent message is opened and edited; the row that says
    the text takes it over. Edits share the lane's lock with the courier, so none comes after the final text.

    Each is shown in a task of its own, so that a slow chat delays no other, but only one of a turn at a time: what the
    turn writes meanwhile waits at the bus, where the newest takes the place of the one before.
    """

    def __init__(
        self, channel: Channel, store: Store, bus: Bus, terms: TermsNow, lock: Callable[[str], asyncio.Lock]
    ) -> None:
        self.channel = channel
        self.store = store
        self.bus = bus
        self.terms = terms
        self.lock = lock
        self._due: dict[str, float] = {}  # by turn: when it may be shown next, by the loop's clock
        self._at_work: set[str] = set()  # the turns of which one is being shown

    async def run(self) -> None:
        with self.bus.listen(drafts_of(self.channel.name)) as changed:
            async with asyncio.TaskGroup() as tasks:
                while True:
                    changed.clear()
                    for draft in self.bus.take_drafts(self.channel.name, besides=self._at_work):
                        self._at_work.add(draft.turn)
                        tasks.create_task(self.show_one(draft), name=f"draft of {draft.turn}")
                    await changed.wait()

    async def show_one(self, draft: Draft) -> None:
        try:
            await self.show(draft)
        finally:
            self._at_work.discard(draft.turn)
            self.bus.wake(drafts_of(self.channel.name))

    async def show(self, draft: Draft) -> None:
        try:
            if draft.text and self.channel.anchors(draft.address):
                await self.anchor(draft)
            else:
                await self.channel.show(draft)
        except (DeliveryError, OSError) as error:
            log.debug("a draft of %s was let go: %s", draft.turn, error)
        except StoreDamaged:
            raise
        except Exception:  # a channel is other people's code, and a draft no reason to end
            log.exception("a draft of %s was let go", draft.turn, extra={"turn": draft.turn})

    async def anchor(self, draft: Draft) -> None:
        now, settings = asyncio.get_running_loop().time(), self.terms().settings
        pause = settings.draft_seconds + settings.draft_edit_seconds  # longer than this, and it is another text
        self._due = {turn: due for turn, due in self._due.items() if now <= due + pause}
        due = self._due.setdefault(draft.turn, now + settings.draft_seconds)
        if now < due:
            return
        self._due[draft.turn] = now + settings.draft_edit_seconds
        if await self.store.read(outbox.has_draft, TurnId(draft.turn)):
            await self.edit(draft)
        else:
            await self.store.write(outbox.say_draft, TurnId(draft.turn), draft.address, ANCHOR, self.terms().now)

    async def edit(self, draft: Draft) -> None:
        lane = self.channel.lane(draft.address)
        async with self.lock(lane):
            # Under the lock: whoever says the final text has to wait for it, or has taken the message over.
            id = await self.store.read(outbox.anchor, TurnId(draft.turn))
            held = await self.store.read(delivery.held_until, self.channel.name, lane, self.terms().now)
            if id and not held and self.channel.has_room(draft.address):
                await self.edit_now(id, draft, lane)

    async def edit_now(self, id: PlatformId, draft: Draft, lane: str) -> None:
        message = OutboundMessage(
            id=OutboundId(f"{draft.turn}:draft"), address=draft.address, kind=OutboundKind.DRAFT, text=draft.text
        )
        try:
            await self.channel.edit(id, part_of(message, await asyncio.to_thread(self.channel.parts, message), 0))
        except DeliveryDelayed as delay:
            until = self.terms().now + timedelta(seconds=delay.seconds)
            await self.store.write(delivery.hold, self.channel.name, lane, until)
