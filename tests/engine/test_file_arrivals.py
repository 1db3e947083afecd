"""What a message with files does once they are there: it joins a turn, answers a question, goes to a role."""

from pathlib import Path
from typing import Any

import pytest

from bot.core.errors import FetchError
from bot.core.messages import InboundKind, OutboundKind
from bot.core.texts import people
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import Pause, delegates, reply, uses
from tests.support.sample_media import png
from tests.support.sent_files import sends, shown_files
from tests.support.troubles import has_row, wait_for_row


@pytest.fixture
def options(tmp_path: Path) -> dict[str, Any]:
    return engine_options(writable_workspace=tmp_path / "workspace")


async def test_a_picture_joins_the_turn_of_its_sender(bench: Bench, options: Any) -> None:
    pause = Pause(reply(uses("read")))
    bench.model.says("lead", pause, "a cat")
    async with bench.run(**options):
        bench.chat.hears("go")
        await pause.reached.wait()
        bench.chat.hears("look", files=[sends(bench, "cat.png", png())])
        await bench.chat.is_taken_in()
        await is_settled(bench)
        pause.go_on.set()
        assert await bench.chat.said(OutboundKind.REPLY) == "a cat"
    assert len(shown_files(bench.model.seen[1])) == 1


async def test_words_to_a_role_bring_their_picture(bench: Bench, options: Any) -> None:
    pause = Pause(reply(uses("read")))
    bench.model.says("lead", delegates("researcher"), "it is found")
    bench.model.says("researcher", pause, "a cat")
    async with bench.run(**options):
        bench.chat.hears("go")
        await pause.reached.wait()
        bench.chat.hears("/tell 1 like this", kind=InboundKind.COMMAND, files=[sends(bench, "cat.png", png())])
        await bench.chat.is_taken_in()
        await is_settled(bench)
        pause.go_on.set()
        assert await bench.chat.said(OutboundKind.REPLY) == "it is found"
    assert len(shown_files(bench.model.asked("researcher")[-1])) == 1
    assert "like this" in str(bench.model.heard("researcher"))


async def test_an_answer_brings_its_picture(bench: Bench, options: Any) -> None:
    bench.model.says("lead", reply(uses("ask_person", question="which?")), "a cat")
    async with bench.run(**options):
        bench.chat.hears("go")
        assert await bench.chat.said(OutboundKind.QUESTION) == "which?"
        bench.chat.hears("this one", files=[sends(bench, "cat.png", png())])
        assert await bench.chat.said(OutboundKind.REPLY) == "a cat"
    [heard] = bench.model.heard("lead")
    assert "this one" in heard
    assert "inbox/cat-" in heard
    assert len(shown_files(bench.model.seen[-1])) == 1


@pytest.mark.parametrize("word", ["/stop", "stop"])
async def test_what_waits_for_its_files_can_be_stopped(bench: Bench, options: Any, word: str) -> None:
    bench.model.says("lead", "only this")
    late = sends(bench, "cat.png", FetchError("busy", seconds=600))
    async with bench.run(**options):
        bench.chat.hears("look", files=[late])
        bench.chat.hears("and say what it is")
        await bench.chat.is_taken_in()
        await wait_for_row(bench, "incoming_files", "failures > 0")
        bench.chat.hears("/status", kind=InboundKind.COMMAND)
        assert people.MESSAGES_WAITING(messages=2) in await bench.chat.said()
        bench.chat.hears(word)
        await bench.chat.said()
        bench.chat.hears("something else")
        assert await bench.chat.said(OutboundKind.REPLY) == "only this"
    assert "look" not in bench.model.heard("lead")[-1]
    assert bench.select("state", "incoming_files") == [("failed",)]


async def is_settled(bench: Bench) -> None:
    await has_row(bench, "SELECT 1 FROM incoming_files WHERE state = 'kept'")
