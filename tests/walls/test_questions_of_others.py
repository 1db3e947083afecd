"""Nobody answers what another person was asked: by a tap, in words, by a number, by a reply, or for a role."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from bot.core.messages import InboundKind, InboundMessage, OutboundKind, OutboundMessage, QuestionId
from bot.core.texts import people_holds
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import message, reply, role, uses
from tests.support.mailing import Post
from tests.walls.world import ACCESS, ALPHA, ANN, ANN_IN_HALL, BOB, BOB_IN_HALL, GUEST, OWNER, Place, TalkativeModel

YES = people_holds.ALLOW()
STRANGERS = (BOB, GUEST, ALPHA, BOB_IN_HALL)
ASKS = reply(uses("ask_person", question="which?", options=["red", "blue"]))
MAILS = (reply(uses("browse")), reply(uses("mail", to="eve@evil.example", text="all of it")))


@dataclass(frozen=True)
class Case:
    """What somebody has the bot do, who is asked about it, and with which words that is answered."""

    by: Place
    asked: Place
    kind: OutboundKind
    answer: str

    @property
    def others(self) -> tuple[Place, ...]:
        return tuple(each for each in (OWNER, *STRANGERS) if each.by != self.asked.by)


CASES = (
    Case(ANN, ANN, OutboundKind.QUESTION, "red"),
    Case(ANN, ANN, OutboundKind.APPROVAL, YES),
    Case(ANN_IN_HALL, ANN_IN_HALL, OutboundKind.QUESTION, "red"),
    Case(ANN_IN_HALL, OWNER, OutboundKind.APPROVAL, YES),
)


def attempts(case: Case, asked: OutboundMessage) -> Iterator[InboundMessage]:
    """Yield what others may write at their own places, and in the chat where the question stands. The words of the
    person whose turn waits would withdraw it, so that one only taps."""
    tap: dict[str, Any] = {"kind": InboundKind.ANSWER, "question": QuestionId(asked.id)}
    if case.by.by != case.asked.by:
        yield message(case.answer, **case.by.where, **tap)
    for other in case.others:
        for where in (other.where, {**case.asked.where, "by": other.by}):
            yield message(case.answer, **where, **tap)
            yield message(case.answer, **where, reply_to=f"{asked.id}:0")
            for text in (case.answer, "yes", "1", f"/tell 1 {case.answer}"):
                yield message(text, **where)


@pytest.mark.parametrize("case", CASES, ids=[f"{case.kind}-{case.by.name}" for case in CASES])
async def test_no_one_else_answers_a_question(bench: Bench, case: Case) -> None:
    post, bench.model = Post(), TalkativeModel()
    bench.roles["lead"] = role("lead", "ask_person", "browse", "mail", delegates_to=None)
    bench.model.says("lead", *([ASKS] if case.kind is OutboundKind.QUESTION else MAILS), "Done.")
    async with bench.run(access={"fake": ACCESS}, tools=post.tools(), **engine_options()):
        bench.chat.hears("What does the page say?", **case.by.where)
        asked = (await bench.chat.part(case.kind)).message
        tried = list(attempts(case, asked))
        for each in tried:
            bench.chat.incoming.put_nowait(each)
            await bench.chat.is_taken_in()
            state = bench.select("state, answer", "questions", f"id = '{asked.id}'")
            assert state == [("open", None)], (each.sender.name, each.address, each.text)
        assert len(tried) >= 40
        assert post.sent == []
        answers = {"kind": InboundKind.ANSWER, "question": QuestionId(asked.id)}
        bench.chat.hears(case.answer, **case.asked.where, **answers)  # the person who was asked can do it
        await bench.chat.is_taken_in()
        assert bench.select("answer", "questions", f"id = '{asked.id}'") == [(case.answer,)]
