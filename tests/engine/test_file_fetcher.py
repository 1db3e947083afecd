"""Files that people send: fetched before their message goes on, shown to the model, and kept in the inbox."""

from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from bot.core.errors import FetchError
from bot.core.limits import Timings
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.sample_media import pdf, png
from tests.support.sent_files import sends, shown_files


@pytest.fixture
def options(tmp_path: Path) -> dict[str, Any]:
    return {**engine_options(writable_workspace=tmp_path / "workspace"), "timings": Timings(file_retry_seconds=0.01)}


async def test_a_picture_and_a_pdf_are_shown_and_kept(bench: Bench, options: Any, tmp_path: Path) -> None:
    files = sends(bench, "cat.png", png()), sends(bench, "report.pdf", pdf(3))
    bench.model.says("lead", "a cat", "a cat, as I said")
    async with bench.run(**options):
        bench.chat.hears("look", files=files)
        assert await bench.chat.said() == "a cat"
    async with bench.run(**options):
        bench.chat.hears("what was it?")
        assert await bench.chat.said() == "a cat, as I said"
    for request in bench.model.seen:
        image, document = shown_files(request)
        assert b64decode(image["source"]["data"]) == png()
        assert b64decode(document["source"]["data"]) == pdf(3)
    [said] = bench.model.heard("lead", 0)[:1]
    [picture] = (tmp_path / "workspace" / "inbox").glob("cat-*.png")
    assert picture.read_bytes() == png()
    assert f"lies in your workspace: inbox/{picture.name}" in said
    assert not list((bench.data / "incoming").iterdir())


async def test_a_text_is_told_by_its_path_and_its_first_lines(bench: Bench, options: Any, tmp_path: Path) -> None:
    bench.model.says("lead", "read")
    async with bench.run(**options):
        bench.chat.hears("", files=[sends(bench, "../../notes [x].csv", b"a;b\n1;2\n")])
        assert await bench.chat.said() == "read"
    [heard] = bench.model.heard("lead")
    assert heard.startswith("Ann:\n[attached: file ../../notes x .csv, text/plain, 8 bytes; it lies in your workspace:")
    assert heard.endswith("notes x .csv holds this text; each line of the file is marked with >:]\n> a;b\n> 1;2")
    [kept] = (tmp_path / "workspace" / "inbox").iterdir()
    assert kept.name.startswith("notes-x-")


async def test_a_later_message_of_the_same_person_waits_for_the_file(bench: Bench, options: Any) -> None:
    bench.model.says("lead", "for Bob", "for Ann")
    late = sends(bench, "cat.png", [FetchError("busy", seconds=0.01), png()])
    async with bench.run(**options):
        bench.chat.hears("look", files=[late], chat="a")
        bench.chat.hears("and this", chat="a")
        bench.chat.hears("hello", by="Bob", chat="a")
        assert await bench.chat.said() == "for Bob"
        assert await bench.chat.said() == "for Ann"
    assert len(bench.model.heard("lead")) == 3


async def test_a_file_that_is_too_large_is_refused_in_words_at_once(bench: Bench, options: Any) -> None:
    bench.chat.max_download_bytes = 20 * 2**20
    bench.model.says("lead", "too large")
    async with bench.run(**options):
        bench.chat.hears("look", files=[sends(bench, "film.mp4", b"", size_bytes=31 * 2**20)])
        assert await bench.chat.said() == "film.mp4 has 31 MB; Fake gives me at most 20 MB."
        assert await bench.chat.said() == "too large"
    [heard] = bench.model.heard("lead")
    assert "Ann was told: film.mp4 has 31 MB; Fake gives me at most 20 MB." in heard


async def test_a_file_that_is_gone_is_told_and_needs_no_turn(bench: Bench, options: Any) -> None:
    async with bench.run(**options):
        bench.chat.hears("", files=[sends(bench, "cat.png", FetchError("The cat is gone."))])
        assert await bench.chat.said() == "cat.png: The cat is gone."
    assert not bench.model.seen
