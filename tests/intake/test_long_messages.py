"""Messages that are too long for a prompt: each is kept whole, as a file if possible."""

from pathlib import Path

from bot.core.texts import model
from tests.support.bench import Bench
from tests.support.engine_options import engine_options

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
    path = kept.relative_to(workspace)
    assert heard.endswith(model.KEPT_AS_FILE(beginning="", characters=len(text), path=path).lstrip())


async def test_a_long_text_stays_in_the_message_if_no_file_can_hold_it(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "workspace").write_text("a file, and no folder")
    bench.model.says("lead", "read it")
    async with bench.run(**engine_options(writable_workspace=tmp_path / "workspace")):
        bench.chat.hears("x" * 50_000)
        assert await bench.chat.said() == "read it"
    assert bench.model.heard("lead") == [f"Ann: {'x' * 50_000}"]
