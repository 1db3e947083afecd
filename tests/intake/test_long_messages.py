"""Messages that are too long for a prompt: each is kept whole, as a file if possible."""

from pathlib import Path

from bot.core.messages import OutboundKind
from bot.core.texts import model
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import Pause, delegates
from tests.support.troubles import has_row

HALF = "\ud83d"  # of a character: what some platforms send when they cut a text


async def test_a_very_long_message_is_kept_whole_as_a_file(bench: Bench, tmp_path: Path) -> None:
    text = "".join(f"line {number} {HALF}\n" for number in range(5_000))
    workspace = tmp_path / "workspace"
    bench.model.says("lead", "read it")
    async with bench.run(**engine_options(writable_workspace=workspace)):
        bench.chat.hears(text)
        assert await bench.chat.said() == "read it"
    [kept] = workspace.rglob("*.txt")
    assert kept.read_text(encoding="utf-8", errors="surrogatepass") == text
    [heard] = bench.model.heard("lead")
    assert heard.startswith("Ann: line 0 ")
    assert len(heard) < 5_000
    assert bench.select("written", "inbox") == [("",)]  # it is pasted, so its person has written nothing of it
    path = kept.relative_to(workspace)
    assert heard.endswith(model.KEPT_AS_FILE(beginning="", characters=len(text), path=path).lstrip())


async def test_a_long_text_stays_in_the_message_if_no_file_can_hold_it(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "workspace").write_text("a file, and no folder")
    bench.model.says("lead", "read it")
    async with bench.run(**engine_options(writable_workspace=tmp_path / "workspace")):
        bench.chat.hears("x" * 50_000)
        assert await bench.chat.said() == "read it"
    assert bench.model.heard("lead") == [f"Ann: {'x' * 50_000}"]


async def test_very_long_words_to_a_role_become_a_file_too(bench: Bench, tmp_path: Path) -> None:
    text, workspace = "and in winter?\n" * 5_000, tmp_path / "workspace"
    bench.model.says("lead", delegates("researcher"), "it is found")
    bench.model.says("researcher", "found", "colder")
    async with bench.run(**engine_options(writable_workspace=workspace)):
        bench.chat.hears("go")
        await bench.chat.said(OutboundKind.REPLY)
        bench.chat.hears(f"/tell 1 {text}")
        assert await bench.chat.said(OutboundKind.REPLY) == "[Researcher]: colder"
    [kept] = workspace.rglob("*.txt")
    assert kept.read_text() == text
    assert len(bench.model.heard("researcher")[-1]) < 5_000
    assert str(kept.relative_to(workspace)) in bench.model.heard("researcher")[-1]
    assert bench.select("written", "inbox", "written IS NOT NULL") == [("",)]


async def test_an_edit_of_a_very_long_message_that_waits_is_kept_as_a_file_too(bench: Bench, tmp_path: Path) -> None:
    before, after, pause = "one\n" * 15_000, "two\n" * 15_000, Pause("done")
    bench.model.says("lead", pause, "read it")
    async with bench.run(**engine_options(writable_workspace=tmp_path / "workspace", busy="queue")):
        bench.chat.hears("go")
        await pause.reached.wait()
        bench.chat.hears(before, id="long")
        bench.chat.hears(after, id="long", is_edit=True)
        await has_row(bench, "SELECT 1 FROM inbox WHERE key = 'long' AND text LIKE 'two%'")
        pause.go_on.set()
        assert [await bench.chat.said(OutboundKind.REPLY) for _ in range(2)] == ["done", "read it"]
    [kept] = (tmp_path / "workspace").rglob("*.txt")
    assert kept.read_text() == after
