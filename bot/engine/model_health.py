"""Track whether the models answer: how long to wait for one, when another takes over, and who is told of a fault."""

import asyncio
import hashlib
import math

from bot.core.access import AccessByChannel, owner_addresses
from bot.core.errors import ModelFailed, RetryableModelFailure
from bot.core.languages import speaking
from bot.core.languages.said_again import say_again
from bot.core.limits import GetCurrentTerms
from bot.core.model import Outage
from bot.core.texts import people
from bot.core.turn import PaidModelRequest, Turn
from bot.journal.budgets import MIN_OUTPUT_TOKENS, context_window_tokens
from bot.journal.bus import post_notice
from bot.journal.languages import language_of_owner
from bot.models.fallback import strip_fallback_prefix
from bot.store import Store, health_rows
from bot.store.connection import Connection


class ModelHealth:
    def __init__(self, store: Store, access_by_channel: AccessByChannel, terms: GetCurrentTerms) -> None:
        self.store = store
        self.access_by_channel = access_by_channel
        self.terms = terms
        self._at_fault: set[str] = set()  # the models that have a fault row
        self._failed_at: dict[str, float] = {}  # by model: when its last fault was noted, by the loop's clock

    async def load_models_at_fault(self) -> None:
        self._at_fault = set(await self.store.read(health_rows.list_failing_models))

    async def clear_fault_after_answer(self, model: str) -> None:
        if model in self._at_fault:
            self._at_fault.discard(model)  # before the write: a fault that comes meanwhile is noted after it
            self._failed_at.pop(model, None)
            await self.store.write(health_rows.clear_model_fault, model)

    async def report_if_fault(self, model: str, channel: str, failed: ModelFailed | RetryableModelFailure) -> None:
        """Note the failure if it is a fault. `channel` is the name of the channel where somebody waited."""
        if failed.fault:
            self._at_fault.add(model)
            self._failed_at[model] = asyncio.get_running_loop().time()
            await self.store.write(self.report_fault, model, channel, failed.fault, is_passing=failed.is_transient)

    async def report_if_lasting_fault(self, turn: Turn, model: str, error: ModelFailed | RetryableModelFailure) -> None:
        """Note a fault if only the operator can repair it, or if it has lasted for a while."""
        terms = self.terms()
        if not error.is_transient or turn.seconds_of_model_failure(terms.now) >= terms.timings.outage_alert_seconds:
            await self.report_if_fault(model, turn.address.channel, error)

    def has_failed_recently(self, model: str) -> bool:
        """Return True if the model failed recently. After `model_retry_seconds` the next request tries it again."""
        failed_at = self._failed_at.get(model, -math.inf)
        return asyncio.get_running_loop().time() - failed_at < self.terms().timings.model_retry_seconds

    def turn_outage(self, turn: Turn, request: PaidModelRequest) -> Outage:
        """Return how long the model's server has failed, and how much longer the turn waits for it."""
        now, timings = self.terms().now, self.terms().timings
        most = timings.outage_patience_seconds if turn.patience is None else turn.patience
        if request.is_last:
            most = min(most, timings.last_words_timeout_seconds)
        lasted = turn.seconds_of_model_failure(now)
        return Outage(lasted_seconds=lasted, patience_left_seconds=max(0.0, most - lasted))

    def may_switch_to_fallback_model(self, turn: Turn, prompt_tokens: int) -> bool:
        """Return True if the fallback model may answer for the turn's own model, and its context holds the prompt."""
        terms = self.terms()
        name = "" if turn.is_on_fallback else terms.resolved_settings.fallback_model_name
        return bool(name) and prompt_tokens + MIN_OUTPUT_TOKENS <= context_window_tokens(name, terms.settings)

    def seconds_until_fallback(self, turn: Turn, prompt_tokens: int) -> float:
        """Return the seconds until the fallback model takes over; infinity if it cannot."""
        terms = self.terms()
        left = terms.timings.fallback_delay_seconds - turn.seconds_of_model_failure(terms.now)
        return max(0.0, left) if self.may_switch_to_fallback_model(turn, prompt_tokens) else math.inf

    def report_fault(self, db: Connection, model: str, channel: str, fault: str, *, is_passing: bool) -> None:
        """Write a fault down, and tell the owner: once per outage if it may pass, even if its text changes."""
        now, is_known = self.terms().now, fault in health_rows.list_model_fault_texts(db)
        since = health_rows.save_model_fault(db, model, fault, now)
        owner_at = next(iter(owner_addresses(self.access_by_channel, channel)), None)
        if owner_at is None or is_known:
            return
        once = f"fault:model:{model}:{since}:{hashlib.sha256(fault.encode()).hexdigest()[:12]}"
        if is_passing:
            once = f"fault:models:{health_rows.longest_model_fault_began_at(db)}"
        with speaking(language_of_owner(db, owner_at.channel, self.terms())):
            said = people.MODEL_FAULT(model=strip_fallback_prefix(model), fault=say_again(fault))
            post_notice(db, once, owner_at, said, now, rings=True)
