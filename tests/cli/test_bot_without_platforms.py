"""The bot that `retinue mcp` and `retinue chat` run themselves: whose work it does, and by which settings."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypedDict

import pytest

from bot.assembly import Backend, backend_data_folder
from bot.cli import texts
from bot.cli.mcp import BotKeeper
from bot.config import LoadedConfig, load
from bot.core.access import Access
from bot.core.limits import ResolvedSettings
from bot.core.messages import Address, PersonId
from bot.core.rights import Right
from bot.ops.logs import LOG_FILE_NAME, open_log_file_handler
from tests.support.bench import Bench
from tests.support.fakes import Pause
from tests.support.schedule_bot import ScheduleBot
from tests.support.troubles import wait_for_row

OWNER = "7"
OWNER_AT = Address(channel="telegram", chat=OWNER)
KEY = "sk-ant-of-the-new-settings"


class Fields(TypedDict):
    by: str
    address: Address


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    bench = Bench(tmp_path / "data")
    bench.chat.name = OWNER_AT.channel
    return bench


def write_config(folder: Path, **settings: Any) -> Path:
    path = folder / "config.json"
    path.write_text(json.dumps(settings))
    return path


def load_config(folder: Path, **settings: Any) -> LoadedConfig:
    return load(write_config(folder, **settings), variables={})


@asynccontextmanager
async def running_bot_of_front(bench: Bench, loaded: LoadedConfig) -> AsyncIterator[None]:
    """Run the bot that `retinue mcp` runs, with the scripted model."""
    backend = Backend(
        open_model=lambda: nullcontext(bench.model),
        roles=bench.roles,
        tools=bench.tools(),
        settings=loaded.config.model_copy(update={"data_dir": bench.data}),
        resolved=ResolvedSettings(),
        title="",
    )
    keeper = BotKeeper(lambda: loaded, bench.data)
    async with asyncio.TaskGroup() as owner:
        owner.create_task(keeper.run_bot(loaded, backend))
        yield
        keeper.end()


async def test_it_works_for_people_of_the_platforms_with_their_rights(bench: Bench, tmp_path: Path) -> None:
    bot = ScheduleBot(bench)
    bot.now = datetime.now(UTC) - timedelta(days=2)
    first, at_platform = Pause(), Fields(by=OWNER, address=OWNER_AT)
    async with bot.run(assembly={"access": {OWNER_AT.channel: Access(owner_id=PersonId(OWNER))}}):
        await bot.calls(("schedule_create", {"task": "brief me", "repeat": "FREQ=DAILY"}), **at_platform)
        bench.model.says("lead", first)
        bench.chat.hears("first", **at_platform)
        await first.reached.wait()
        bench.chat.hears("second", **at_platform)
        await wait_for_row(bench, "inbox", text="second")
    bench.model.says("lead", *["done"] * 3)
    async with running_bot_of_front(bench, load_config(tmp_path, channels={"telegram": {"owner": int(OWNER)}})):
        await bot.until(lambda: bench.count("turns", "state = 'ended'") == 4)
    assert [outcome for _, _, outcome in bot.outcomes()] == ["run"]
    assert len({rights for (rights,) in bench.select("rights", "turns", "schedule = 0")}) == 1
    assert bench.count("outbox", "kind = 'reply' AND state = 'queued'") == 3  # until a bot runs with the platform


def test_the_next_bot_of_a_front_goes_by_the_settings_as_they_are_then(tmp_path: Path) -> None:
    keeper = keeper_of(tmp_path)
    write_config(tmp_path, clients={"local": {"rights": ["talk"]}}, **MODEL)
    found = keeper.find_settings_and_backend()
    assert found
    assert found[0].config.clients["local"].rights == {Right.TALK}


def test_a_new_secret_is_kept_out_of_the_log_that_is_open(tmp_path: Path) -> None:
    keeper, handler = keeper_of(tmp_path), open_log_file_handler(tmp_path, [])
    logging.getLogger().addHandler(handler)
    write_config(tmp_path, model={"api_key": KEY})
    assert keeper.find_settings_and_backend()
    logging.getLogger("bot").warning("it is %s", KEY)
    logging.getLogger().removeHandler(handler)
    handler.close()
    assert (tmp_path / LOG_FILE_NAME).read_text().endswith("it is …\n")


def test_wrong_settings_are_said_once_and_end_no_front(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keeper = keeper_of(tmp_path)
    (tmp_path / "roles").mkdir()
    wrong = tmp_path / "roles" / "clerk.md"
    wrong.write_text("---\ntools: 7\n---\nDo it.")
    assert keeper.find_settings_and_backend() is keeper.find_settings_and_backend() is None
    assert capsys.readouterr().err.count(str(wrong)) == 1
    wrong.unlink()
    assert keeper.find_settings_and_backend()


def test_a_front_runs_no_bot_in_another_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keeper = keeper_of(tmp_path)
    write_config(tmp_path, data_dir=str(tmp_path / "other"), **MODEL)
    assert keeper.find_settings_and_backend() is None
    assert texts.DATA_FOLDER_CHANGED(folder=tmp_path / "other") in capsys.readouterr().err


MODEL = {"model": {"base_url": "http://127.0.0.1:9"}}


def keeper_of(folder: Path) -> BotKeeper:
    loaded = load_config(folder, **MODEL)
    return BotKeeper(lambda: load(folder / "config.json", variables={}), backend_data_folder(loaded))
