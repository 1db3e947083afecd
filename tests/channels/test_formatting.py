"""How what the bot says looks in a chat: whose it is stands at the beginning, once, in code."""

import pytest

from bot.core.exits import NO_RULES, clean_message
from bot.core.messages import Address, OutboundId, OutboundKind, OutboundMessage, RoleName
from tests.support.bench import Bench
from tests.support.fakes import delegates, reply, uses
from tests.support.labelled_pieces import cut_into_labelled_pieces


def said(text: str, role: str | None = "researcher") -> OutboundMessage:
    return OutboundMessage(
        id=OutboundId("t1/2/0"),
        address=Address(channel="fake", chat="room"),
        kind=OutboundKind.UPDATE,
        text=text,
        role=role and RoleName(role),  # type: ignore[arg-type]  # None, or a name
    )


def posted(text: str, role: str | None = "researcher") -> str:
    return clean_message(said(text, role), NO_RULES)[0].text


def shown(text: str, role: str | None = "researcher", length: int = 4_096) -> list[str]:
    return cut_into_labelled_pieces(said(text, role), length)


@pytest.mark.parametrize(
    ("role", "opening"),
    [("researcher", "[Researcher]: "), ("QA", "[QA]: "), ("gmail-reader", "[Gmail-reader]: "), ("élan", "[Élan]: ")],
)
def test_the_label_is_the_roles_name_with_its_first_letter_raised(role: str, opening: str) -> None:
    assert shown("hi", role) == [f"{opening}hi"]


@pytest.mark.parametrize(
    "typed",
    [
        "[Researcher]: hi",
        "[researcher]: hi",
        "[RESEARCHER]:hi",
        " [researcher] : hi",
        "[researcher]: [Researcher]: hi",
        "[Researcher]:\nhi",
    ],
)
def test_a_label_that_the_model_typed_is_taken_off(typed: str) -> None:
    assert posted(typed) == "hi"


@pytest.mark.parametrize("text", ["(Analyst): hi", "as (researcher): hi", "[researcher] hi", "[1]: hi", "hi\n"])
def test_nothing_else_is_taken_off(text: str) -> None:
    assert posted(text) == text


def test_a_name_is_no_pattern() -> None:
    assert posted("[aa]: hi", role="a+") == "(aa): hi"
    assert posted("[A+]: hi", role="a+") == "hi"


def test_the_lead_has_no_label_and_its_text_is_never_taken_for_one() -> None:
    assert shown("hi", role=None) == ["hi"] == [posted("hi", role=None)]
    assert shown("", role=None) == [""]


def test_every_part_of_an_update_has_the_label_and_a_length_that_fits() -> None:
    parts = shown("one two three", length=len("[Researcher]: ") + 5)
    assert parts == ["[Researcher]: one t", "[Researcher]: wo th", "[Researcher]: ree"]


@pytest.mark.parametrize("typed", ["", "[researcher]: ", "[RESEARCHER]: [Researcher]:"])
async def test_a_stored_text_has_no_label_and_a_sent_one_has_one(bench: Bench, typed: str) -> None:
    bench.chat.length = len("[Researcher]: ") + 4
    bench.model.says("lead", delegates("researcher"), "done")
    asks = uses("ask_person", question=f"{typed}who?", options=["Ann"])
    bench.model.says("researcher", reply(uses("message", text=f"{typed}looking"), asks), "found")
    async with bench.run():
        bench.chat.hears("look")
        said = [await bench.chat.said() for _ in range(3)]
        stored = bench.rows("SELECT kind, text FROM outbox WHERE role = 'researcher' ORDER BY seq")
        bench.chat.hears("Ann")
        assert await bench.chat.said(OutboundKind.REPLY) == "done"  # after all that the question has left to say
    assert said == ["[Researcher]: look", "[Researcher]: ing", "[Researcher]: who?"]
    assert stored == [("update", "looking"), ("question", "who?")]
