"""`retinue report`: enough to find a fault by, and nothing that should not be pasted."""

import json
import signal
from pathlib import Path

import pytest

from bot.cli import report, texts
from bot.config import load
from bot.ops.logs import LOG_FILE_NAME
from tests.support.run_command import OWNER, Service, service
from tests.support.shell import Shell

__all__ = ["service"]

pytestmark = pytest.mark.timeout(120)


async def test_it_tells_of_a_bot_that_has_run_and_of_no_person(service: Service) -> None:
    shell, token = service.shell, "7654321:" + "AbC-_123" * 4
    config = json.loads((shell.folder / "config.json").read_text())
    preset = {"proofreader": {"system_prompt": "words of the operator"}}
    shell.config(**config, limits={"day_usd": 7.5}, swarm={"roles": preset}, workspace="secret-project")
    sam = service.telegram.person(7_654_321_098, "Sam")
    room = service.telegram.private(sam)
    async with service.run() as process:
        room.say(sam, "words of a stranger")
        await service.telegram.until(lambda: bool(room.texts()))
        await service.stopped(process, signal.SIGTERM)
    shell.settings["TELEGRAM_BOT_TOKEN"] = token
    said = await shell.retinue("report")
    assert said.status == 0, said.err
    for words in (
        "limits.day_usd: 7.5",
        "swarm.roles: set",
        texts.FINDINGS,
        texts.HEALTH,
        texts.LAST_LINES_OF_LOG(lines=report.MAX_LOG_LINES),
        texts.ANSWERING(channels="telegram"),
    ):
        assert words in said.out
    hidden = [token, "Sam", "7654321098", "words of", "secret-project:", "@retinue_bot", *shell.settings.values()]
    assert [each for each in hidden if each in said.out] == []
    assert str(OWNER) not in [line.partition(": ")[2] for line in said.out.splitlines() if "owner" in line]


def test_only_settings_that_somebody_has_given_are_told(tmp_path: Path) -> None:
    path = Shell(tmp_path).config(
        limits={"day_usd": 7.5, "chat_day_usd": 5.0},
        workspace="files",
        model={"prices": {"a-model": {"input": 1, "output": 2}}},
        channels={"telegram": {"owner": 7, "people": {"7654321098": "all"}}},
    )
    loaded = load(path, variables={"RETINUE_KEEP_DAYS": "9"})
    assert sorted(report.list_changed_settings(loaded)) == [
        "channels.telegram.owner: set",
        "channels.telegram.people: set",
        "keep_days: 9",
        "limits.day_usd: 7.5",
        "model.prices.a-model.input: 1.0",
        "model.prices.a-model.output: 2.0",
        "workspace: set",
    ]


async def test_a_log_that_cannot_be_read_leaves_the_other_sections(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.config(limits={"day_usd": 7.5})
    (shell.data / LOG_FILE_NAME).mkdir(parents=True)
    said = await shell.retinue("report")
    assert said.status == 0, said.err
    assert "limits.day_usd: 7.5" in said.out
    assert texts.HEALTH in said.out


@pytest.mark.fast
async def test_a_config_that_cannot_be_read_is_told_too(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.config(busy="sometimes")
    said = await shell.retinue("report")
    assert said.status == 0
    assert "busy must be" in said.out
    assert "sometimes" not in said.out


def test_a_line_without_ids_names_and_home() -> None:
    line = f"telegram: @ann answers at telegram:-1001234567890 in {Path.home()}/x, 82.9 GB free, 12 rows"
    assert report.anonymize_line(line) == "telegram: @… answers at telegram:… in ~/x, 82.9 GB free, 12 rows"
