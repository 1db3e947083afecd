"""The exits over the whole engine: the tenant's secrets are in nothing that is said or sent, whatever says it."""

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.core.command_choices import ChoiceRequest, CommandChoice
from bot.core.exits import (
    KEPT_BACK_TEXT,
    SECRET_MARK,
    ExitRules,
    clean_choice,
    clean_draft,
    current_exit_rules,
    set_exit_rules,
)
from bot.core.messages import Address, Draft, OutboundKind, role_display_name
from bot.core.role import LEAD_ROLE_NAME
from bot.core.secret_search import SecretIndex
from bot.journal.bus import Bus
from bot.tools import texts
from tests.delivery.test_secret_search import ENCODINGS, HEX, KEY, TOKEN, longest_common
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import FakeChannel, delegates, message, reply, role, uses
from tests.support.mailing import Post
from tests.support.patience import PATIENCE
from tests.support.writing_model import Writes

REPLY, UPDATE, QUESTION, NOTICE = OutboundKind.REPLY, OutboundKind.UPDATE, OutboundKind.QUESTION, OutboundKind.NOTICE
SECRETS = SecretIndex({"model.api_key": [KEY], "channels.telegram.token": [TOKEN], "voice.api_key": [HEX]})
WHOLE = "all that it takes"
MOST_LEFT = 8  # characters of an encoded secret: an encoding does not end where the secret ends


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    folder = tmp_path / "desk"
    folder.mkdir()
    return folder


def guarded(**options: Any) -> dict[str, Any]:
    return {"secrets": SECRETS, **engine_options(**options)}


async def test_a_reply_has_no_secret_in_any_encoding(bench: Bench) -> None:
    written = {encoding: encode(KEY) for encoding, encode in ENCODINGS.items()}
    bench.model.says("lead", *(f"Sure. {each} Is that {WHOLE}?" for each in written.values()))
    async with bench.run(**guarded()):
        for encoding, each in written.items():
            bench.chat.hears(f"what is the key, {encoding}?")
            said = await bench.chat.said(REPLY)
            assert SECRET_MARK in said, encoding
            assert said.endswith(f"Is that {WHOLE}?")
            assert "pieces" in encoding or longest_common(said, each) <= MOST_LEFT, encoding


async def test_without_rules_the_same_reply_has_it(bench: Bench) -> None:
    bench.model.says("lead", KEY)
    async with bench.run():
        bench.chat.hears("what is the key?")
        assert await bench.chat.said(REPLY) == KEY


async def test_a_message_that_is_cut_into_parts_has_no_part_of_it(bench: Bench) -> None:
    bench.chat.length = 30
    bench.model.says("lead", f"It is this one: {KEY}, as you see.")
    async with bench.run(**guarded()):
        bench.chat.hears("what is the key?")
        parts = [await bench.chat.said(REPLY) for _ in range(2)]
    assert "".join(parts) == f"It is this one: {SECRET_MARK}, as you see."


async def test_nor_has_what_a_role_says(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher"), "done")
    bench.model.says("researcher", reply(uses("message", text=f"[Researcher]: it is {KEY[::-1]}")), "found")
    async with bench.run(**guarded()):
        bench.chat.hears("go")
        assert await bench.chat.said(UPDATE) == f"[Researcher]: it is {SECRET_MARK}"


async def test_nor_has_a_question_with_its_buttons(bench: Bench) -> None:
    asked = uses("ask_person", question=f"Is it {TOKEN}?", options=["no", TOKEN, "\u202eon"])
    bench.model.says("lead", reply(asked), "I see")
    async with bench.run(**guarded()):
        bench.chat.hears("go")
        part = await bench.chat.part(QUESTION)
        assert (part.text, part.message.options) == (f"Is it {SECRET_MARK}?", ("no", SECRET_MARK, "on"))
        bench.chat.taps(part.message.id, "2")
        over = await bench.chat.edited(QUESTION)
        await bench.chat.said(REPLY)
    assert TOKEN not in over.text
    assert over.text.startswith(f"Is it {SECRET_MARK}?\n\n")
    assert bench.model.heard("lead") == [TOKEN]  # what the model itself had said stays what it was


async def test_nor_has_a_notice(bench: Bench) -> None:
    async with bench.run(**guarded()):
        bench.chat.hears(f"/model {KEY}")
        said = await bench.chat.said(NOTICE)
    assert SECRET_MARK in said
    assert KEY not in said


async def test_nor_has_the_name_that_a_role_speaks_under(bench: Bench) -> None:
    """A webhook of Discord is called so."""
    bench.model.says("lead", delegates(HEX), "done")
    bench.model.says(texts_of_role(HEX), reply(uses("message", text="hi")), "done")
    async with bench.run(**guarded()):
        bench.chat.hears("go")
        part = await bench.chat.part(UPDATE)
        await bench.chat.said(REPLY)
    assert role_display_name(part.message.role or "") == f"Ad hoc: {SECRET_MARK}"
    assert part.text == f"[Ad hoc: {SECRET_MARK}]: hi"
    assert HEX not in str(bench.select("role, text, board", "outbox"))


async def test_nor_has_the_name_of_a_file_or_its_caption(bench: Bench, desk: Path) -> None:
    (desk / f"{HEX}.txt").write_text("nothing")
    bench.roles[LEAD_ROLE_NAME] = role("lead", "send_file")
    bench.model.says("lead", reply(uses("send_file", path=f"{HEX}.txt", caption=f"see {KEY}")), "there")
    async with bench.run(**guarded(workspace=desk)):
        bench.chat.hears("go")
        part = await bench.chat.part(UPDATE)
    [file] = part.files
    assert (part.text, file.file.name) == (f"see {SECRET_MARK}", f"{SECRET_MARK}.txt")
    assert HEX not in file.file.source


@pytest.mark.parametrize("encoding", ["plain", "base64", "reversed", "five pieces", "URL encoding"])
async def test_nor_is_a_call_made_that_would_send_it_out(bench: Bench, encoding: str) -> None:
    post = Post()
    bench.roles[LEAD_ROLE_NAME] = role("lead", "mail")
    bench.model.says("lead", reply(uses("mail", to="ann@home.example", text=f"so: {ENCODINGS[encoding](KEY)}")), "done")
    async with bench.run(**{**guarded(), "tools": post.tools()}):
        bench.chat.hears("go")
        await bench.chat.said(REPLY)
    assert bench.model.heard("lead") == [texts.SECRET_IN_ARGUMENTS(tool="mail")]
    assert post.sent == []


@pytest.mark.parametrize("before", [0, 1_000, (1 << 20) - 20])
async def test_a_file_with_a_secret_in_it_is_not_sent(
    bench: Bench, desk: Path, caplog: pytest.LogCaptureFixture, before: int
) -> None:
    """The last of these lies across two chunks of the copy."""
    (desk / "a.log").write_text("x" * before + KEY + "x" * 100)
    bench.roles[LEAD_ROLE_NAME] = role("lead", "send_file")
    bench.model.says("lead", reply(uses("send_file", path="a.log")), "sorry")
    counted: list[None] = []
    caplog.set_level(logging.WARNING)
    async with bench.run(**guarded(workspace=desk), on_secret_kept_back=lambda: counted.append(None)):
        bench.chat.hears("go")
        await bench.chat.said(REPLY)
    assert texts_of_refusal("a.log") in bench.model.heard("lead")[0]
    assert len(counted) == 1
    assert "the secret of model.api_key was about to go out with a file of turn t1" in caplog.text
    assert list((bench.data / "outgoing").iterdir()) == []


async def test_a_board_has_none_in_any_revision(bench: Bench) -> None:
    bench.model.says("lead", reply(*(uses("delegate", role="researcher", task=KEY) for _ in range(2))), "done")
    bench.model.says("researcher", "found", "found")
    async with bench.run(**guarded()):
        bench.chat.hears("go")
        await bench.chat.said(REPLY)
        shown = str(bench.select("text, board", "outbox", "kind = 'board'"))
    assert KEY[:20] not in shown


@pytest.mark.parametrize("encoding", ["plain", "reversed", "spaces"])
@pytest.mark.parametrize("is_anchoring", [False, True])
async def test_no_draft_shows_a_secret_that_comes_bit_by_bit(bench: Bench, encoding: str, is_anchoring: bool) -> None:
    bench.chat.is_anchoring = is_anchoring
    written = ENCODINGS[encoding](KEY)
    step = Writes(f"It is {written}, yes.")
    bench.model.says("lead", step)
    seen: list[str] = []
    async with bench.run(**guarded(draft_delay_seconds=0, draft_edit_seconds=(0,))):
        bench.chat.hears("go")
        for length in range(0, len(written) + 1, 4):
            step.shows(f"It is {written[:length]}")
            await asyncio.sleep(0)
        await see_drafts_until(bench.chat, step, f"It is {written}, yes.", f"It is {SECRET_MARK}, yes.", seen)
        step.ends()
        assert await bench.chat.said(REPLY) == f"It is {SECRET_MARK}, yes."
    assert all(longest_common(each, written) <= MOST_LEFT for each in seen)


async def see_drafts_until(chat: FakeChannel, step: Writes, text: str, shown: str, seen: list[str]) -> None:
    """Let the model show the text until a draft shows it. Note all drafts."""
    async with asyncio.timeout(PATIENCE):
        while shown not in seen:
            step.shows(text)
            await asyncio.sleep(0.001)
            seen += [chat.drafts.get_nowait().text for _ in range(chat.drafts.qsize())]
            for queue in (chat.sent, chat.edits):
                seen += [queue.get_nowait().text for _ in range(queue.qsize())]


def test_a_draft_that_is_all_secret_so_far_and_its_activity_show_nothing() -> None:
    here = Address(channel="fake", chat="room")
    draft = clean_draft(Draft(turn="t1", address=here, text=KEY[:20], activity=f"reading {KEY}"), guarding())
    assert (draft.text, draft.activity) == (KEPT_BACK_TEXT, f"reading {SECRET_MARK}")
    assert clean_draft(Draft(turn="t1", address=here, text=""), guarding()).text == ""


async def test_what_is_offered_while_somebody_types_has_none() -> None:
    offered = [CommandChoice(text=f"2 · {KEY}", value="2")]

    async def offer(request: ChoiceRequest) -> list[CommandChoice]:
        return offered

    set_exit_rules(guarding())
    bus = Bus(None, None, offer)  # type: ignore[arg-type]  # choices need no rows
    found = await bus.list_command_choices(ChoiceRequest(message=message("/stop"), typed=""))
    assert found == [CommandChoice(text=f"2 · {SECRET_MARK}", value="2")]
    assert clean_choice(offered[0], ExitRules()) == offered[0]


async def test_the_rules_hold_in_the_transactions_of_one_bot_alone(bench: Bench) -> None:
    async with bench.run(**guarded()):
        assert not current_exit_rules().secrets.names


@pytest.mark.parametrize("encode", [ENCODINGS["plain"], ENCODINGS["base64"]])
async def test_what_the_model_reads_keeps_what_it_has(bench: Bench, encode: Callable[[str], str]) -> None:
    bench.model.says("lead", encode(KEY))
    async with bench.run(**guarded()):
        bench.chat.hears("the key?")
        await bench.chat.said(REPLY)
    assert encode(KEY) in str(bench.select("*", "entries"))


def guarding() -> ExitRules:
    return ExitRules(secrets=SECRETS)


def texts_of_role(name: str) -> str:
    from bot.delegation import texts as delegation_texts

    return str(delegation_texts.SPECIALIST_PROMPT(role=name))


def texts_of_refusal(path: str) -> str:
    return texts.FILE_TO_SEND_HOLDS_SECRET(path=path)


async def test_a_secret_in_pieces_over_a_question_and_its_buttons_is_kept_back(bench: Bench) -> None:
    cut = [KEY[len(KEY) * n // 5 : len(KEY) * (n + 1) // 5] for n in range(5)]
    asked = uses("ask_person", question=f"Which one: {cut[0]}", options=cut[1:])
    bench.model.says("lead", reply(asked), "Done.")
    async with bench.run(**guarded()):
        bench.chat.hears("hi")
        question = (await bench.chat.part(OutboundKind.QUESTION)).message
    assert not any(each in "".join([question.text, *question.options]) for each in cut)
