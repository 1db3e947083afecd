"""The tools that look after delegations: which there are, what became of one, its history, and its end on request."""

import pytest

from bot.core.content_blocks import text_block
from bot.core.errors import ModelFailed
from bot.core.messages import RoleName
from bot.core.model import ModelReply
from bot.core.prices import Usage
from bot.core.role import LEAD_ROLE_NAME, Role
from bot.core.texts import model, reasons
from bot.delegation import texts
from tests.support.bench import WORKERS, Bench
from tests.support.delegation_calls import CANCEL, GET, LIST, asked, delegations, heard, look, says, still
from tests.support.engine_options import DELEGATION_LIMITS, engine_options
from tests.support.fakes import Pause, delegates, failing, reply, uses
from tests.support.stores import NeverCloses
from tests.support.troubles import has_row

RESEARCHER = WORKERS[0]
USED = "0 s · 1,100 tokens · $0.00"
TAKEN_IN = texts.TOKENS_USED(input=1_000, cached=0, output=100)


@pytest.fixture(autouse=True)
def everything_is_the_leads(bench: Bench) -> None:
    bench.roles[LEAD_ROLE_NAME] = Role(name=LEAD_ROLE_NAME, prompt="lead", limits=DELEGATION_LIMITS)


# The list


async def test_the_list_has_all_of_this_conversation_newest_first(bench: Bench) -> None:
    pause = Pause("found")
    bench.model.says("lead", delegates("researcher", "analyst"), "one failed")
    bench.model.says("researcher", "found", pause)
    bench.model.says("analyst", failing)
    bench.model.says("lead", delegates("researcher", background=True), "begun")
    async with bench.run(now=still):
        await says(bench, "go")
        await says(bench, "and slowly")
        await pause.reached.wait()
        listed, is_error = await asked(bench, LIST)
        bench.model.says("lead", "it is here")
        pause.go_on.set()
        assert await bench.chat.said() == "it is here"
    assert not is_error
    newest, failed, oldest = listed.split("\n")
    assert newest == "Researcher: delegation t2/6/0 · working · 0 s · 0 tokens · $0.00 · researcher's part"
    assert failed.startswith("Analyst: delegation t1/2/1 · failed (the model is not there) · 0 s · ")
    assert oldest == f"Researcher: delegation t1/2/0 · completed · {USED} · researcher's part"


async def test_an_empty_list_of_delegations_says_so(bench: Bench) -> None:
    async with bench.run(now=still):
        assert await asked(bench, LIST) == (texts.NO_DELEGATIONS, False)


async def test_the_newest_of_very_many_are_listed_and_the_rest_is_mentioned(bench: Bench) -> None:
    ten = reply(uses("delegate", tasks=[{"role": "writer", "task": "x"}] * 10))
    bench.model.says("lead", *[ten] * 3, "done", *[ten] * 3, "done")
    bench.model.says("writer", *["written"] * 60)
    async with bench.run(now=still):
        await says(bench, "go")
        await says(bench, "go on")
        listed, _ = await asked(bench, LIST)
    *lines, last = listed.split("\n")
    assert len(lines) == 50
    assert lines[0].startswith("Writer: delegation t2/15/0.9 · ")
    assert last == texts.ONLY_THE_NEWEST(most=50)


# One of them


async def test_one_that_has_ended_is_its_figures_those_below_it_and_its_report(bench: Bench) -> None:
    bench.roles[RESEARCHER] = Role(name=RoleName("researcher"), prompt="researcher", limits=DELEGATION_LIMITS)
    bench.model.says("lead", delegates("researcher"), "done")
    bench.model.says("researcher", delegates("writer"), "found")
    bench.model.says("writer", reply(text_block("written"), usage=Usage(input=10, cache_read=90, output=5)))
    async with bench.run(**engine_options(swarm__max_depth=2), now=still):
        await says(bench, "go")
        found, is_error = await asked(bench, GET, id=" t1/2/0 ")
        below, _ = await asked(bench, GET, id="t1/2/0/2/0")
    assert not is_error
    assert found.split("\n") == [
        "Researcher: delegation t1/2/0 · completed · 0 s · 2,215 tokens · $0.00",
        texts.TOKENS_USED(input=2_100, cached=90, output=205),
        texts.TASK(task="researcher's part"),
        texts.BELOW(delegation="Writer: delegation t1/2/0/2/0 · completed · 0 s · 15 tokens · $0.00"),
        "[Researcher]: found",
    ]
    assert below.split("\n")[-1] == "[Writer]: written"


async def test_one_that_is_at_work_is_said_to_be(bench: Bench) -> None:
    pause = Pause("found")
    bench.model.says("lead", delegates("researcher", background=True), "begun")
    bench.model.says("researcher", pause)
    async with bench.run(now=still):
        await says(bench, "go")
        await pause.reached.wait()
        found, is_error = await asked(bench, GET, id="t1/2/0")
        assert not is_error
        assert found.split("\n") == [
            "Researcher: delegation t1/2/0 · working · 0 s · 0 tokens · $0.00",
            texts.TOKENS_USED(input=0, cached=0, output=0),
            texts.TASK(task="researcher's part"),
            texts.STILL_RUNNING,
        ]
        bench.model.says("lead", "it is here")
        pause.go_on.set()
        await bench.chat.said()


async def test_one_of_before_a_restart_is_still_there(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher"), "done")
    bench.model.says("researcher", "found")
    async with bench.run(now=still):
        await says(bench, "go")
    async with bench.run(now=still):
        found, _ = await asked(bench, GET, id="t1/2/0")
    facts, task = f"Researcher: delegation t1/2/0 · completed · {USED}", texts.TASK(task="researcher's part")
    assert found == f"{facts}\n{TAKEN_IN}\n{task}\n[Researcher]: found"


# Its history


async def test_its_history_is_its_whole_transcript(bench: Bench) -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    bench.model.says("lead", delegates("researcher"), "done")
    bench.model.says("researcher", reply(thought, text_block("I look"), uses("read"), uses("nothing", a="ä")), "found")
    async with bench.run(now=still):
        await says(bench, "go")
        found, is_error = await asked(bench, GET, id="t1/2/0", transcript=True)
    assert not is_error
    first, _, *lines = found.split("\n")
    no_tool = model.NO_SUCH_TOOL(role="researcher", tool="nothing", tools="ask_person, change, message, read")
    assert first == texts.TRANSCRIPT_PAGE(delegation="t1/2/0", page=1, pages=1)
    assert lines[0] == "user: <surroundings>"
    assert lines[4:] == [
        "user: researcher's part",
        "assistant: I look",
        "assistant: calls read {}",
        'assistant: calls nothing {"a": "ä"}',
        "user: result: read",
        f"user: error: {no_tool}",
        "assistant: found",
        "",
    ]


async def test_a_long_history_comes_in_pages_that_add_up_to_it(bench: Bench) -> None:
    parts = [f"{number}: " + "word " * 4_000 for number in range(3)]
    bench.model.says("lead", delegates("researcher"), "done")
    bench.model.says("researcher", *(reply(text_block(part), uses("read")) for part in parts), "x" * 30_000)
    async with bench.run(now=still):
        await says(bench, "go")
        pages = [await asked(bench, GET, id="t1/2/0", transcript=True, page=page) for page in range(1, 6)]
        beyond = await asked(bench, GET, id="t1/2/0", transcript=True, page=6)
    headings = [texts.TRANSCRIPT_PAGE(delegation="t1/2/0", page=page, pages=5) for page in range(1, 6)]
    assert [page.split("\n")[0] for page, _ in pages] == headings
    assert all(len(page) < 24_000 for page, _ in pages)
    whole = "".join(page.partition("\n\n")[2] for page, _ in pages)
    assert all(part in whole for part in (*parts, "x" * 30_000))
    assert beyond == (texts.NO_SUCH_PAGE(page=6, last=5), True)


async def test_the_history_of_one_that_was_gone_on_with_is_all_up_to_its_own_end(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher"), "done")
    bench.model.says("researcher", "found", "found more")
    async with bench.run(now=still):
        await says(bench, "go")
        await asked(bench, "delegate", task="again", continue_from="t1/2/0")
        first, _ = await asked(bench, GET, id="t1/2/0", transcript=True)
        second, _ = await asked(bench, GET, id="t2/6/0", transcript=True)
    assert first.endswith("assistant: found\n")
    assert second.startswith(first.replace("t1/2/0", "t2/6/0"))
    assert second.endswith(f"user: {model.NEXT_TASK(person='Ann', brief='again')}\nassistant: found more\n")


# To end one


async def test_cancelling_background_work_returns_its_result_and_no_report_comes(bench: Bench) -> None:
    pause = Pause()
    bench.model.says("lead", delegates("researcher", background=True), "begun")
    bench.model.says("researcher", reply(text_block("half of it"), uses("read")), pause)
    async with bench.run(now=still):
        await says(bench, "go")
        await pause.reached.wait()
        cancelled, is_error = await asked(bench, CANCEL, id="t1/2/0")
        facts, report = cancelled.split("\n")
        assert facts.startswith("delegation t1/2/0 · cancelled (cancelled by lead) · ")
        assert (report, is_error) == ("[Researcher]: half of it", False)
        assert await asked(bench, CANCEL, id="t1/2/0") == (cancelled, False)  # it has ended: nothing is left to do
        assert "cancelled" in (await asked(bench, LIST))[0]
    reports = bench.rows("SELECT 1 FROM inbox WHERE kind = 'report'")
    assert reports == []
    assert delegations(bench, "state, status", "id = 't1/2/0'") == [("ended", "cancelled")]


async def test_to_cancel_one_ends_all_below_it(bench: Bench) -> None:
    bench.roles[RESEARCHER] = Role(name=RoleName("researcher"), prompt="researcher", limits=DELEGATION_LIMITS)
    pause = Pause()
    bench.model.says("lead", delegates("researcher", background=True), "begun")
    bench.model.says("researcher", delegates("writer"))
    bench.model.says("writer", pause)
    async with bench.run(**engine_options(swarm__max_depth=2), now=still):
        await says(bench, "go")
        await pause.reached.wait()
        await asked(bench, CANCEL, id="t1/2/0")
    assert delegations(bench, "status, reason", "depth > 0") == [
        ("cancelled", reasons.CANCELLED_BY(role="lead")),
        ("cancelled", reasons.ABOVE_ENDED()),
    ]


async def test_cancelling_a_completed_delegation_returns_its_report(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher"), "done")
    bench.model.says("researcher", "found")
    async with bench.run(now=still):
        await says(bench, "go")
        assert await asked(bench, CANCEL, id="t1/2/0") == (
            f"delegation t1/2/0 · completed · {USED}\n[Researcher]: found",
            False,
        )


async def test_a_cancelled_delegation_is_told_after_a_crash_too(bench: Bench) -> None:
    await cancelled_when_it_dies(bench)
    async with bench.run(now=still):
        assert await bench.chat.said() == "it is over"
    assert bench.model.heard("lead") == ["[cancelled] half of it"]


async def test_a_turn_stopped_while_it_cancels_knows_the_result_next_time(bench: Bench) -> None:
    await cancelled_when_it_dies(bench, "/stop")
    bench.model.script["lead"].clear()
    bench.model.says("lead", "as I see")
    async with bench.run(now=still):
        assert await bench.chat.said() == "Stopped: “and?”."
        assert await says(bench, "what was there?") == "as I see"
    results = [entry.content[0] for entry in bench.model.seen[-1].transcript if entry.role == "user"]
    assert results[-2]["content"].endswith("[Researcher]: half of it")


async def test_to_cancel_one_that_is_about_to_fail_is_told_of_that(bench: Bench) -> None:
    asking, deciding = Pause(look(CANCEL, id="t1/2/0")), NeverCloses.anew()

    async def fails() -> ModelReply:
        await asking.reached.wait()
        raise ModelFailed("the model is not there")

    bench.model.says("lead", delegates("researcher", background=True), "begun", asking, "it is over")
    bench.model.says("researcher", reply(text_block("half of it"), uses("read")), fails)
    async with bench.run(store=NeverCloses, now=still):
        await says(bench, "go")
        bench.chat.hears("and?")
        await deciding.wait()
        asking.go_on.set()
        waits = "SELECT 1 FROM calls WHERE awaits = 't1/2/0'"
        await has_row(bench, waits)
        bench.crashes()
    async with bench.run(now=still):
        assert await bench.chat.said() == "it is over"
    [(result, is_error)] = heard(bench)
    assert result.startswith("delegation t1/2/0 · failed (the model is not there) · ")
    assert (result.split("\n")[1], is_error) == ("[Researcher]: half of it", False)


async def cancelled_when_it_dies(bench: Bench, *more: str) -> None:
    """The process dies when a cancelled delegation is to be ended, and after the person has written something more."""
    pause, deciding = Pause(), NeverCloses.anew()
    bench.model.says("lead", delegates("researcher", background=True), "begun", look(CANCEL, id="t1/2/0"), "it is over")
    bench.model.says("researcher", reply(text_block("half of it"), uses("read")), pause)
    async with bench.run(store=NeverCloses):
        await says(bench, "go")
        await pause.reached.wait()
        for text in ("and?", *more):
            bench.chat.hears(text)
            await deciding.wait()
            await bench.chat.is_taken_in()
        bench.crashes()
