"""A person writes to a role that has ended: it works again, and the lead learns of it later."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from bot.core.content_blocks import text_block
from bot.core.limits import DecisionTerms
from bot.core.messages import OutboundKind, PlatformId, RoleName
from bot.core.prices import Usage
from bot.core.role import LEAD_ROLE_NAME, Role
from bot.core.settings import Settings
from bot.core.texts import model, people, reasons
from bot.journal import deletion
from bot.store import Store, session_records
from tests.support.bench import Bench
from tests.support.delegation_calls import heard
from tests.support.engine_options import DELEGATION_LIMITS, engine_options
from tests.support.fakes import Pause, delegates, failing, plain, reply, uses
from tests.support.troubles import wait_for_row

REPLY, NOTICE, UPDATE = OutboundKind.REPLY, OutboundKind.NOTICE, OutboundKind.UPDATE
RESEARCHER = RoleName("researcher")
WORDS = "and in winter?"
TAKES_UP = people.ROLE_TAKES_UP(role="Researcher", number=1)


@pytest.fixture(autouse=True)
def everything_is_the_leads(bench: Bench) -> None:
    bench.roles[LEAD_ROLE_NAME] = Role(name=LEAD_ROLE_NAME, prompt="lead", limits=DELEGATION_LIMITS)


async def post_of_role(bench: Bench) -> PlatformId:
    await wait_for_row(bench, "outbox", "role = 'researcher' AND state = 'sent'")
    return PlatformId(
        bench.rows("SELECT json_extract(platform_ids, '$[0]') FROM outbox WHERE role = 'researcher'")[0][0]
    )


async def until_reported(bench: Bench) -> PlatformId:
    """Let the researcher say something and report, and return the platform's id of what it said."""
    bench.model.says("lead", delegates("researcher"), "it is found")
    bench.model.says("researcher", reply(uses("message", text="I look")), "found")
    bench.chat.hears("go")
    assert await bench.chat.said(REPLY) == "it is found"
    return await post_of_role(bench)


async def test_a_reply_to_an_ended_role_lets_it_work_again_and_it_answers_itself(bench: Bench) -> None:
    async with bench.run():
        posted = await until_reported(bench)
        bench.model.says("researcher", "colder")
        bench.chat.hears(WORDS, reply_to=posted)
        assert await bench.chat.said(NOTICE) == TAKES_UP
        answer = await bench.chat.part(REPLY)
        assert answer.text == "[Researcher]: colder"
        assert bench.select("key", "inbox", f"text = '{WORDS}'") == [(answer.message.reply_to,)]
        assert not answer.message.is_quiet
        assert bench.model.heard("researcher") == [model.WRITTEN_DIRECTLY(person="Ann"), f"Ann: {WORDS}"]
        assert bench.count("turns", "depth = 0") == 1, "no turn of the lead is opened for it"
        bench.model.says("lead", "as it said")
        bench.chat.hears("thanks")
        assert await bench.chat.said(REPLY) == "as it said"
    [report, message] = bench.model.heard("lead")[-2:]
    assert report.startswith(model.DIRECT_REPORT(person="Ann", words=WORDS, report="").rstrip())
    assert plain(report.rpartition("\n\n")[2]) == "colder"
    assert message.endswith("thanks")
    assert bench.count("inbox", "state != 'done'") == 0
    assert len({session for (session,) in bench.select("session", "turns", "role = 'researcher'")}) == 1


async def test_tell_does_the_same_and_a_second_message_reaches_it_at_work(bench: Bench) -> None:
    at_work = Pause(reply(uses("read")))
    async with bench.run():
        await until_reported(bench)
        bench.model.says("researcher", at_work, "both")
        bench.chat.hears(f"/tell 1 {WORDS}")
        assert await bench.chat.said(NOTICE) == TAKES_UP
        await at_work.reached.wait()
        bench.chat.hears("/tell 1 and in spring?")
        assert await bench.chat.said(NOTICE) == people.ROLE_READS_NEXT(role="Researcher", number=1)
        at_work.go_on.set()
        assert await bench.chat.said(REPLY) == "[Researcher]: both"
    assert bench.count("turns", "depth = 1") == 2
    assert any("and in spring?" in line for line in bench.model.heard("researcher"))


async def test_a_reply_to_its_answer_goes_to_it_again(bench: Bench) -> None:
    async with bench.run():
        posted = await until_reported(bench)
        bench.model.says("researcher", "colder", "warmer")
        bench.chat.hears(WORDS, reply_to=posted)
        await bench.chat.said(REPLY)
        await wait_for_row(bench, "outbox", "key LIKE '%:reply' AND role = 'researcher' AND state = 'sent'")
        [(answered,)] = bench.rows(
            "SELECT json_extract(platform_ids, '$[0]') FROM outbox WHERE kind = 'reply' AND role = 'researcher'"
        )
        bench.chat.hears("and in spring?", reply_to=answered)
        assert await bench.chat.said(REPLY) == "[Researcher]: warmer"


async def test_a_kill_while_it_works_loses_nothing(bench: Bench) -> None:
    at_work = Pause("colder")
    async with bench.run():
        posted = await until_reported(bench)
        bench.model.says("researcher", at_work)
        bench.chat.hears(WORDS, reply_to=posted)
        await at_work.reached.wait()
        bench.crashes()
    bench.model.says("researcher", "colder")
    async with bench.run():
        assert await bench.chat.said(REPLY) == "[Researcher]: colder"
    assert bench.count("outbox", "kind = 'reply' AND role = 'researcher'") == 1


async def test_it_is_paid_by_chat_and_day_with_its_own_limits(bench: Bench) -> None:
    async with bench.run():
        posted = await until_reported(bench)
        [(before,)] = bench.select("cost", "turns", "id = 't1'")
        bench.model.says("researcher", "colder")
        bench.chat.hears(WORDS, reply_to=posted)
        await bench.chat.said(REPLY)
    assert bench.select("cost", "turns", "id = 't1'") == [(before,)], "the request before pays nothing for it"
    [(id, root, spent)] = bench.select("id, root, cost", "turns", "depth = 1 AND root = id")
    assert (id, spent > 0) == (root, True)
    assert bench.select("sum(cost)", "requests") == bench.select("sum(cost)", "spending", "chat = 'fake:room'")


async def test_stop_ends_it_quietly(bench: Bench) -> None:
    at_work = Pause("never said")
    async with bench.run():
        posted = await until_reported(bench)
        bench.model.says("researcher", at_work)
        bench.chat.hears(WORDS, reply_to=posted)
        await at_work.reached.wait()
        bench.chat.hears("/stop")
        await wait_for_row(bench, "turns", "depth = 1 AND root = id AND state = 'ended'")
    assert bench.count("outbox", "kind = 'reply' AND role = 'researcher'") == 0
    [(told,)] = bench.select("text", "inbox", "kind = 'report' AND state = 'received'")
    assert told.startswith(model.DIRECT_REPORT_NOT_SHOWN(person="Ann", words=WORDS, report="").rstrip())


async def test_stopped_after_an_update_it_does_not_repeat_that(bench: Bench) -> None:
    at_work = Pause("never said")
    async with bench.run():
        posted = await until_reported(bench)
        bench.model.says("researcher", reply(uses("message", text="so far colder")), at_work)
        bench.chat.hears(WORDS, reply_to=posted)
        await at_work.reached.wait()
        bench.chat.hears("/stop")
        await wait_for_row(bench, "turns", "depth = 1 AND root = id AND state = 'ended'")
    assert bench.select("kind", "outbox", "text LIKE '%so far colder%'") == [("update",)]
    [(told,)] = bench.select("text", "inbox", "kind = 'report' AND state = 'received'")
    assert "so far colder" in told, "the lead reads it"


async def test_stopped_in_a_quiet_chat_it_says_what_it_has_found(bench: Bench) -> None:
    at_work = Pause("never said")
    async with bench.run():
        posted = await until_reported(bench)
        bench.chat.hears("/quiet")
        bench.model.says("researcher", reply(uses("message", text="so far colder")), at_work)
        bench.chat.hears(WORDS, reply_to=posted)
        await at_work.reached.wait()
        bench.chat.hears("/stop")
        assert await bench.chat.said(REPLY) == f"[Researcher]: so far colder\n\n{people.TEXT_STOPPED()}"


async def test_if_the_lead_cancels_it_both_learn_of_it_once(bench: Bench) -> None:
    at_work = Pause("never said")
    async with bench.run():
        posted = await until_reported(bench)
        bench.model.says("researcher", at_work)
        bench.chat.hears(WORDS, reply_to=posted)
        await at_work.reached.wait()
        bench.model.says("lead", reply(uses("cancel_delegation", id="t2")), "cancelled it")
        bench.chat.hears("no need to look")
        said = {(await bench.chat.part(REPLY)).text for _ in range(2)}
    reason = reasons.CANCELLED_BY(role="lead")
    assert said == {"cancelled it", f"[Researcher]: {people.ROLE_NOT_FINISHED(reason=reason)}"}
    [(result, _)] = heard(bench)
    assert result.startswith(model.DIRECT_REPORT_NOT_SHOWN(person="Ann", words=WORDS, report="").rstrip())
    assert bench.count("inbox", "kind = 'report'") == 0


async def test_a_failure_is_told_to_the_person(bench: Bench) -> None:
    async with bench.run():
        posted = await until_reported(bench)
        bench.model.says("researcher", failing)
        bench.chat.hears(WORDS, reply_to=posted)
        said = await bench.chat.said(REPLY)
    assert said == f"[Researcher]: {people.ROLE_NOT_FINISHED(reason='the model is not there')}"


async def test_at_a_limit_without_last_words_it_says_why_it_ends(bench: Bench) -> None:
    limits = replace(DELEGATION_LIMITS, iterations=1)
    bench.roles[RESEARCHER] = Role(name=RESEARCHER, prompt="researcher", limits=limits)
    async with bench.run():
        posted = await until_reported(bench)
        bench.model.says("researcher", reply(uses("message", text="so far colder")), failing)
        bench.chat.hears(WORDS, reply_to=posted)
        reason = reasons.STEPS_USED(1)
        assert await bench.chat.said(REPLY) == f"[Researcher]: {people.ROLE_NOT_FINISHED(reason=reason)}"


async def test_at_a_limit_it_repeats_no_update_and_says_why_it_ends(bench: Bench) -> None:
    limits = replace(DELEGATION_LIMITS, iterations=2)
    bench.roles[RESEARCHER] = Role(name=RESEARCHER, prompt="researcher", limits=limits)
    steps = reply(text_block("Let me check."), uses("read")), reply(uses("message", text="so far colder")), failing
    async with bench.run():
        posted = await until_reported(bench)
        bench.model.says("researcher", *steps)
        bench.chat.hears(WORDS, reply_to=posted)
        excuse = people.ROLE_NOT_FINISHED(reason=reasons.STEPS_USED(2))
        assert await bench.chat.said(REPLY) == f"[Researcher]: Let me check.\n\n{excuse}"


async def test_without_words_at_its_end_it_repeats_no_update(bench: Bench) -> None:
    steps = reply(text_block("Let me check."), uses("read")), reply(uses("message", text="it is colder"))
    async with bench.run():
        posted = await until_reported(bench)
        bench.model.says("researcher", *steps, reply(), reply())
        bench.chat.hears(WORDS, reply_to=posted)
        assert await bench.chat.said(REPLY) == "[Researcher]: Let me check."


async def test_an_answer_that_quotes_its_update_stays_whole(bench: Bench) -> None:
    async with bench.run():
        posted = await until_reported(bench)
        bench.model.says("researcher", reply(uses("message", text="it is colder")), "As I said:\n\nit is colder")
        bench.chat.hears(WORDS, reply_to=posted)
        assert await bench.chat.said(REPLY) == "[Researcher]: As I said:\n\nit is colder"


async def test_an_update_that_begins_with_a_label_is_not_repeated(bench: Bench) -> None:
    labelled = reply(uses("message", text="[Researcher]: so far colder"))
    async with bench.run():
        posted = await until_reported(bench)
        bench.model.says("researcher", labelled, failing)
        bench.chat.hears(WORDS, reply_to=posted)
        said = await bench.chat.said(REPLY)
    assert said == f"[Researcher]: {people.ROLE_NOT_FINISHED(reason='the model is not there')}"


async def test_another_persons_reply_and_a_chat_without_delegation_are_for_the_lead(bench: Bench) -> None:
    async with bench.run():
        posted = await until_reported(bench)
        bench.model.says("lead", "to Bob")
        bench.chat.hears(WORDS, by="Bob", reply_to=posted)
        assert await bench.chat.said(REPLY) == "to Bob"
    bench.model.says("lead", "a summary, because its tools are others now", "to Ann")
    async with bench.run(**engine_options(swarm__enabled=False)):
        bench.chat.hears(f"/tell 1 {WORDS}")
        assert await bench.chat.said(NOTICE) == people.ROLE_IS_DONE(role="Researcher", number=1)
        bench.chat.hears(WORDS, reply_to=posted)
        assert await bench.chat.said(REPLY) == "to Ann"


async def test_it_is_part_of_the_conversation_that_began_the_role(bench: Bench) -> None:
    async with bench.run():
        posted = await until_reported(bench)
        bench.model.says("researcher", "colder")
        bench.chat.hears(WORDS, reply_to=posted)
        await bench.chat.said(REPLY)
        bench.model.says("lead", "as it said")
        bench.chat.hears("thanks")
        await bench.chat.said(REPLY)
    [(session, direct)] = bench.rows(
        "SELECT (SELECT id FROM sessions WHERE parent IS NULL), id FROM turns WHERE depth = 1 AND root = id"
    )
    terms = DecisionTerms(settings=Settings(), now=datetime.now(UTC))
    async with Store.open(bench.data / "bot.db") as store:
        records = await store.read(session_records.load_root_turn_records, session)
        assert [record.turn.depth for record in records] == [0, 1, 0]
        assert await store.read(session_records.find_conversation_of_turn, direct) == session
        assert (await store.write(deletion.delete_conversation, session, terms)).is_done
    assert bench.count("turns") == 0


async def test_what_comes_during_its_summary_is_read_once(bench: Bench) -> None:
    small = engine_options(model__roles="some/local-model", model__context_tokens=8_000)
    long, summing = reply(text_block("a long report"), usage=Usage(input=5_500, output=200)), Pause("the gist of it")
    bench.model.says("lead", delegates("researcher"), "it is found")
    bench.model.says("researcher", long, summing, "colder", "warmer")
    async with bench.run(**small):
        bench.chat.hears("go")
        await bench.chat.said(REPLY)
        bench.chat.hears(f"/tell 1 {WORDS}")
        await summing.reached.wait()
        bench.chat.hears("/tell 1 and in spring?")
        await bench.chat.is_taken_in()
        summing.go_on.set()
        await bench.chat.said(REPLY)
    assert str(bench.model.asked("researcher")[-1].transcript).count("and in spring?") == 1


async def test_the_lead_reads_of_it_before_anybodys_next_message(bench: Bench) -> None:
    async with bench.run():
        posted = await until_reported(bench)
        bench.model.says("researcher", "colder")
        bench.chat.hears(WORDS, by="Owner", reply_to=posted)
        assert await bench.chat.said(REPLY) == "[Researcher]: colder"
        bench.model.says("lead", "as it said")
        bench.chat.hears("thanks")
        assert await bench.chat.said(REPLY) == "as it said"
    [report, message] = bench.model.heard("lead")[-2:]
    assert report.startswith(model.DIRECT_REPORT(person="Owner", words=WORDS, report="").rstrip())
    assert message.endswith("thanks")
    assert bench.count("inbox", "state != 'done'") == 0


async def test_the_lead_reads_who_has_written_what_to_it(bench: Bench) -> None:
    at_work = Pause(reply(uses("read")))
    async with bench.run():
        posted = await until_reported(bench)
        bench.model.says("researcher", at_work, "both")
        bench.chat.hears(WORDS, reply_to=posted)
        await at_work.reached.wait()
        bench.chat.hears("in Rome\nand Bern", by="Owner", reply_to=posted)
        bench.model.says("lead", reply(uses("steer_delegation", id="t2", text="be short")), "told it")
        bench.chat.hears("let it be short")
        assert await bench.chat.said(REPLY) == "told it"
        at_work.go_on.set()
        assert await bench.chat.said(REPLY) == "[Researcher]: both"
    [(told,)] = bench.select("text", "inbox", "kind = 'report'")
    words = f"{WORDS}\nOwner: in Rome\n  and Bern"
    assert told.startswith(model.DIRECT_REPORT(person="Ann", words=words, report="").rstrip())
    assert "be short" not in told


async def test_its_question_is_not_shortened_because_others_wait_for_the_lead(bench: Bench) -> None:
    ask, writing = Pause(reply(uses("ask_person", question="which?", options=["red", "blue"]))), Pause("to Ann")
    async with bench.run(**engine_options(question_seconds_if_others_wait=0)):
        posted = await until_reported(bench)
        bench.model.says("researcher", ask, "red, then")
        bench.chat.hears(WORDS, reply_to=posted)
        await ask.reached.wait()
        bench.model.says("lead", writing, "to Bob")
        bench.chat.hears("hello")
        await writing.reached.wait()
        bench.chat.hears("me too", by="Bob")
        await bench.chat.is_taken_in()
        ask.go_on.set()
        question = await bench.chat.part(OutboundKind.QUESTION)
        bench.chat.taps(question.message.id, "red")
        assert await bench.chat.said(REPLY) == "[Researcher]: red, then"
    assert bench.model.heard("researcher") == ["red"]


async def test_a_conversation_with_a_report_held_for_good_is_deleted(bench: Bench) -> None:
    async with bench.run():
        posted = await until_reported(bench)
        bench.model.says("researcher", "colder")
        bench.chat.hears(WORDS, reply_to=posted)
        await bench.chat.said(REPLY)
    [(session,)] = bench.rows("SELECT id FROM sessions WHERE parent IS NULL")
    terms = DecisionTerms(settings=Settings(), now=datetime.now(UTC))
    async with Store.open(bench.data / "bot.db") as store:
        assert (await store.write(deletion.delete_conversation, session, terms)).is_done
    assert (bench.count("turns"), bench.count("inbox", "state != 'done' OR text != ''")) == (0, 0)
