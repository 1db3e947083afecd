"""A message that comes while roles work is answered at once; the roles go on."""

import re
from dataclasses import replace

from bot.core.messages import OutboundKind
from bot.core.prices import Micros
from bot.core.texts import model, people
from bot.core.turn import TurnOutcome
from tests.support.bench import Bench
from tests.support.delegation_calls import begin_work
from tests.support.engine_options import engine_options, limits_with
from tests.support.fakes import Pause, delegates, failing, reply, uses
from tests.support.troubles import wait_for_row

REPLY, QUESTION, NOTICE = OutboundKind.REPLY, OutboundKind.QUESTION, OutboundKind.NOTICE
RICH = limits_with(cost=Micros(10**9))  # each delegation in the background takes half of what is left
ASKED, WRITTEN = "go", "and this?"


def still_at_work(role: str, number: int = 0, *, turn: str = "t1/2") -> str:
    return model.STILL_AT_WORK(role=role, delegation=f"{turn}/{number}")


async def test_a_message_is_answered_before_the_role_is_done(bench: Bench, researcher: Pause) -> None:
    bench.model.says("lead", delegates("researcher"), "one moment", "it is found")
    async with bench.run():
        await begin_work(bench, researcher)
        bench.chat.hears(WRITTEN)
        assert await bench.chat.said(REPLY) == "one moment"
        assert bench.model.heard("lead") == [still_at_work("Researcher"), f"Ann: {WRITTEN}"]
        researcher.go_on.set()
        assert await bench.chat.said(REPLY) == "it is found"
    assert "found" in bench.model.heard("lead")[0]
    assert bench.count("inbox", "state != 'done'") == 0


async def test_no_line_says_that_such_a_message_waits(bench: Bench, researcher: Pause) -> None:
    bench.model.says("lead", delegates("researcher"), "one moment", "it is found")
    async with bench.run():
        await begin_work(bench, researcher)
        bench.chat.hears(WRITTEN)
        await bench.chat.said(REPLY)
        assert bench.count("outbox", "kind = 'notice'") == 0


async def test_no_line_says_so_either_while_another_call_runs_beside_the_role(bench: Bench, researcher: Pause) -> None:
    bench.is_stuck = True
    bench.model.says("lead", reply(*delegates("researcher").content, uses("change")), "one moment")
    async with bench.run(**engine_options(turn=limits_with(seconds=1))):
        bench.chat.hears(ASKED)
        await bench.has_changed()
        bench.chat.hears(WRITTEN)
        assert await bench.chat.said(REPLY) == "one moment"
        assert bench.count("outbox", "kind = 'notice'") == 0


async def test_no_line_says_so_either_while_the_lead_writes_and_a_role_has_one_below(
    bench: Bench, analyst: Pause
) -> None:
    bench.roles["researcher"] = replace(bench.roles["researcher"], tools=frozenset({"delegate"}), delegates_to=None)
    writing = Pause("one moment")
    bench.model.says("lead", delegates("researcher"), writing, "another moment")
    bench.model.says("researcher", delegates("analyst"), "found with help")
    async with bench.run(**engine_options(swarm__max_depth=2)):
        await begin_work(bench, analyst)
        bench.chat.hears(WRITTEN)
        await writing.reached.wait()
        bench.chat.hears("and that?")
        await bench.chat.is_taken_in()
        writing.go_on.set()
        await bench.chat.said(REPLY)
        assert bench.count("outbox", "kind = 'notice'") == 0


async def test_another_persons_report_that_waits_holds_up_no_message(bench: Bench, researcher: Pause) -> None:
    writing = Pause(reply(uses("read")))
    bench.model.says("lead", delegates("researcher", background=True), "begun", writing, "to Ann", "to Bob")
    async with bench.run():
        bench.chat.hears("go", by="Bob")
        await bench.chat.said(REPLY)
        bench.chat.hears("hello")
        await writing.reached.wait()
        researcher.go_on.set()
        await wait_for_row(bench, "inbox", "kind = 'report'")
        bench.chat.hears(WRITTEN)
        await bench.chat.is_taken_in()
        writing.go_on.set()
        assert [await bench.chat.said(REPLY) for _ in range(2)] == ["to Ann", "to Bob"]
        assert bench.count("outbox", "kind = 'notice'") == 0


async def test_another_persons_report_that_waits_shortens_no_question(bench: Bench, researcher: Pause) -> None:
    writing = Pause(reply(uses("ask_person", question="which?", options=["red", "blue"])))
    bench.model.says("lead", delegates("researcher", background=True), "begun", writing, "red, then", "to Bob")
    async with bench.run(**engine_options(question_seconds_if_others_wait=0)):
        bench.chat.hears("go", by="Bob")
        await bench.chat.said(REPLY)
        bench.chat.hears("hello")
        await writing.reached.wait()
        researcher.go_on.set()
        await wait_for_row(bench, "inbox", "kind = 'report'")
        writing.go_on.set()
        question = await bench.chat.part(QUESTION)
        bench.chat.taps(question.message.id, "red")
        assert [await bench.chat.said(REPLY) for _ in range(2)] == ["red, then", "to Bob"]
    assert bench.model.heard("lead", 3) == ["red"]


async def test_a_message_that_comes_while_the_lead_delegates_is_answered_at_once(
    bench: Bench, researcher: Pause
) -> None:
    asked = Pause(delegates("researcher"))
    bench.model.says("lead", asked, "one moment")
    async with bench.run():
        bench.chat.hears(ASKED)
        await asked.reached.wait()
        bench.chat.hears(WRITTEN)
        await bench.chat.is_taken_in()
        asked.go_on.set()
        assert await bench.chat.said(REPLY) == "one moment"
        assert bench.count("turns", "depth = 1 AND background AND state != 'ended'") == 1


async def test_a_message_is_answered_when_the_last_other_call_is_done(bench: Bench, researcher: Pause) -> None:
    bench.is_stuck = True
    bench.model.says("lead", reply(*delegates("researcher").content, uses("change")), "one moment")
    async with bench.run(**engine_options(turn=limits_with(seconds=1))):
        bench.chat.hears(ASKED)
        await bench.has_changed()
        bench.chat.hears(WRITTEN)
        assert await bench.chat.said(REPLY) == "one moment"
        assert bench.count("turns", "depth = 1 AND background AND state != 'ended'") == 1


async def test_reports_that_are_there_stay_results(bench: Bench, researcher: Pause) -> None:
    bench.model.says("lead", delegates("analyst", "researcher"), "one moment")
    bench.model.says("analyst", "analysed")
    async with bench.run():
        await begin_work(bench, researcher)
        await wait_for_row(bench, "turns", "role = 'analyst' AND state = 'ended'")
        bench.chat.hears(WRITTEN)
        assert await bench.chat.said(REPLY) == "one moment"
    first, second, written = bench.model.heard("lead")
    assert "analysed" in first
    assert (second, written) == (still_at_work("Researcher", 1), f"Ann: {WRITTEN}")


async def test_of_several_tasks_those_go_on_that_are_at_work(bench: Bench, researcher: Pause) -> None:
    tasks = [{"role": "analyst", "task": "weigh"}, {"role": "researcher", "task": "look"}]
    bench.model.says("lead", reply(uses("delegate", tasks=tasks)), "one moment", "it is found")
    bench.model.says("analyst", "weighed")
    async with bench.run():
        await begin_work(bench, researcher)
        await wait_for_row(bench, "turns", "role = 'analyst' AND state = 'ended'")
        bench.chat.hears(WRITTEN)
        assert await bench.chat.said(REPLY) == "one moment"
        [result, words] = bench.model.heard("lead")
        assert result == "weighed\n\n" + model.STILL_AT_WORK(role="Researcher", delegation="t1/2/0.1")
        assert words == f"Ann: {WRITTEN}"
        researcher.go_on.set()
        assert await bench.chat.said(REPLY) == "it is found"
    [report] = bench.model.heard("lead")
    assert report.startswith("report on “look”")


async def test_a_role_that_is_being_stopped_does_not_go_on(bench: Bench, researcher: Pause, analyst: Pause) -> None:
    bench.model.says("lead", delegates("researcher", "analyst"), "one moment", "it is found")
    async with bench.run():
        await begin_work(bench, researcher, analyst)
        bench.chat.hears("/stop 1")
        bench.chat.hears(WRITTEN)
        assert await bench.chat.said(REPLY) == "one moment"
        [stopped, going_on, words] = bench.model.heard("lead")
        assert going_on == still_at_work("Analyst", 1)
        assert (stopped, words) == ("[cancelled] (no output)", f"Ann: {WRITTEN}")
        analyst.go_on.set()
        assert await bench.chat.said(REPLY) == "it is found"
    assert bench.count("inbox", "kind = 'report'") == 1


async def test_messages_queue_if_the_setting_says_so(bench: Bench, researcher: Pause) -> None:
    bench.model.says("lead", delegates("researcher"), "it is found", "and this")
    async with bench.run(**engine_options(busy="queue")):
        await begin_work(bench, researcher)
        bench.chat.hears(WRITTEN)
        assert await bench.chat.said(NOTICE) == people.WAITS_FOR_OWN_TURN()
        researcher.go_on.set()
        assert [await bench.chat.said(REPLY) for _ in range(2)] == ["it is found", "and this"]


async def test_money_and_board_stay_with_the_turn_that_began_the_work(bench: Bench, researcher: Pause) -> None:
    bench.model.says("lead", delegates("researcher"), "one moment", "it is found")
    async with bench.run():
        await begin_work(bench, researcher)
        bench.chat.hears(WRITTEN)
        await bench.chat.said(REPLY)
        [(before,)] = bench.select("tokens", "turns", "id = 't1'")
        researcher.go_on.set()
        await bench.chat.said(REPLY)
    assert bench.select("root", "turns", "depth = 1") == [("t1",)]
    [(after,)] = bench.select("tokens", "turns", "id = 't1'")
    assert after > before
    [(board,)] = bench.select("text", "outbox", "kind = 'board'")
    assert re.fullmatch(r"1 role · \d+ s · \$0\.\d\d", board)


async def test_another_persons_message_ends_the_turn_with_a_quiet_line(bench: Bench, researcher: Pause) -> None:
    bench.model.says("lead", delegates("researcher"), "to Bob", "to Ann")
    async with bench.run():
        await begin_work(bench, researcher)
        bench.chat.hears("me too", by="Bob")
        part = await bench.chat.part(REPLY)
        assert (part.text, part.message.is_quiet) == (people.ROLES_GO_ON(), True)
        assert await bench.chat.said(REPLY) == "to Bob"
        researcher.go_on.set()
        assert await bench.chat.said(REPLY) == "to Ann"
    assert bench.select("id, person, status", "turns", "depth = 0", "rowid")[:2] == [
        ("t1", "Ann", TurnOutcome.COMPLETED),
        ("t2", "Bob", TurnOutcome.COMPLETED),
    ]
    assert bench.count("requests", "turn = 't1'") == 1  # the model was not asked for the quiet line


async def test_a_new_conversation_does_not_wait_for_roles(bench: Bench, researcher: Pause) -> None:
    bench.model.says("lead", delegates("researcher"), "it is found")
    async with bench.run():
        await begin_work(bench, researcher)
        bench.chat.hears("/new")
        assert await bench.chat.said(REPLY) == people.ROLES_GO_ON()
        assert await bench.chat.said(NOTICE) == people.NEW_CONVERSATION()
        researcher.go_on.set()
        assert await bench.chat.said(REPLY) == "it is found"


async def test_the_roles_go_on_if_the_turn_fails(bench: Bench, researcher: Pause) -> None:
    bench.model.says("lead", delegates("researcher"), failing, "it is found")
    async with bench.run():
        await begin_work(bench, researcher)
        bench.chat.hears(WRITTEN)
        await bench.chat.said(REPLY)
        assert bench.select("status", "turns", "id = 't1'") == [(TurnOutcome.FAILED,)]
        researcher.go_on.set()
        assert await bench.chat.said(REPLY) == "it is found"


async def test_what_is_below_a_role_stays_its_foreground(bench: Bench, analyst: Pause) -> None:
    bench.roles["researcher"] = replace(bench.roles["researcher"], tools=frozenset({"delegate"}), delegates_to=None)
    bench.model.says("lead", delegates("researcher"), "one moment", "it is found")
    bench.model.says("researcher", delegates("analyst"), "found with help")
    async with bench.run(**engine_options(swarm__max_depth=2)):
        await begin_work(bench, analyst)
        bench.chat.hears(WRITTEN)
        assert await bench.chat.said(REPLY) == "one moment"
        assert bench.select("depth, background", "turns", order="depth") == [(0, 0), (1, 1), (2, 0)]
        analyst.go_on.set()
        assert await bench.chat.said(REPLY) == "it is found"
    assert "analysed" in bench.model.heard("researcher")[0]


async def test_a_question_of_a_role_stays_open_while_the_person_writes(bench: Bench) -> None:
    bench.model.says("lead", delegates("analyst"), "one moment", "it is red")
    bench.model.says("analyst", reply(uses("ask_person", question="which?", options=["red", "blue"])), "red, then")
    async with bench.run():
        bench.chat.hears(ASKED)
        question = await bench.chat.part(QUESTION)
        bench.chat.hears(WRITTEN)
        assert await bench.chat.said(REPLY) == "one moment"
        bench.chat.taps(question.message.id, "red")
        assert await bench.chat.said(REPLY) == "it is red"
    assert bench.model.heard("analyst") == ["red"]


async def test_words_answer_the_leads_question_beside_a_roles(bench: Bench) -> None:
    ask = uses("ask_person", question="which?", options=["red", "blue"])
    both = reply(*delegates("analyst").content, uses("ask_person", question="how many?"))
    bench.model.says("lead", both, "done")
    bench.model.says("analyst", reply(ask), "blue, then")
    async with bench.run():
        bench.chat.hears(ASKED)
        for _ in range(2):
            await bench.chat.part(QUESTION)
        bench.chat.hears("three of them")
        bench.chat.hears("blue")
        assert await bench.chat.said(REPLY) == "done"
    assert bench.model.heard("analyst") == ["blue"]
    assert bench.model.heard("lead")[1] == "three of them"
