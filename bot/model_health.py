"""Whether the models answer: how long one is waited for, when another takes its place, and who is told of a fault."""

import asyncio
import hashlib

from bot import phrases
from bot.access import Accesses, owners
from bot.limits import TermsNow
from bot.model import Outage
from bot.store import Store, outbox, pulse
from bot.store.connection import Connection
from bot.turn import Request, Turn


class ModelHealth:
    def __init__(self, store: Store, accesses: Accesses, terms: TermsNow) -> None:
        self.store = store
        self.accesses = accesses
        self.terms = terms
        self._at_fault: set[str] = set()  # the models that have a row
        self._failed_at: dict[str, float] = {}  # when that was noted last, by the loop's clock

    async def load(self) -> None:
        self._at_fault = set(await self.store.read(pulse.models_at_fault))

    async def note_answer(self, model: str) -> None:
        if model in self._at_fault:
            await self.store.write(pulse.clear_model_fault, model)
            self._at_fault.discard(model)
        self._failed_at.pop(model, None)

    async def note_failure(self, model: str, channel: str, fault: str) -> None:
        """Note a fault; `channel` is where somebody waited for the answer. An empty one is none of the model's."""
        if fault:
            self._at_fault.add(model)
            self._failed_at[model] = asyncio.get_running_loop().time()
            await self.store.write(self.note, model, channel, fault)

    def is_away(self, model: str) -> bool:
        """Whether it has failed of late; after a while somebody has to try."""
        if model not in self._failed_at:
            return False
        seconds = asyncio.get_running_loop().time() - self._failed_at[model]
        return seconds < self.terms().settings.trusted_again_seconds

    def outage(self, turn: Turn, request: Request) -> Outage:
        """How long the model's server has failed, and how much longer the turn waits for it."""
        now, settings = self.terms().now, self.terms().settings
        most = settings.patience_seconds if turn.patience is None else turn.patience
        if request.is_last:
            most = min(most, settings.last_words_seconds)
        lasted = turn.failing_seconds(now)
        return Outage(lasted=lasted, left=max(0.0, most - lasted))

    def may_fall_back(self, turn: Turn) -> bool:
        """Whether another model can answer in place of the turn's own."""
        return bool(self.terms().settings.fallback_model) and not turn.is_on_fallback

    async def falls_back(self, turn: Turn, model: str, fault: str) -> bool:
        """Whether it does now: after some patience with the turn's own. Then the fault is the owner's to know."""
        terms = self.terms()
        if not self.may_fall_back(turn) or turn.failing_seconds(terms.now) < terms.settings.fallback_seconds:
            return False
        await self.note_failure(model, turn.address.channel, fault)
        return True

    def note(self, db: Connection, model: str, channel: str, fault: str) -> None:
        now, is_known = self.terms().now, fault in pulse.model_faults(db)
        since = pulse.note_model_fault(db, model, fault, now)
        owner_at = next(iter(owners(self.accesses, channel)), None)
        if owner_at and not is_known:
            digest = hashlib.sha256(fault.encode()).hexdigest()[:12]
            once = f"fault:model:{model}:{since.isoformat()}:{digest}"
            outbox.notice(db, once, owner_at, phrases.model_fault(model, fault), now, rings=True)
