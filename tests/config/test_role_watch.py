"""Roles are taken up without a restart, and a mistake in one changes nothing."""

import asyncio
import logging
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.assembly import load_roles_with_warnings
from bot.config import load
from bot.config.roles import texts
from bot.config.watchers import RoleWatcher
from bot.core.texts import logs
from tests.support.patience import PATIENCE
from tests.support.run_command import Service, service

__all__ = ["service"]

AS_BEFORE = texts.ROLES_STAY(fault="")
MENDED = logs.FAULT_MENDED % ("roles", "")
PNG = b"\x89PNG\r\n\x1a\n"
ROLE = "---\ndescription: {}\n---\nYou proofread.\n"


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_role_that_is_written_changed_or_taken_away_is_seen(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    loaded, roles = load(tmp_path / "config.json", variables={}), tmp_path / "roles"
    with RoleWatcher(roles, lambda: load_roles_with_warnings(loaded), seconds=0.01) as watch:
        assert "proofreader" not in watch.last_loaded_roles()
        roles.mkdir()
        (roles / "proofreader.md").write_text(ROLE.format("Reads proofs."))
        until(lambda: "proofreader" in {str(name) for name in watch.last_loaded_roles()})
        (roles / "proofreader.md").write_text(ROLE.format("Reads galley proofs."))
        until(lambda: any(role.description == "Reads galley proofs." for role in watch.last_loaded_roles().values()))
        (roles / "p.png").write_bytes(PNG)
        (roles / "proofreader.md").write_text(ROLE.format("Reads.\npicture: p.png"))
        until(lambda: any(role.picture == PNG for role in watch.last_loaded_roles().values()))
        (roles / "p.png").write_bytes(PNG + b"new")
        until(lambda: any(role.picture == PNG + b"new" for role in watch.last_loaded_roles().values()))
        (roles / "proofreader.md").unlink()
        until(lambda: "proofreader" not in {str(name) for name in watch.last_loaded_roles()})


def test_while_one_has_a_mistake_all_stay_as_they_were(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "config.json").write_text("{}")
    loaded, roles = load(tmp_path / "config.json", variables={}), tmp_path / "roles"
    roles.mkdir()
    (roles / "proofreader.md").write_text(ROLE.format("Reads proofs."))
    caplog.set_level(logging.INFO, "bot.config.watchers")
    with RoleWatcher(roles, lambda: load_roles_with_warnings(loaded), seconds=0.01) as watch:
        before = watch.last_loaded_roles()
        (roles / "other.md").write_text("---\nnonsense: [\n---\nhm")
        until(lambda: any(AS_BEFORE in line for line in caplog.messages))
        assert watch.last_loaded_roles() is before
        (roles / "other.md").unlink()
        until(lambda: any(line.startswith(MENDED) for line in caplog.messages))
    assert sum(AS_BEFORE in line and not line.startswith(MENDED) for line in caplog.messages) == 1


@pytest.mark.timeout(120)
async def test_a_running_bot_tells_the_lead_of_a_role_that_is_new(service: Service) -> None:
    service.claude.script.say("One", "Two")
    ann = service.telegram.person(7, "Ann")
    room = service.telegram.private(ann)
    async with service.run() as process:
        room.say(ann, "hello")
        await service.telegram.until(lambda: room.texts()[-1:] == ["One"])
        assert "Reads proofs." not in str(service.claude.requests[-1].body["system"])
        (service.shell.folder / "roles").mkdir()
        (service.shell.folder / "roles" / "proofreader.md").write_text(ROLE.format("Reads proofs."))
        await asyncio.sleep(4)  # two looks
        room.say(ann, "/new")
        room.say(ann, "hello again")
        await service.telegram.until(lambda: room.texts()[-1:] == ["Two"])
        assert "Reads proofs." in str(service.claude.requests[-1].body["system"])
        await service.stopped(process, signal.SIGTERM)
