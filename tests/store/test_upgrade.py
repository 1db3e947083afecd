"""From a release to the code that is here: what it has answered is there, and what it was killed at is answered.

Each release is tried, and the wheel of this very tree. One more is tried if it is named:
`UPGRADE_FROM=/path/to/retinue-X.Y.Z-py3-none-any.whl scripts/test tests/store/test_upgrade.py`.
"""

import asyncio
import io
import os
import re
import signal
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.stand_ins.claude import Hold, reply
from tests.stand_ins.claude.replies import Text
from tests.support import wheels
from tests.support.run_command import Service, service

__all__ = ["service"]

pytestmark = pytest.mark.timeout(180)
HERE, GIVEN = "this tree", os.environ.get("UPGRADE_FROM", "")


def releases() -> dict[str, str]:
    """The commit of each release, by its version: those that have a tag, and those that only the history names."""
    found = dict(re.findall(r"(?m)^(\S+) Release (\d+\.\d+\.\d+)$", git("log", "--format=%H %s")))
    named = {version: commit for commit, version in found.items()}
    return named | {tag[1:]: tag for tag in git("tag", "--list", "v*").split() if re.fullmatch(r"v\d+\.\d+\.\d+", tag)}


def git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=wheels.REPOSITORY, capture_output=True, text=True).stdout


RELEASES = releases()


def where(service: Service) -> Path:
    """The package that its commands run."""
    ask = [sys.executable, "-c", "import bot; print(bot.__file__)"]
    shell = service.shell
    said = subprocess.run(ask, cwd=shell.folder, env=shell.environment, capture_output=True, text=True)
    return Path(said.stdout.strip())


@pytest.fixture(params=[*RELEASES, HERE, *filter(None, [GIVEN])])
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The packages of an older release, to be put on PYTHONPATH; the libraries are today's."""
    place = tmp_path / "old"
    place.mkdir()
    match request.param:
        case given if given == GIVEN:
            wheel = Path(GIVEN)
        case given if given == HERE:
            wheel = wheels.build(wheels.REPOSITORY, place)
        case version:
            packed = subprocess.run(
                ["git", "archive", RELEASES[version]], cwd=wheels.REPOSITORY, capture_output=True, check=True
            )
            with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
                archive.extractall(place / "tree", filter="data")
            wheel = wheels.build(place / "tree", place)
    return wheels.unpack(wheel, place / "packages")


async def test_an_old_releases_answered_and_interrupted_work_goes_on(service: Service, old: Path) -> None:
    service.claude.script.say("Blue it is", reply(Hold(asyncio.Event()), Text("never said")))
    ann = service.telegram.person(7, "Ann")
    room = service.telegram.private(ann)
    service.shell.settings["PYTHONPATH"] = str(old)
    assert where(service).is_relative_to(old)
    async with service.run() as process:
        room.say(ann, "my colour is blue")
        await service.telegram.until(lambda: room.texts()[-1:] == ["Blue it is"])
        room.say(ann, "which colour is mine?")
        while len(service.claude.requests) < 2:  # noqa: ASYNC110 -- it has nobody to tell
            await asyncio.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        await process.wait()
    del service.shell.settings["PYTHONPATH"]
    assert (await service.shell.retinue("migrate")).status == 0
    service.claude.script.say("Blue, as you said")
    async with service.run() as process:
        await service.telegram.until(lambda: room.texts()[-1:] == ["Blue, as you said"])
        asked = str(service.claude.requests[-1].body["messages"])
        assert "my colour is blue" in asked
        assert "Blue it is" in asked
        status, _ = await service.stopped(process, signal.SIGTERM)
        assert status == 0
    shown = await service.shell.retinue("sessions", "list")
    assert "telegram:" in shown.out
