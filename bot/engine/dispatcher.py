"""The dispatcher makes the tasks match the rows: it opens root turns, runs open turns, and cancels stopped ones."""

import asyncio
import logging
from collections.abc import Collection, Sequence
from datetime import datetime
from functools import partial

from bot.core.errors import StoreDamaged, TurnError
from bot.core.languages import set_language
from bot.core.limits import GetCurrentTerms
from bot.core.messages import Address, Draft
from bot.core.texts import logs, reasons
from bot.core.turn import Turn, TurnId, TurnOutcome, TurnState
from bot.engine import delegation_steering
from bot.engine.agent import Agent
from bot.journal import endings, openings
from bot.journal.bus import Bus
from bot.journal.languages import language_of_turn
from bot.store import Store, inbox, turns
from bot.store.connection import MESSAGES_WAITING_TOPIC, TURNS_CHANGED_TOPIC, WORDS_UNREAD_TOPIC, Connection
from bot.store.signals import WakeUps

log = logging.getLogger(__name__)

LONGEST_TIMER_SECONDS = 60.0  # seconds: if the clock is set back, a held report waits at most this much longer


class Dispatcher:
    """Run each turn as one task, delegations like root turns. The rows say which turn waits for which."""

    def __init__(
        self, store: Store, bus: Bus, agent: Agent, resolver: openings.RoleResolver, terms: GetCurrentTerms
    ) -> None:
        self.store = store
        self.bus = bus
        self.agent = agent
        self.resolver = resolver
        self.terms = terms
        self._runs: dict[TurnId, asyncio.Task[bool]] = {}
        self._turns: dict[TurnId, Turn] = {}  # the running turns, as their rows were when something of them changed
        self._is_closing = False
        self._reports_due_at: datetime | None = None

    async def run(self) -> None:
        """Run until cancelled or closed. After `start_closing`, run until every turn that is left only waits."""
        with self.bus.subscribe_inbound(TURNS_CHANGED_TOPIC, WORDS_UNREAD_TOPIC) as changed:
            async with asyncio.TaskGroup() as runs:
                typing = runs.create_task(self.show_typing_regularly(), name="typing")
                progress = runs.create_task(self.agent.progress.run(), name="progress")
                woken: WakeUps | None = None
                changed.take_names_and_clear()
                while True:
                    await self.sync_tasks_with_turn_rows(runs, woken)
                    is_done = self._is_closing and self._runs.keys() <= self.agent.waiting_turns
                    if is_done and not changed.is_set():  # changes since the last look are still handled
                        break
                    try:
                        async with asyncio.timeout(self.seconds_until_reports_are_due()):
                            await changed.wait()
                    except TimeoutError:
                        self._reports_due_at = await self.store.write(inbox.release_due_reports, self.terms().now)
                    woken = changed.take_names_and_clear()
                for task in (typing, progress, *self._runs.values()):
                    task.cancel()

    def start_closing(self) -> None:
        """Open no more root turns, and end when the turns at work have ended."""
        self._is_closing = True
        self.bus.wake_subscriber(TURNS_CHANGED_TOPIC)

    async def sync_tasks_with_turn_rows(self, runs: asyncio.TaskGroup, woken: WakeUps | None) -> None:
        """Make the tasks match the rows of the turns that were woken; of all open turns if `woken` is None."""
        if woken is None or woken[WORDS_UNREAD_TOPIC]:
            await self.take_up_unread_words()
        ids = None if woken is None else {name for name in woken[TURNS_CHANGED_TOPIC] if name}
        addresses = None if woken is None else {name for name in woken[MESSAGES_WAITING_TOPIC] if name}
        if ids is not None and addresses is not None and not (ids or addresses):
            return
        changed, free, due_at = await self.store.read(load_open_turns_and_free_addresses, ids, addresses)
        if addresses != set():
            self._reports_due_at = due_at
        if free and not self._is_closing:
            await self.open_root_turns(free)
        for turn in changed:
            run = self._runs.get(turn.id)
            if turn.state is not TurnState.STOPPING and run is None:
                run = self._runs[turn.id] = runs.create_task(self.run_turn_or_mark_failed(turn), name=turn.id)
                run.add_done_callback(partial(self.on_run_finished, turn.id))
                if (
                    turn.is_root and turn.state is TurnState.RUNNING and not turn.schedule
                ):  # a turn resumed after a start may only wait
                    self.bus.hand_draft_to_courier(Draft(turn=turn.id, address=turn.address, text=""))
            elif turn.state is TurnState.STOPPING and run and not run.cancelling():
                run.cancel()
            if turn.id in self._runs:
                self._turns[turn.id] = turn
        if any(turn.state is TurnState.STOPPING for turn in changed):
            at_work, notes = frozenset(self._runs), self.agent.usage_and_text_of_running_requests()
            self.agent.forget_turns(await self.store.write(endings.end_marked_trees, at_work, notes, self.terms()))

    async def take_up_unread_words(self) -> None:
        """Let delegations that have ended work again on the words that they have not read. While the bot is closing,
        the words wait for its next start. Words that break this go to the lead."""
        if self._is_closing or not await self.store.read(inbox.list_messages_of_ended_turns):
            return
        try:
            await self.store.write(delegation_steering.take_up_unread_words, self.resolver, self.terms())
        except StoreDamaged:
            raise
        except Exception:  # else the process would end here at each start
            log.exception(logs.WORDS_GO_TO_LEAD)
            await self.store.write(delegation_steering.return_all_unread_words, self.terms())

    async def open_root_turns(self, free: Sequence[Address]) -> None:
        """Open root turns. A message that breaks the opening is set aside, and delays nothing behind it."""
        try:
            await self.store.write(openings.open_root_turns, self.resolver, self.terms(), [str(each) for each in free])
        except StoreDamaged:
            raise
        except Exception:  # one message is at fault: the others must not wait for it
            log.exception(logs.ROOTS_ONE_BY_ONE)
            for address in free:
                try:
                    await self.store.write(openings.open_root_turns, self.resolver, self.terms(), [str(address)])
                except Exception as error:  # else the process would end here at each start
                    log.exception(logs.NO_ROOT_OPENED, address)
                    why = type(error).__name__
                    await self.store.write(openings.set_oldest_message_aside_and_tell, address, why, self.terms())

    async def run_turn_or_mark_failed(self, turn: Turn) -> bool:
        """Run a turn, in the language of its person. Return True if it has ended and needs nothing more. If it cannot
        go on, mark it. A cancelled run writes nothing: the row says why it was cancelled."""
        set_language(language_of_turn(turn, self.terms()))
        try:
            return (await self.agent.run_turn(turn)).turn.state is TurnState.ENDED
        except TurnError as error:
            await self.store.write(endings.mark_turn_tree_ending_as_failed, turn.id, error)
        except StoreDamaged:
            raise
        except Exception as error:  # a bug: it ends this turn and no other
            if isinstance(error, ExceptionGroup) and error.subgroup(StoreDamaged):  # found by the turn's calls
                raise
            log.exception(logs.TURN_FAILED, turn.id, extra={"turn": turn.id, "channel": turn.address.channel})
            await self.store.write(endings.mark_turn_tree_ending, turn.id, TurnOutcome.FAILED, reasons.WENT_WRONG())
        return False

    def on_run_finished(self, turn: TurnId, run: asyncio.Task[bool]) -> None:
        """Forget the run, and wake the dispatcher if its turn needs more. A run that unwinds writes no rows."""
        del self._runs[turn]
        self._turns.pop(turn, None)
        self.agent.slots.clear_crash_suspect(turn)
        if self._is_closing or run.cancelled() or run.exception() or not run.result():
            self.bus.wake_subscriber(TURNS_CHANGED_TOPIC, turn)

    async def show_typing_regularly(self) -> None:
        """Regularly send an empty draft for each root turn that works, or that waits for a delegation that works."""
        while True:
            await asyncio.sleep(self.terms().timings.typing_interval_seconds)
            for root, address in self.addresses_of_roots_at_work().items():
                self.bus.hand_draft_to_courier(Draft(turn=root, address=address, text=""))

    def addresses_of_roots_at_work(self) -> dict[TurnId, Address]:
        """Return the root turns that work, or wait for a delegation that works. The background does not count."""
        background = [turn.id for turn in self._turns.values() if turn.background]
        found = {}
        for turn in self._turns.values():
            is_apart = any(turn.is_within(top) for top in background)
            is_shown = not (is_apart or turn.schedule)
            if turn.id in self._runs and turn.id not in self.agent.waiting_turns and is_shown:
                found[turn.root] = turn.address
        return found

    def seconds_until_reports_are_due(self) -> float | None:
        """Return the seconds until a held report must open a turn; None if none is held for a time."""
        due = self._reports_due_at
        return min(LONGEST_TIMER_SECONDS, max(0.0, (due - self.terms().now).total_seconds())) if due else None


def load_open_turns_and_free_addresses(
    db: Connection, ids: Collection[str] | None, addresses: Collection[str] | None
) -> tuple[list[Turn], list[Address], datetime | None]:
    """Return the open turns, the addresses where a root turn may be opened, and when the first held report is due; that
    is read only if there are addresses. None instead of names means all."""
    changed = turns.list_open_turns(db) if ids is None else turns.load_open_turns_with_ids(db, ids)
    if addresses == set():
        return changed, [], None
    return changed, inbox.list_addresses_ready_for_turn(db, addresses), inbox.next_deadline_of_held_reports(db)
