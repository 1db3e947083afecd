"""A message with files waits for them, and so does what its sender writes after it. What others write does not."""

from pathlib import Path
from typing import Any

import pytest

from bot.core.errors import FetchError
from bot.core.limits import Timings
from bot.core.messages import InboundKind
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import Pause
from tests.support.sample_media import png
from tests.support.sent_files import sends, shown_files


@pytest.fixture
def options(tmp_path: Path) -> dict[str, Any]:
    return {**engine_options(writable_workspace=tmp_path / "workspace"), "timings": Timings(file_retry_seconds=0.01)}


async def test_a_stop_does_not_wait_for_a_file(bench: Bench, options: Any) -> None:
    pause = Pause()
    bench.model.says("lead", pause)
    async with bench.run(**options):
        bench.chat.hears("go")
        await pause.reached.wait()
        bench.chat.hears("look", files=[sends(bench, "cat.png", FetchError("busy", seconds=60))])
        bench.chat.hears("/stop", kind=InboundKind.COMMAND)
        assert await bench.chat.said() == "Stopped: “go”, “look”."
    assert bench.rows("SELECT state FROM inbox WHERE kind = 'text'") == [("done",), ("done",)]


async def test_the_pictures_of_an_album_open_one_turn(bench: Bench, options: Any) -> None:
    bench.model.says("lead", "cats")
    late = sends(bench, "b.png", [FetchError("busy", seconds=0.01), png()])
    async with bench.run(**options):
        bench.chat.hears("look", files=[sends(bench, "a.png", png())], album="7")
        bench.chat.hears("", files=[late], album="7")
        assert await bench.chat.said() == "cats"
    assert len(bench.model.seen) == 1
    assert len(shown_files(bench.model.seen[0])) == 2


async def test_the_caption_of_a_file_that_is_refused_waits_for_the_rest_of_its_album(
    bench: Bench, options: Any
) -> None:
    bench.model.says("lead", "a film and a cat")
    async with bench.run(**options):
        film = sends(bench, "film.mp4", b"", size_bytes=2**40)
        bench.chat.hears("what is it?", files=[film], album="7")
        bench.chat.hears("", files=[sends(bench, "a.png", png())], album="7")
        assert "film.mp4" in await bench.chat.said()
        assert await bench.chat.said() == "a film and a cat"
    [request] = bench.model.seen
    assert len(shown_files(request)) == 1


async def test_an_album_of_which_everything_is_refused_is_answered(bench: Bench, options: Any) -> None:
    bench.model.says("lead", "a film")
    async with bench.run(**options):
        film = sends(bench, "film.mp4", b"", size_bytes=2**40)
        bench.chat.hears("what is it?", files=[film], album="7")
        assert "film.mp4" in await bench.chat.said()
        assert await bench.chat.said() == "a film"


async def test_a_command_does_not_wait_for_the_file_that_came_with_it(bench: Bench, options: Any) -> None:
    late = sends(bench, "cat.png", FetchError("busy", seconds=60))
    async with bench.run(**options):
        bench.chat.hears("/status", kind=InboundKind.COMMAND, files=[late])
        assert await bench.chat.said() == "I am not working on anything here."
    assert not bench.count("incoming_files")


async def test_a_new_conversation_begins_after_the_picture_before_it(bench: Bench, options: Any) -> None:
    bench.model.says("lead", "a cat")
    late = sends(bench, "cat.png", [FetchError("busy", seconds=0.01), png()])
    async with bench.run(**options):
        bench.chat.hears("look", files=[late])
        bench.chat.hears("/new", kind=InboundKind.COMMAND)
        assert await bench.chat.said() == "a cat"
        assert await bench.chat.said() == "This is a new conversation."
