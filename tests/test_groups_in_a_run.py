"""Groups in a running bot: what an operator changes is taken up, and one in fault stops nothing."""

import asyncio
import signal

import pytest

from tests.patience import PATIENCE
from tests.services import Service, service

__all__ = ["service"]

pytestmark = pytest.mark.timeout(90)  # each run imports three large libraries


async def test_a_group_that_is_made_while_the_bot_runs_answers_with_its_own_instructions(service: Service) -> None:
    ann = service.telegram.person(7, "Ann")
    room = service.telegram.private(ann)
    service.claude.script.say("from the lead", "from the group")
    async with service.run() as process:
        room.say(ann, "hello")
        await service.telegram.until(lambda: room.texts()[-1:] == ["from the lead"])
        said = await service.shell.retinue("groups", "add", "home", "--main")
        assert (said.status, said.err) == (0, "")
        file = service.shell.folder / "groups" / "home" / "instructions.md"
        file.write_text(file.read_text() + "\nYour word is walnut.\n")
        bad = service.shell.folder / "groups" / "bad" / "instructions.md"
        bad.parent.mkdir()
        bad.write_text("---\naddress: telegram:8\nfoo: x\n---\nYou.")
        async with asyncio.timeout(PATIENCE):
            assert process.stderr
            line = (await process.stderr.readline()).decode()
        assert line.endswith(f"groups: {bad}: foo is not a key of a group; the nearest is tools\n")
        room.say(ann, "and now?")
        await service.telegram.until(lambda: room.texts()[-1:] == ["from the group"])
        assert await service.stopped(process, signal.SIGTERM) == (0, "")
    first, second = (str(request) for request in service.claude.requests[-2:])
    assert ("walnut" in first, "walnut" in second) == (False, True)
