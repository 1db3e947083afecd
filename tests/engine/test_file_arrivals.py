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


async def test_an_edit_of_what_waits_changes_its_files_too(bench: Bench, options: Any) -> None:
    bench.model.says("lead", "a dog")
    stays, wrong = sends(bench, "stays.txt", b"kept words"), sends(bench, "wrong.png", FetchError("busy", seconds=600))
    right = sends(bench, "right.png", png(9, 9))
    async with bench.run(**options):
        bench.chat.hears("look", files=[stays, wrong], id="m1")
        await bench.chat.is_taken_in()
        await wait_for_row(bench, "incoming_files", "failures > 0")
        bench.chat.hears("look here", files=[stays, right], id="m1", is_edit=True)
        assert await bench.chat.said() == "a dog"
    assert len(shown_files(bench.model.seen[0])) == 1
    heard = str(bench.model.seen[0].transcript)
    assert all(words in heard for words in ("look here", "kept words", "right.png"))
    assert "wrong.png" not in heard
    assert bench.select("name, state", "incoming_files") == [("stays.txt", "kept"), ("right.png", "kept")]


async def test_a_file_that_an_edit_takes_away_is_not_read(bench: Bench, tmp_path: Path) -> None:
    pause = Pause("done")
    bench.model.says("lead", pause, "I see no file")
    secret = sends(bench, "secret.txt", b"my secret")
    async with bench.run(**engine_options(writable_workspace=tmp_path / "workspace", busy="queue")):
        bench.chat.hears("go")
        await pause.reached.wait()
        bench.chat.hears("look", files=[secret], id="m1")
        await bench.chat.is_taken_in()
        await is_settled(bench)
        bench.chat.hears("look", id="m1", is_edit=True)
        await has_row(bench, "SELECT 1 FROM inbox WHERE key = 'm1' AND file_count = 0")
        pause.go_on.set()
        assert [await bench.chat.said(OutboundKind.REPLY) for _ in range(2)] == ["done", "I see no file"]
        await has_row(bench, "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM incoming_files)")
    assert "secret" not in str(bench.model.seen[-1].transcript)
    assert not list((tmp_path / "workspace" / "inbox").iterdir())


async def is_settled(bench: Bench) -> None:
    await has_row(bench, "SELECT 1 FROM incoming_files WHERE state = 'kept'")
