"""The agent loop: read the turn's standing, take the next step, write it down, read again.

Only the rows carry state from step to step. So resuming after a crash is the same as continuing.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace

from bot.core.call_progress import CallProgress, ReportProgress
from bot.core.errors import ModelFailed, ModelRefused, RetryableModelFailure, TurnError
from bot.core.group import GetCurrentGroups
from bot.core.images_and_pdfs import Media
from bot.core.limits import GetCurrentTerms
from bot.core.messages import Draft
from bot.core.model import ModelRequest, Outage, RequestMeter, TranscriptEntry
from bot.core.phrases import describe_activity
from bot.core.prompt_prefix import PromptPrefix
from bot.core.reply_plan import Paused, ReplyPlan
from bot.core.turn import (
    Call,
    CallApproval,
    CallKind,
    CallState,
    NextStep,
    PaidModelRequest,
    Turn,
    TurnId,
    TurnStanding,
    TurnState,
)
from bot.core.web import WEB_USE_LEVELS, server_tool_names
from bot.engine.model_health import ModelHealth
from bot.engine.progress_relay import relay_progress
from bot.engine.progress_watch import ProgressWatch
from bot.engine.reply_planner import ReplyPlanner, text_of_earlier_reply_parts
from bot.engine.slots import DelegationSlots
from bot.engine.transcript_cache import TranscriptCache
from bot.journal import background, cut_offs, questions, steps
from bot.journal.bus import Bus
from bot.journal.endings import CutOffRecordsByTurn, CutOffRequestRecord
from bot.store import Store
from bot.store.connection import TURNS_CHANGED_TOPIC, Connection, turn_wake_up_topic
from bot.store.signals import WakeUpSignal


@dataclass(slots=True, kw_only=True)
class RunningRequest:
    """A request that the model is answering, and the text so far. A retry begins with the text of the failed try."""

    request: PaidModelRequest
    meter: RequestMeter
    text_so_far: str = ""


@dataclass(eq=False)
class Agent:
    """The state that the runs of all turns share."""

    planner: ReplyPlanner
    store: Store
    bus: Bus
    slots: DelegationSlots
    terms: GetCurrentTerms
    groups: GetCurrentGroups
    model_health: ModelHealth
    waiting_turns: set[TurnId] = field(default_factory=set)  # that wait for others, money or the model's server
    running_requests: dict[TurnId, RunningRequest] = field(default_factory=dict)  # by turn: its newest request
    last_shown_activities: dict[TurnId, str] = field(default_factory=dict)  # by root turn

    def __post_init__(self) -> None:
        self.transcripts = TranscriptCache(self.store)
        self.progress = ProgressWatch(self.store, self.terms)

    async def run_turn(self, turn: Turn) -> TurnStanding:
        """Run a turn until it ends or is stopped. Return its standing then; its rows say the same."""
        with self.bus.subscribe(turn_wake_up_topic(turn.id)) as changed:
            run = TurnRun(self, turn.id, changed)
            try:
                stand = await run.read_standing()
                if stand.next_step is NextStep.WAIT_FOR_MONEY:  # the money may have come before we listened
                    stand = await run.retry_paying_for_request()
                while step := stand.next_step:
                    if stand.turn.attempts == 0:
                        self.slots.clear_crash_suspect(turn.id)
                    stand = await run.advance(stand, step)
            finally:
                self.slots.release_slot(turn)
        if stand.turn.state is TurnState.ENDED:
            self.forget_turns([turn.id])
        return stand

    def usage_and_text_of_running_requests(self) -> CutOffRecordsByTurn:
        """Return what each request under way has used and written, for the transaction that ends it."""
        notes, now = {}, asyncio.get_running_loop().time()
        for turn, each in self.running_requests.items():
            usage = each.meter.estimate_usage_so_far(now, each.request.max_tokens)
            notes[turn] = CutOffRequestRecord(request=each.request.id, usage=usage, written_text=each.text_so_far)
        return notes

    def forget_turns(self, ended: Iterable[TurnId]) -> None:
        """Forget turns that have ended: their requests are charged already."""
        for turn in ended:
            self.running_requests.pop(turn, None)
            self.last_shown_activities.pop(turn, None)

    async def ask_model_for_plan(self, stand: TurnStanding, asked: ModelRequest, running: RunningRequest) -> ReplyPlan:
        """Ask the model, show its text while it grows, and note whether it answers. Raise what the planner raises. A
        summary is shown to nobody, a delegation's text in no chat."""
        turn, request, model = stand.turn, running.request, asked.prefix.model
        before = text_of_earlier_reply_parts(asked.transcript)  # the text that this reply continues

        def show_draft(text: str | None, activity: str = "") -> None:
            if stand.is_summary_next:
                return
            running.text_so_far = running.text_so_far if text is None else text
            if turn.is_root and not turn.schedule:  # a run of a schedule may have nothing to tell in the end
                shown = "\n".join(filter(None, [before, text]))
                draft = Draft(turn=turn.id, address=turn.address, text=shown, request=request.id, activity=activity)
                self.bus.hand_draft_to_courier(draft)

        plan = None
        try:
            plan = await self.planner.ask_model_and_plan_reply(stand, request, asked, show_draft)
        except (ModelFailed, RetryableModelFailure) as failed:
            await self.model_health.report_if_lasting_fault(turn, model, failed)
            raise
        finally:
            if plan is None or not isinstance(plan.outcome, Paused):
                self.bus.forget_draft(turn.address.channel, turn.id)
        await self.model_health.clear_fault_after_answer(model)
        return plan

    def show_changed_activity(self, stand: TurnStanding) -> None:
        """Show people what the calls of a root turn do, each time the activity changes."""
        turn, told = stand.turn, self.last_shown_activities.get(stand.turn.id, "")
        is_shown = turn.is_root and not turn.schedule
        activity = describe_activity((call.name, call.arguments) for call in stand.open_calls) if is_shown else ""
        if activity == told:
            return
        self.last_shown_activities[turn.id] = activity
        self.bus.hand_draft_to_courier(Draft(turn=turn.id, address=turn.address, text="", activity=activity))

    @contextmanager
    def show_progress(self, turn: Turn, call: Call) -> Iterator[ReportProgress]:
        """Yield the function by which a call reports what it has come to, and show that until the call is over. A run
        of a schedule may have nothing to tell in the end, so it shows nothing."""

        def show(line: str) -> None:
            self.progress.note_progress(turn.id)
            if not turn.schedule:
                activity = self.last_shown_activities.get(turn.id, "")
                self.bus.report_progress(CallProgress(turn=turn, call=call.id, activity=activity, line=line))

        try:
            with relay_progress(show) as report:
                yield report
        finally:
            self.bus.forget_progress(turn, call.id)


class TurnRun:
    def __init__(self, agent: Agent, turn: TurnId, changed: WakeUpSignal) -> None:
        self.agent = agent
        self.turn = turn
        self.changed = changed
        self.worked_seconds = 0.0  # that are in no row yet; waiting for others is not work
        self.last_words_deadline: float | None = None  # by the loop's clock; set when they are first asked for

    async def read_standing(self) -> TurnStanding:
        self.changed.take_names_and_clear()  # before reading: a change after the read sets the signal again
        return await self.agent.transcripts.read_standing(self.turn)

    async def write_and_read_standing(self, work: Callable[[Connection], object]) -> TurnStanding:
        """Write, then read the standing in the same transaction. That saves one trip to the store."""
        self.changed.take_names_and_clear()
        return await self.agent.transcripts.write_and_read_standing(self.turn, work)

    async def advance(self, stand: TurnStanding, step: NextStep) -> TurnStanding:
        """Take the next step. A turn that only waits releases its slot; every other step needs one."""
        turn, terms, groups = stand.turn, self.agent.terms, self.agent.groups
        self.agent.show_changed_activity(stand)
        if step.is_wait:
            self.agent.slots.release_slot(turn)
        else:
            await self.agent.slots.wait_for_slot(turn)
        match step:
            case NextStep.BEGIN:
                return await self.write_and_read_standing(lambda db: steps.begin_or_resume_turn(db, turn.id, terms()))
            case NextStep.ASK_MODEL:
                return await self.ask_model_and_write_reply(stand)
            case NextStep.RUN_CALLS:
                return await self.run_read_and_change_calls(stand)
            case NextStep.WRITE_RESULTS:
                seconds = self.pop_worked_seconds()
                return await self.write_and_read_standing(
                    lambda db: steps.write_step_results(db, turn.id, seconds, terms(), groups())
                )
            case NextStep.WAIT_FOR_CALLS if stand.may_message_interrupt:
                stand = await self.write_and_read_standing(
                    lambda db: background.detach_roles_if_message_waits(db, turn.id, terms(), groups())
                )
                return stand if stand.next_step is not step else await self.wait_for_change_or_deadline(stand, step)
            case NextStep.WAIT_FOR_CALLS | NextStep.WAIT_FOR_MONEY | NextStep.WAIT_FOR_SERVER:
                return await self.wait_for_change_or_deadline(stand, step)

    # Asking the model

    async def ask_model_and_write_reply(self, stand: TurnStanding) -> TurnStanding:
        """Ask the model. Write the plan of its reply, or the cut-off if the request failed."""
        turn, request, agent = stand.turn, stand.open_request, self.agent
        assert request, f"{turn.id} asks, and nothing is reserved"
        prefix, transcript = await agent.transcripts.load_prefix_and_entries(stand)
        transcript = await agent.transcripts.load_media_into_entries(transcript)
        if not agent.terms().settings.approvals.enabled:
            stand = replace(stand, withheld_tools=frozenset(), has_withheld_tools=False)
        asked = build_model_request(stand, request, prefix, transcript, agent.model_health.turn_outage(turn, request))
        failed_attempt = agent.running_requests.get(turn.id) if request.attempt > 1 else None
        shown = failed_attempt.text_so_far if failed_attempt else ""  # people still see it
        under_way = RunningRequest(request=request, meter=asked.meter, text_so_far=shown)
        agent.running_requests[turn.id] = under_way
        health, length = agent.model_health, asked.meter.estimated_prompt_tokens
        if health.has_failed_recently(request.model) and health.may_switch_to_fallback_model(turn, length):
            return await self.write_cut_off_and_read_standing(request, cut_offs.switch_to_fallback_model)
        try:
            async with self.limit_and_count_work_time(stand) as limit:
                with agent.progress.watch(turn.id, meter=asked.meter):
                    plan = await agent.ask_model_for_plan(stand, asked, under_way)
        except TimeoutError:
            if not limit.expired():
                raise
            if stand.is_summary_next:
                without_summary = cut_offs.make_failed_summary_handler(is_late=True)
                return await self.write_cut_off_and_read_standing(request, without_summary)
            end = cut_offs.end_turn_without_final_reply if request.is_last else cut_offs.open_final_request_at_timeout
            return await self.write_cut_off_and_read_standing(request, end)
        except RetryableModelFailure as failed:
            self.worked_seconds = 0.0  # the server was absent or too busy: that was not the turn's work
            if failed.fault:
                until_fallback = health.seconds_until_fallback(turn, length)
                if until_fallback <= 0:
                    await health.report_if_fault(request.model, turn.address.channel, failed)
                    return await self.write_cut_off_and_read_standing(request, cut_offs.switch_to_fallback_model)
                failed.seconds = min(failed.seconds, until_fallback)
            return await self.write_cut_off_and_read_standing(request, cut_offs.make_retry_handler(failed))
        except TurnError as error:
            if isinstance(error, ModelFailed) and error.fault and health.may_switch_to_fallback_model(turn, length):
                return await self.write_cut_off_and_read_standing(request, cut_offs.switch_to_fallback_model)
            if isinstance(error, ModelRefused):
                under_way.text_so_far = ""  # a refused reply is neither shown nor continued
            if stand.is_summary_next:
                without_summary = cut_offs.make_failed_summary_handler(is_late=False)
                return await self.write_cut_off_and_read_standing(request, without_summary)
            if request.is_last:
                return await self.write_cut_off_and_read_standing(request, cut_offs.end_turn_without_final_reply)
            raise
        worked = self.pop_worked_seconds()
        return await self.write_and_read_standing(lambda db: steps.write_model_reply(db, plan, worked, agent.terms()))

    async def write_cut_off_and_read_standing(
        self, request: PaidModelRequest, write: cut_offs.CutOffHandler
    ) -> TurnStanding:
        note, worked = self.agent.usage_and_text_of_running_requests()[self.turn], self.pop_worked_seconds()
        cut = cut_offs.CutOffRequest(
            turn=self.turn, request=request, usage=note.usage, written_text=note.written_text, worked_seconds=worked
        )
        return await self.write_and_read_standing(lambda db: write(db, cut, self.agent.terms()))

    @asynccontextmanager
    async def limit_and_count_work_time(self, stand: TurnStanding) -> AsyncIterator[asyncio.Timeout]:
        """Count what runs inside as work, and time out when the turn's seconds are used up. The last request has its
        own time limit."""
        now = asyncio.get_running_loop().time()
        if stand.open_request and stand.open_request.is_last:
            if self.last_words_deadline is None:
                self.last_words_deadline = now + self.agent.terms().timings.last_words_timeout_seconds
            until = self.last_words_deadline
        else:
            until = now + stand.turn.limits.seconds - stand.turn.spent.seconds - self.worked_seconds
        try:
            async with asyncio.timeout_at(until) as limit:
                yield limit
        finally:
            self.worked_seconds += asyncio.get_running_loop().time() - now

    def pop_worked_seconds(self) -> float:
        """Return the seconds worked since the last call. The caller writes them down."""
        seconds, self.worked_seconds = self.worked_seconds, 0.0
        return seconds

    # Running calls

    async def run_read_and_change_calls(self, stand: TurnStanding) -> TurnStanding:
        """Run a step's own calls: reading calls side by side, changing calls in the order of the calls."""
        reading = [call for call in stand.calls_without_waits if call.kind is CallKind.READ]
        changing = [call for call in stand.calls_without_waits if call.kind is CallKind.CHANGE]
        own_limit = max(map(self.agent.planner.own_time_limit, [*reading, *changing]), default=0.0)
        try:
            with self.agent.progress.watch(self.turn, own_limit_seconds=own_limit):
                async with self.limit_and_count_work_time(stand) as limit, asyncio.TaskGroup() as at_work:
                    for call in reading:
                        at_work.create_task(self.run_call_and_write_result(stand.turn, call), name=call.id)
                    await self.run_changing_calls(stand.turn, changing)
        except TimeoutError:
            if not limit.expired():
                raise
            seconds = self.pop_worked_seconds()
            return await self.write_and_read_standing(
                lambda db: cut_offs.fail_open_calls_at_turn_timeout(db, self.turn, seconds, self.agent.terms())
            )
        return await self.read_standing()

    async def run_changing_calls(self, turn: Turn, calls: Sequence[Call]) -> None:
        """Run calls one after the other. The start of each is written first: if the process dies in between, the call
        may have run, so it does not run again."""
        for call in calls:
            if call.state is CallState.PLANNED:
                await self.run_call_and_write_result(turn, call)

    async def run_call_and_write_result(self, turn: Turn, call: Call) -> None:
        """Run one call, and write its result at once: a crash must not lose it while the slowest call still runs. A
        call that changes something, or that a person has agreed to, is planned again, with what is valid now."""
        is_held = call.approval is not CallApproval.NONE
        if self.agent.planner.is_only_rows(call):
            planned = await self.agent.planner.plan_call_again(turn, call)
            await self.agent.store.write(steps.write_released_call, turn, planned, self.agent.terms())
            return
        if call.kind is CallKind.CHANGE or is_held:
            planned = await self.agent.planner.plan_call_again(turn, call)
            if not await self.agent.store.write(steps.begin_call, turn, planned, self.agent.terms(), is_held=is_held):
                return
        with self.agent.show_progress(turn, call) as report:
            result, is_error = await self.agent.planner.run_tool_and_catch_errors(turn, call, report)
        await self.agent.store.write(
            steps.write_call_result,
            call.id,
            str(result.content),
            self.agent.terms(),
            is_error=is_error,
            media=result.content if isinstance(result.content, Media) else None,
            sources=self.agent.planner.result_sources(call),
            trusted_values=result.trusted_values,
        )
        self.agent.progress.note_progress(turn.id)

    # Waiting

    async def wait_for_change_or_deadline(self, stand: TurnStanding, step: NextStep) -> TurnStanding:
        """Wait until the row of a call is done (another turn ended, a person answered, a question's deadline passed),
        until money that other requests reserved is free, or until the model's server can be tried again."""
        agent, turn = self.agent, stand.turn
        agent.waiting_turns.add(turn.id)
        agent.bus.wake_subscriber(TURNS_CHANGED_TOPIC)  # the dispatcher checks again whether all turns only wait
        try:
            async with asyncio.timeout(stand.seconds_until_wake(agent.terms().now)):
                await self.changed.wait()
        except TimeoutError:
            if step is NextStep.WAIT_FOR_SERVER:
                return await self.retry_paying_for_request()
            await agent.store.write(questions.expire_questions, turn.id, agent.terms().now)
        finally:
            agent.waiting_turns.discard(turn.id)
        return await (self.retry_paying_for_request() if step is NextStep.WAIT_FOR_MONEY else self.read_standing())

    async def retry_paying_for_request(self) -> TurnStanding:
        turn, terms = self.turn, self.agent.terms
        return await self.write_and_read_standing(lambda db: steps.retry_to_open_paid_request(db, turn, terms()))


def build_model_request(
    stand: TurnStanding,
    request: PaidModelRequest,
    prefix: PromptPrefix,
    transcript: Sequence[TranscriptEntry],
    outage: Outage,
) -> ModelRequest:
    cached = max(0, stand.prompt_tokens - request.uncached_tokens)
    return ModelRequest(
        chapter_name=f"{stand.turn.session}/{stand.chapter}",
        address=stand.turn.address,
        prefix=replace(prefix, model=request.model),
        transcript=transcript,
        may_call_tools=not request.is_last,
        max_tokens=request.max_tokens,
        attempt=request.attempt,
        outage=outage,
        cache_lifetime=stand.turn.cache_lifetime,
        server_tools=stand.turn.tools & server_tool_names(prefix.tools) - stand.withheld_tools,
        withheld_tools=stand.turn.tools & stand.withheld_tools,
        may_lose_thinking=stand.has_withheld_tools,
        web_use_limits=WEB_USE_LEVELS[stand.web_level],
        reserved=request.reserved,
        pays_for_substitute=stand.pays_for_substitute,
        form="" if stand.is_summary_next else stand.turn.form,
        meter=RequestMeter(estimated_prompt_tokens=stand.prompt_tokens, cached_prompt_tokens=cached),
    )
