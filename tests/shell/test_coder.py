"""The shipped coder with the shell: it writes a test, sees it fail, mends the code, and sees it pass."""

from pathlib import Path

from bot.assembly import load_roles_with_warnings, make_tools_and_workspace_folder
from bot.config import Config, LoadedConfig
from bot.config.resolved_settings import resolve_settings
from bot.core.messages import OutboundKind
from bot.core.texts import people_holds
from tests.shell.test_sandbox import needs_sandbox
from tests.support.bench import Bench
from tests.support.fakes import own_text, reply, uses

CODE = "def average(numbers):\n    return sum(numbers) / len(numbers)\n"
MENDED = "    return sum(numbers) / len(numbers) if numbers else 0"
TEST = """import unittest

from sums import average


class Sums(unittest.TestCase):
    def test_average_of_nothing(self):
        self.assertEqual(average([]), 0)
"""
RUN = uses("shell", command="cd app && python3 -m unittest 2>&1")


def shipped(folder: Path, **shell: object) -> tuple[Config, dict[str, object]]:
    """Return the settings with a shell, and the shipped roles and tools under them."""
    config = Config.model_validate({"workspace": folder / "desk", "data_dir": folder, "shell": {"enabled": True}})
    options = {
        "tools": make_tools_and_workspace_folder(config),
        "settings": config,
        "resolved": resolve_settings(config),
    }
    return config, options


@needs_sandbox
async def test_the_coder_runs_the_tests_of_a_small_project(bench: Bench, tmp_path: Path) -> None:
    config, options = shipped(tmp_path)
    (config.workspace / "app").mkdir(parents=True)
    (config.workspace / "app" / "sums.py").write_text(CODE)
    bench.roles = dict(load_roles_with_warnings(LoadedConfig(config=config, path=None)))
    lead, coder = (own_text(bench.roles[name].prompt).splitlines()[0] for name in ("lead", "coder"))
    bench.model.says(lead, reply(uses("delegate", role="coder", task="mend the average of nothing")), "It is mended.")
    bench.model.says(
        coder,
        reply(uses("write_file", path="app/test_sums.py", content=TEST)),
        reply(RUN),
        reply(uses("edit_file", path="app/sums.py", old=CODE.splitlines()[1], new=MENDED)),
        reply(RUN),
        "The average of nothing is 0 now.",
    )
    async with bench.run(**options):
        bench.chat.hears("Please fix app/sums.py: write a test app/test_sums.py, and run the tests")
        asked = (
            await bench.chat.part(OutboundKind.APPROVAL)
        ).message  # the second run, since the first has shown words
        assert "python3 -m unittest" in asked.text
        bench.chat.taps(asked.id, people_holds.ALLOW_IN_CONVERSATION())
        assert await bench.chat.said(OutboundKind.REPLY) == "It is mended."
    [before], [after] = bench.model.heard(coder, 2), bench.model.heard(coder, 4)
    assert before.startswith("exit status 1 ")
    assert "ZeroDivisionError" in before
    assert after.startswith("exit status 0 ")
    assert after.endswith("OK")
