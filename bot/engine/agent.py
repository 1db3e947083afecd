"""The agent loop: read where the turn stands, take the next step, write it down, read again.

Only the rows carry state from step to step. So resuming after a crash is the same as continuing.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from bot.core.activity import describe_activity
from bot.core.errors import ModelFailed, ModelRefused, RequestFailed, TurnError
from bot.core.group import GroupsNow
from bot.core.limits import TermsNow
from bot.core.media import Media
from bot.core.messages import Draft
from bot.core.model import ModelRequest, Outage, RequestMeter, ShowText, TranscriptEntry
from bot.core.prompt_prefix import Prefix
from bot.core.turn import Call, CallKind, CallState, Request, Turn, TurnId, TurnStanding, TurnState
from bot.core.web import CAP_LEVELS, server_tool_names
from bot.engine.model_health import ModelHealth
from bot.engine.reply_planner import MakePlan, ReplyPlanner, text_of_earlier_parts
from bot.engine.slots import Slots, TurnSlot
from bot.engine.transcript_cache import TranscriptCache
from bot.engine.turn_clock import TurnClock
from bot.journal import cut_offs, questions, steps
from bot.journal.bus import Bus
from bot.journal.endings import CutOffNote, CutOffNotes
from bot.store import Store
from bot.store.connection import TURNS_CHANGED, Connection, calls_topic
from bot.store.signals import Signal


@dataclass(slots=True, kw_only=True)
class RunningRequest:
    """A request that the model is answering: what it has used, and what the model has written so far. If this
    request repeats a failed one, `text` starts with the text of the failed one."""

    request: Request
    meter: RequestMeter
    text: str = ""


class Agent:
    """The state that the runs of all turns share."""

    def __init__(
        self,
        planner: ReplyPlanner,
        store: Store,
        bus: Bus,
        slots: Slots,
        terms: TermsNow,
        groups: GroupsNow,
        model_health: ModelHealth,
    ) -> None:
        self.planner = planner
        self.model_health = model_health
        self.store = store
        self.bus = bus
        self.slots = slots
        self.terms = terms
        self.groups = groups
        self.transcripts = TranscriptCache(store)
        self.waiting_turns: set[TurnId] = set()  # the turns that wait now, for others or for the model's server
        self.running_requests: dict[TurnId, RunningRequest] = {}  # by turn: its newest request
        self.activities: dict[TurnId, str] = {}  # the activity that people were last told, by root turn

    async def run(self, turn: Turn) -> TurnStanding:
        """Run a turn until it ends or is stopped. Return where it stands then; its rows say the same."""
        with self.bus.subscribe(calls_topic(turn.id)) as changed, TurnSlot(self.slots, turn) as slot:
            return await TurnRun(self, slot, changed).run_to_end(turn)

    def cut_off_notes(self) -> CutOffNotes:
        """Return what each request under way has used and written, for the transaction that ends it."""
        now = asyncio.get_running_loop().time()
        notes = {}
        for turn, each in self.running_requests.items():
            usage = each.meter.usage_so_far(now, each.request.max_tokens)
            notes[turn] = CutOffNote(request=each.request.id, usage=usage, text=each.text)
        return notes

    def forget_turns(self, ended: Iterable[TurnId]) -> None:
        """Forget turns that have ended: their requests are charged already."""
        for turn in ended:
            self.running_requests.pop(turn, None)
            self.activities.pop(turn, None)

    async def ask_model(self, stand: TurnStanding, asked: ModelRequest, under_way: "RunningRequest") -> MakePlan:
        """Ask the model, and note whether it answers. Raise what the reply planner raises."""
        model = asked.prefix.model
        try:
            show = self.make_show(stand, under_way, text_of_earlier_parts(asked.transcript))
            plan = await self.planner.ask_and_plan(stand, under_way.request, asked, show)
        except (ModelFailed, RequestFailed) as failed:
            await self.model_health.note_if_lasting(stand.turn, model, failed)
            raise
        await self.model_health.note_answer(model)
        return plan

    def make_show(self, stand: TurnStanding, under_way: "RunningRequest", before: str) -> ShowText:
        """Return the function that shows the text of a reply while it grows. A summary is shown to nobody, a
        delegation's text in no chat. `before` is the text of the earlier parts that this reply continues."""
        turn, request = stand.turn, under_way.request.id

        def show(text: str | None, activity: str = "") -> None:
            under_way.text = under_way.text if text is None else text
            if turn.is_root:
                shown = "\n".join(filter(None, [before, text]))
                self.bus.show_draft(
                    Draft(turn=turn.id, address=turn.address, text=shown, request=request, activity=activity)
                )

        def show_nothing(text: str | None, activity: str = "") -> None:
            pass

        return show_nothing if stand.is_closing else show

    def show_activity(self, stand: TurnStanding) -> None:
        """Show people what the calls of a root turn do, each time the activity changes."""
        turn, told = stand.turn, self.activities.get(stand.turn.id, "")
        activity = describe_activity((call.name, call.arguments) for call in stand.open_calls) if turn.is_root else ""
        if activity == told:
            return
        self.activities[turn.id] = activity
        self.bus.show_draft(Draft(turn=turn.id, address=turn.address, text="", activity=activity))


class TurnRun:
    """One turn's run in this process."""

    def __init__(self, agent: Agent, slot: TurnSlot, changed: Signal) -> None:
        self.agent = agent
        self.slot = slot
        self.changed = changed
        self.clock = TurnClock()
        self.last_words_deadline: float | None = None  # by the loop's clock; set at the first request for them

    async def run_to_end(self, turn: Turn) -> TurnStanding:
        stand = await self.read_standing(turn)
        if stand.is_waiting_for_money:  # the money may have come before we listened
            stand = await self.retry_payment(turn)
        while stand.is_open:
            if stand.turn.attempts == 0:
                self.agent.slots.clear_suspect(turn.id)
            stand = await self.take_step(stand)
        if stand.turn.state is TurnState.ENDED:
            self.agent.forget_turns([turn.id])
        return stand

    async def read_standing(self, turn: Turn) -> TurnStanding:
        self.changed.clear()  # before reading: a change after the read sets the signal again
        return await self.agent.transcripts.read_standing(turn.id)

    async def write_and_read(self, turn: Turn, work: Callable[[Connection], None]) -> TurnStanding:
        """Write, then read the standing in the same transaction. That saves one trip to the store."""
        self.changed.clear()
        return await self.agent.transcripts.write_and_read(turn.id, work)

    async def take_step(self, stand: TurnStanding) -> TurnStanding:
        """Take the next step. A turn that only waits releases its slot; every other step needs one."""
        turn, terms, groups = stand.turn, self.agent.terms, self.agent.groups
        self.agent.show_activity(stand)
        if stand.is_only_waiting:
            self.slot.release()
            return await self.wait_for_others(stand)
        await self.slot.take()
        if turn.state is TurnState.QUEUED:
            return await self.write_and_read(turn, lambda db: steps.begin_or_resume_turn(db, turn.id, terms()))
        if stand.is_model_next:
            return await self.make_request(stand)
        if stand.open_calls:
            return await self.run_own_calls(turn, stand)
        return await self.write_and_read(
            turn, lambda db: steps.write_step_results(db, turn.id, self.clock.take_seconds(), terms(), groups())
        )

    # Asking the model

    async def make_request(self, stand: TurnStanding) -> TurnStanding:
        """Ask the model. Write the plan of its reply, or the cut-off if the request failed."""
        turn, request, agent = stand.turn, stand.request, self.agent
        assert request, f"{turn.id} asks, and nothing is reserved"
        prefix, transcript = await agent.transcripts.prefix_and_entries(stand)
        transcript = await agent.transcripts.fill_entries(transcript)
        asked = build_model_request(stand, request, prefix, transcript, agent.model_health.outage_of(turn, request))
        before = (
            agent.running_requests.get(turn.id) if request.attempt > 1 else None
        )  # people still see the text of the failed attempt
        under_way = RunningRequest(request=request, meter=asked.meter, text=before.text if before else "")
        agent.running_requests[turn.id] = under_way
        health, length = agent.model_health, asked.meter.prompt
        if health.is_away(request.model) and health.may_fall_back(turn, length):
            return await self.write_cut_off(stand, request, cut_offs.answer_with_fallback)
        try:
            async with self.limit_time(stand) as limit:
                plan = await agent.ask_model(stand, asked, under_way)
        except TimeoutError:
            if not limit.expired():
                raise
            if stand.is_closing:
                return await self.write_cut_off(stand, request, cut_offs.make_chapter_leaver(is_late=True))
            return await self.write_cut_off(
                stand, request, cut_offs.give_up_last_request if request.is_last else cut_offs.handle_turn_timeout
            )
        except RequestFailed as failed:
            self.clock.discard()  # the server was absent or too busy: that was not the turn's work
            if await health.start_fallback_if_due(turn, request.model, failed, length):
                return await self.write_cut_off(stand, request, cut_offs.answer_with_fallback)
            if failed.fault:
                failed.seconds = min(failed.seconds, health.seconds_until_fallback(turn, length))
            return await self.write_cut_off(stand, request, cut_offs.make_retry(failed))
        except TurnError as error:
            if isinstance(error, ModelFailed) and error.fault and health.may_fall_back(turn, length):
                return await self.write_cut_off(stand, request, cut_offs.answer_with_fallback)
            if isinstance(error, ModelRefused):
                under_way.text = ""  # a refused reply is neither shown nor continued
            if stand.is_closing:
                return await self.write_cut_off(stand, request, cut_offs.make_chapter_leaver(is_late=False))
            if request.is_last:
                return await self.write_cut_off(stand, request, cut_offs.give_up_last_request)
            raise
        return await self.write_and_read(
            turn, lambda db: steps.write_reply(db, plan(self.clock.take_seconds()), agent.terms())
        )

    async def write_cut_off(self, stand: TurnStanding, request: Request, write: cut_offs.CutHandler) -> TurnStanding:
        note = self.agent.cut_off_notes()[stand.turn.id]
        cut = cut_offs.CutOff(
            turn=stand.turn.id, request=request, usage=note.usage, text=note.text, worked=self.clock.take_seconds()
        )
        return await self.write_and_read(stand.turn, lambda db: write(db, cut, self.agent.terms()))

    @asynccontextmanager
    async def limit_time(self, stand: TurnStanding) -> AsyncIterator[asyncio.Timeout]:
        """Run the turn's clock inside the block, and time out when the turn's seconds are used up. The last request
        has its own time limit."""
        now = asyncio.get_running_loop().time()
        if stand.request and stand.request.is_last:
            if self.last_words_deadline is None:
                self.last_words_deadline = now + self.agent.terms().timings.last_words_seconds
            until = self.last_words_deadline
        else:
            until = now + stand.turn.limits.seconds - stand.turn.spent.seconds - self.clock.unwritten_seconds
        with self.clock:
            async with asyncio.timeout_at(until) as limit:
                yield limit

    # Running calls

    async def run_own_calls(self, turn: Turn, stand: TurnStanding) -> TurnStanding:
        """Run a step's own calls: reading calls side by side, changing calls in the order of the calls."""
        try:
            async with self.limit_time(stand) as limit:
                await self.run_calls(turn, stand.own_calls)
        except TimeoutError:
            if not limit.expired():
                raise
            return await self.write_and_read(
                turn, lambda db: cut_offs.fail_calls_out_of_time(db, turn.id, self.clock.take_seconds())
            )
        return await self.read_standing(turn)

    async def run_calls(self, turn: Turn, calls: Sequence[Call]) -> None:
        async with asyncio.TaskGroup() as at_work:
            for call in calls:
                if call.kind is CallKind.READ:
                    at_work.create_task(self.run_call(turn, call), name=call.id)
            for call in calls:
                is_due = call.kind is CallKind.CHANGE and call.state is CallState.PLANNED
                # The start is written first. If we die in between, the call may have run, so it does not run again.
                if is_due and await self.agent.store.write(steps.start_changing_call, turn.id, call.id):
                    await self.run_call(turn, call)

    async def run_call(self, turn: Turn, call: Call) -> None:
        """Run one call, and write its result at once: a crash must not lose it while the slowest call still runs."""
        result, is_error = await self.agent.planner.run_tool(turn, call)
        media = result if isinstance(result, Media) else None
        await self.agent.store.write(steps.write_call_result, call.id, str(result), is_error=is_error, media=media)

    # Waiting

    async def wait_for_others(self, stand: TurnStanding) -> TurnStanding:
        """Wait until the row of a call is done (another turn ended, a person answered, a question's deadline
        passed), until money that other requests reserved is free, or until the model's server can be tried again.
        The turn's clock does not run meanwhile."""
        agent, turn = self.agent, stand.turn
        agent.waiting_turns.add(turn.id)
        agent.bus.wake(TURNS_CHANGED)  # the dispatcher checks again whether all turns only wait
        try:
            async with asyncio.timeout(stand.seconds_left(agent.terms().now)):
                await self.changed.wait()
        except TimeoutError:
            if stand.is_waiting_to_ask:
                return await self.retry_payment(turn)
            await agent.store.write(questions.expire_questions, turn.id, agent.terms().now)
        finally:
            agent.waiting_turns.discard(turn.id)
        return await self.retry_payment(turn) if stand.is_waiting_for_money else await self.read_standing(turn)

    async def retry_payment(self, turn: Turn) -> TurnStanding:
        """Try again to pay for the next request."""
        return await self.write_and_read(turn, lambda db: steps.retry_payment(db, turn.id, self.agent.terms()))


def build_model_request(
    stand: TurnStanding, request: Request, prefix: Prefix, transcript: Sequence[TranscriptEntry], outage: Outage
) -> ModelRequest:
    """Return the request to a model, of where a turn stands and what has been said."""
    return ModelRequest(
        chapter=f"{stand.turn.session}/{stand.chapter}",
        address=stand.turn.address,
        prefix=replace(prefix, model=request.model),
        transcript=transcript,
        may_call=not request.is_last,
        max_tokens=request.max_tokens,
        attempt=request.attempt,
        outage=outage,
        cache_lifetime=stand.turn.cache_lifetime,
        served=stand.turn.tools & server_tool_names(prefix.tools),
        web=CAP_LEVELS[stand.web_level],
        reserved=request.reserved,
        pays_for_substitute=stand.pays_for_substitute,
        form="" if stand.is_closing else stand.turn.form,
        meter=RequestMeter(prompt=prefix.tokens + sum(entry.tokens for entry in transcript)),
    )
