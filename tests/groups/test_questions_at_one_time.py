"""So many groups are asked at one time: who comes later hears at once that all are busy; every end frees a place."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from bot.core.messages import OutboundKind
from bot.core.model import StopReason
from bot.core.phrases import refusal_text_for_parent_turn
from bot.core.prices import Usage
from bot.core.texts import model, reasons
from tests.support.bench import Bench
from tests.support.delegation_calls import heard, says
from tests.support.engine_options import engine_options
from tests.support.fakes import Pause, delegates, failing, reply, uses
from tests.support.group_bots import Registry, asks, group

REPLY, QUESTION = OutboundKind.REPLY, OutboundKind.QUESTION
HOME, MAIL, NOTES = group("home", is_main=True), group("mail", "notes"), group("notes")
TOOLS = ("delegate", "message", "ask_person", "cancel_delegation", "get_delegation")
ONE = engine_options(swarm__max_group_delegations=1)
ASKED = "SELECT id FROM turns WHERE agent_depth > 0"
SET_ASIDE = "SELECT group_name, status, attempts FROM turns WHERE is_set_aside"


def registry(*groups: Any) -> Registry:
    return Registry(*(groups or (HOME, MAIL, NOTES)))


def at_work(bench: Bench) -> int:
    """Questions to groups that have not ended, as another process sees them."""
    return int(bench.rows("SELECT count(*) FROM turns WHERE state != 'ended' AND depth AND agent_depth = depth")[0][0])


async def test_ten_at_once_each_end_in_an_answer_or_in_busy(bench: Bench) -> None:
    pauses = [Pause("answered") for _ in range(3)]
    bench.model.says("home", asks(*["mail", "notes"] * 5), "done")
    bench.model.says("mail", pauses[0], pauses[2])
    bench.model.says("notes", pauses[1])
    async with bench.run(groups=registry()):
        bench.chat.hears("go", chat="home")
        for pause in pauses:
            await pause.reached.wait()
        assert at_work(bench) == 3
        for pause in pauses:
            pause.go_on.set()
        assert await bench.chat.said(REPLY) == "done"
    results = heard(bench, "home")
    assert [is_error for _, is_error in results] == [False] * 3 + [True] * 7
    assert [text for text, is_error in results if is_error] == [model.GROUPS_BUSY(3)] * 7
    assert at_work(bench) == 0


async def test_three_chats_share_one_pool(bench: Bench) -> None:
    asking = [group(f"asking{number}", "mail") for number in range(3)]
    pauses = [Pause("answered") for _ in range(3)]
    for each in asking:
        bench.model.says(each.name, asks("mail", "mail"), f"{each.name} is done")
    bench.model.says("mail", *pauses)
    async with bench.run(groups=registry(*asking, MAIL)):
        for each in asking:
            bench.chat.hears("go", chat=each.name)
        for pause in pauses:
            await pause.reached.wait()
        assert at_work(bench) == 3
        for pause in pauses:
            pause.go_on.set()
        assert {await bench.chat.said(REPLY) for _ in asking} == {f"{each.name} is done" for each in asking}
    results = [result for each in asking for result in heard(bench, each.name)]
    assert sorted(text == model.GROUPS_BUSY(3) for text, _ in results) == [False] * 3 + [True] * 3
    assert at_work(bench) == 0


@pytest.mark.parametrize("most", [1, 3, 5])
async def test_two_that_ask_each_other_go_on_until_all_are_busy_and_then_all_end(bench: Bench, most: int) -> None:
    asking = (["ping", "pong"] * most)[: most + 1]  # the last of them hears that all are busy, and each then answers
    for name in asking:
        bench.model.says(name, asks("pong" if name == "ping" else "ping"))
    for name in reversed(asking):
        bench.model.says(name, f"{name} answers")
    async with bench.run(
        groups=registry(group("ping", "pong"), group("pong", "ping")),
        **engine_options(swarm__max_group_delegations=most),
    ):
        assert await says(bench, "go", "ping") == "ping answers"
    assert at_work(bench) == 0
    assert len(bench.rows(ASKED)) == most
    refused = bench.rows("SELECT result FROM calls WHERE is_error")
    assert refused == [(model.GROUPS_BUSY(most),)]


async def test_a_chain_of_waiting_groups_goes_on_with_one_slot_for_delegations(bench: Bench) -> None:
    chain = engine_options(swarm__max_concurrent=1, swarm__max_running=1)
    bench.model.says("home", asks("mail"), "all of it")
    bench.model.says("mail", asks("notes", "notes"), "from both")
    bench.model.says("notes", delegates("researcher"), delegates("researcher"), "found", "found")
    bench.model.says("researcher", "found", "found")
    async with bench.run(groups=registry(), **chain):
        assert await says(bench, "go", "home") == "all of it"


@dataclass
class Ending:
    """How a question comes to its end, and what who asked hears then."""

    steps: list[Any]
    told: str
    arguments: dict[str, Any] = field(default_factory=dict)
    do: Callable[[Bench, Pause], Awaitable[None]] | None = None


async def stop_it(bench: Bench, pause: Pause) -> None:
    await pause.reached.wait()
    bench.chat.hears("/stop mail", chat="home")


async def never_answers(bench: Bench, pause: Pause) -> None:
    """A question to the person is over without an answer."""
    await bench.chat.part(QUESTION)


WORKED = Usage(input=30_000, output=100)
ENDS = {
    "completed": Ending(["answered"], "[Mail]: answered"),
    "failed": Ending([failing], "The group 'Mail' failed: the model is not there"),
    "refused": Ending([reply(stop=StopReason.REFUSAL)], f"The group 'Mail' failed: {refusal_text_for_parent_turn('')}"),
    "time-out": Ending(
        [Pause(), "as far as I came"], f"· timeout ({reasons.SECONDS_USED(seconds=1)}) ·", {"timeout_seconds": 1}
    ),
    "budget": Ending([reply(uses("read"), usage=WORKED), "so far"], "· budget (", {"max_tokens": 20_000}),
    "steps": Ending(
        [reply(uses("read")), "so far"], "· budget (the limit of 1 step is reached) ·", {"max_iterations": 1}
    ),
    "stopped": Ending([Pause()], "· cancelled (stopped by Ann) ·", do=stop_it),
    "unanswered": Ending(
        [reply(uses("ask_person", question="which?", minutes=0.001)), "as I like"],
        "[Mail]: as I like",
        do=never_answers,
    ),
    "no form": Ending(
        ["no JSON", "none either"], "(the report does not fit output_format)", {"output_format": {"type": "object"}}
    ),
}


@pytest.mark.parametrize("name", ENDS)
async def test_however_a_question_ends_its_place_is_free(bench: Bench, name: str) -> None:
    ending = ENDS[name]
    pause = next((step for step in ending.steps if isinstance(step, Pause)), Pause())
    bench.model.says("home", asks("mail", **ending.arguments), asks("notes"), "done")
    bench.model.says("mail", *ending.steps)
    bench.model.says("notes", "notes's answer")
    async with bench.run(groups=registry(), **ONE):
        bench.chat.hears("go", chat="home")
        if ending.do:
            await ending.do(bench, pause)
        assert await bench.chat.said(REPLY) == "done"
    (first,) = bench.model.asked("home")[1].transcript[-1].content
    assert ending.told in first["content"]
    assert first.get("is_error", False) is (name in ("failed", "refused", "time-out"))
    assert "[Notes]: notes's answer" in heard(bench, "home")[0][0]
    assert at_work(bench) == 0


async def test_a_question_in_the_background_that_is_cancelled_frees_its_place(bench: Bench) -> None:
    home, pause = group("home", is_main=True, tools=TOOLS), Pause()
    bench.model.says("home", asks("mail", background=True), "begun")
    bench.model.says("mail", pause)
    async with bench.run(groups=registry(home, MAIL, NOTES), **ONE):
        assert await says(bench, "go", "home") == "begun"
        await pause.reached.wait()
        bench.model.says("home", asks("notes"), reply(uses("cancel_delegation", id="t1/2/0")), asks("notes"), "done")
        bench.model.says("notes", "notes's answer")
        assert await says(bench, "and?", "home") == "done"
    refused, ended, answered = [
        request.transcript[-1].content[0]["content"] for request in bench.model.asked("home")[-3:]
    ]
    assert refused == model.GROUPS_BUSY(1)
    assert "· cancelled (cancelled by home) ·" in ended
    assert "[Notes]: notes's answer" in answered
    assert at_work(bench) == 0


@pytest.mark.parametrize("which", ["/stop", "/stop all"])
async def test_a_stop_of_the_asker_ends_all_groups_that_it_asked(bench: Bench, which: str) -> None:
    pauses = [Pause(), Pause()]
    bench.model.says("home", asks("mail"))
    bench.model.says("mail", asks("notes", "notes"))
    bench.model.says("notes", *pauses)
    async with bench.run(groups=registry()):
        bench.chat.hears("go", chat="home")
        for pause in pauses:
            await pause.reached.wait()
        assert at_work(bench) == 3
        bench.chat.hears(which, chat="home")
        assert "Stopped: “go”." in await bench.chat.said(REPLY)
        assert at_work(bench) == 0
        bench.model.says("home", asks("mail"), "done")
        bench.model.says("mail", "answered")
        assert await says(bench, "again", "home") == "done"


async def crash_at(bench: Bench, pause: Pause) -> None:
    async with bench.run(groups=registry(), **ONE):
        await pause.reached.wait()
        bench.crashes()


async def test_a_question_goes_on_after_a_crash_and_holds_its_place_meanwhile(bench: Bench) -> None:
    pause, again = Pause(), Pause("answered")
    bench.model.says("home", asks("mail"), "done")
    bench.model.says("mail", pause, again)
    bench.chat.hears("go", chat="home")
    await crash_at(bench, pause)
    assert at_work(bench) == 1
    async with bench.run(groups=registry(), **ONE):
        await again.reached.wait()
        bench.model.says("mail", asks("notes"), "they are busy")
        assert await says(bench, "and you?", "mail") == "they are busy"
        assert heard(bench, "mail") == [(model.GROUPS_BUSY(1), True)]
        again.go_on.set()
        assert await bench.chat.said(REPLY) == "done"
    assert at_work(bench) == 0


async def test_a_question_that_ends_the_process_is_set_aside_and_frees_its_place(bench: Bench) -> None:
    pauses = [Pause(), Pause(), Pause()]
    bench.model.says("home", asks("mail"), asks("notes"), "done")
    bench.model.says("mail", *pauses)
    bench.model.says("notes", "notes's answer")
    bench.chat.hears("go", chat="home")
    for pause in pauses:
        await crash_at(bench, pause)
    async with bench.run(groups=registry(), **ONE):
        assert await bench.chat.said(REPLY) == "done"
    (first,) = bench.model.asked("home")[1].transcript[-1].content
    assert ("'Mail'" in first["content"], first["is_error"]) == (True, True)
    assert bench.rows(SET_ASIDE) == [("mail", "failed", 3)]
    assert at_work(bench) == 0
