"""Whether the models answer: a fault that only the operator can mend is noted, and told to the owner once."""

import asyncio
import hashlib

from bot import phrases
from bot.access import Accesses, owners
from bot.limits import TermsNow
from bot.store import Store, outbox, pulse
from bot.store.connection import Connection


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

    def note(self, db: Connection, model: str, channel: str, fault: str) -> None:
        now, is_known = self.terms().now, fault in pulse.model_faults(db)
        since = pulse.note_model_fault(db, model, fault, now)
        owner_at = next(iter(owners(self.accesses, channel)), None)
        if owner_at and not is_known:
            digest = hashlib.sha256(fault.encode()).hexdigest()[:12]
            once = f"fault:model:{model}:{since.isoformat()}:{digest}"
            outbox.notice(db, once, owner_at, phrases.model_fault(model, fault), now, rings=True)
