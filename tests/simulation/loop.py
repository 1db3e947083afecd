"""An event loop on virtual time. It knows which process a step belongs to, and a process may die between two steps.

Nothing here waits: when no step is ready, time jumps to the next timer. The order of what is ready is a choice.
All that the bot needs of asyncio is here. What it does not need in a simulation (sockets, signals) is not.
"""

from __future__ import annotations

import asyncio
import contextvars
import heapq
import itertools
from asyncio import events
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from bot.core.bounded_process import SINGLE_SCRIPT_EXECUTOR
from bot.documents.inspection import EXAMINER_EXECUTOR
from tests.simulation.choices import Choices

R = TypeVar("R")
OF_WORLD = 0  # the process of everything that is not a bot
SECONDS_A_STEP = 2e-6
MAX_STEPS_WITHOUT_TIME = 20_000  # then something goes round and round
MAX_STEPS = 60_000  # of a run: one that waits for the deadline of a question needs half of it
REORDER_CHANCE = 0.3
SCRIPT_EXECUTORS = (SINGLE_SCRIPT_EXECUTOR, EXAMINER_EXECUTOR)
SCRIPT_ANSWERS: dict[tuple[Callable[..., Any], str], Any] = {}  # by function and arguments
process: contextvars.ContextVar[int] = contextvars.ContextVar("process", default=OF_WORLD)


class Killed(BaseException):
    """The process died in the middle of a step. What runs while this passes changes nothing that the next one sees."""


class Stuck(Exception):
    """Nothing is ready and no timer runs, or steps follow each other for ever."""


class Step:
    """One call that the loop will make: what asyncio calls a handle."""

    __slots__ = ("args", "at", "callback", "context", "is_cancelled", "number")

    def __init__(
        self, number: int, at: float, callback: Callable[..., object], args: Any, context: contextvars.Context
    ) -> None:
        self.number, self.at, self.callback, self.args, self.context = number, at, callback, args, context
        self.is_cancelled = False

    def cancel(self) -> None:
        self.is_cancelled = True

    def cancelled(self) -> bool:
        return self.is_cancelled

    def when(self) -> float:
        return self.at

    def __lt__(self, other: Step) -> bool:
        return (self.at, self.number) < (other.at, other.number)


class NumberedTask(asyncio.Task[Any]):
    """A task whose place in a set does not depend on its address in memory, so that runs can be repeated."""

    def __init__(self, number: int, of_process: int, *args: Any, **options: Any) -> None:
        self.number, self.of_process = number, of_process
        super().__init__(*args, **options)

    def __hash__(self) -> int:
        return self.number


class NumberedFuture(asyncio.Future[Any]):
    def __init__(self, number: int, loop: asyncio.AbstractEventLoop) -> None:
        self.number = number
        super().__init__(loop=loop)

    def __hash__(self) -> int:
        return self.number


class SimulatedLoop(asyncio.BaseEventLoop):
    # The types of what is overridden name asyncio's own handles.

    _is_closed = _is_running = False

    def __init__(self, choices: Choices) -> None:
        super().__init__()
        self.choices = choices
        self.steps, self.most_steps = 0, MAX_STEPS
        self.dead: set[int] = set()  # processes
        self.tasks: list[NumberedTask] = []  # all of them: if one were forgotten, its `finally` would run
        self.on_error: Callable[[dict[str, Any]], None] = lambda context: None
        self._now = 0.0
        self._last_at = 0  # the step at which a timer last ran out
        self._waiting: list[Step] = []
        self._alarms: list[Step] = []
        self._numbers = itertools.count(1)

    # What asyncio asks of a loop

    def time(self) -> float:
        return self._now

    def call_soon(  # type: ignore[override]
        self, callback: Callable[..., object], *args: Any, context: contextvars.Context | None = None
    ) -> Step:
        step = Step(next(self._numbers), self._now, callback, args, given_or_current(context))
        if not self._is_closed:
            self._waiting.append(step)
        return step

    call_soon_threadsafe = call_soon  # type: ignore[assignment]

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Callable[..., object], *args: Any, context: contextvars.Context | None = None
    ) -> Step:
        return self.call_at(self._now + delay, callback, *args, context=context)

    def call_at(  # type: ignore[override]
        self, when: float, callback: Callable[..., object], *args: Any, context: contextvars.Context | None = None
    ) -> Step:
        step = Step(next(self._numbers), when, callback, args, given_or_current(context))
        if not self._is_closed:
            heapq.heappush(self._alarms, step)
        return step

    def create_future(self) -> asyncio.Future[Any]:
        return NumberedFuture(next(self._numbers), self)

    def create_task(
        self, coro: Coroutine[Any, Any, R] | Generator[Any, None, R], *, name: Any = None, context: Any = None
    ) -> Any:
        owner = given_or_current(context).get(process, OF_WORLD)
        task = NumberedTask(next(self._numbers), owner, coro, loop=self, name=name, context=context)
        self.tasks.append(task)
        return task

    def run_in_executor(  # type: ignore[override]
        self, executor: object, func: Callable[..., R], *args: Any
    ) -> asyncio.Future[R]:
        """Do the work a little later, in a step of its own."""
        future = self.create_future()

        def work() -> None:
            try:
                result = answer_of_script(func, *args) if executor in SCRIPT_EXECUTORS else func(*args)
            except Exception as error:  # noqa: BLE001 -- whatever it is, it goes to the caller
                settle(future, error=error)
            else:
                settle(future, result)

        self.call_later(self.choices.seconds("thread", 0.0001, 0.002), work)
        return future

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        if not self._is_closed and process.get() not in self.dead:
            self.on_error(context)

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return self._is_running

    def is_closed(self) -> bool:
        return self._is_closed

    def unretrieved_errors(self) -> list[BaseException]:
        """Return the errors of tasks that have failed, and that nobody has asked for."""
        return [
            error
            for task in self.tasks
            if task.of_process not in self.dead and task.done() and not task.cancelled() and task._log_traceback
            if (error := task.exception())
        ]

    def close(self) -> None:
        """Forget everything that has not run. Nothing can be called any more."""
        self._is_closed = True
        self._waiting.clear()
        self._alarms.clear()

    # Running

    def run(self, main: Coroutine[Any, Any, R]) -> R:
        """Run until `main` ends. Raise Stuck if it never will."""
        with self._current():
            task = self.create_task(main, name="main")
            while not task.done():
                self._run_next_step()
        result: R = task.result()
        return result

    @contextmanager
    def _current(self) -> Generator[None, None, None]:
        events._set_running_loop(self)
        self._is_running = True
        try:
            yield
        finally:
            self._is_running = False
            events._set_running_loop(None)

    def _run_next_step(self) -> None:
        while self._alarms and self._alarms[0].at <= self._now:
            self._waiting.append(heapq.heappop(self._alarms))
            self._last_at = self.steps
        if not self._waiting:
            if not self._alarms:
                raise Stuck("everybody waits for something that nobody will do")
            self._now = self._alarms[0].at
            return
        if self.steps > self.most_steps:
            raise Stuck(f"{self.most_steps} steps, and no end")
        if self.steps - self._last_at > MAX_STEPS_WITHOUT_TIME:
            raise Stuck(f"{MAX_STEPS_WITHOUT_TIME} steps without a wait")
        ready = self._waiting
        step = ready.pop(self.choices.pick("order", len(ready), REORDER_CHANCE) if len(ready) > 1 else 0)
        if step.is_cancelled or step.context.get(process, OF_WORLD) in self.dead:
            return
        self.steps += 1
        self._now += SECONDS_A_STEP
        try:
            step.context.run(step.callback, *step.args)
        except Killed:
            pass
        except Exception as error:  # noqa: BLE001 -- whatever it is, it goes to the caller
            step.context.run(self.call_exception_handler, {"message": "a callback failed", "exception": error})


def answer_of_script(func: Callable[..., R], *args: Any) -> R:
    """Return what a script in a process of its own answers. It answers the same each time, and is slow to start."""
    asked = (func, repr([each.read_bytes() if isinstance(each, Path) else each for each in args]))
    if asked not in SCRIPT_ANSWERS:
        SCRIPT_ANSWERS[asked] = func(*args)
    answer: R = SCRIPT_ANSWERS[asked]
    return answer


def given_or_current(context: contextvars.Context | None) -> contextvars.Context:
    return contextvars.copy_context() if context is None else context  # an empty one is false


def settle(future: asyncio.Future[Any], result: object = None, error: Exception | None = None) -> None:
    """Give a future its result or its error, unless whoever waited for it has left."""
    if future.done():
        return
    if error:
        future.set_exception(error)
    else:
        future.set_result(result)
