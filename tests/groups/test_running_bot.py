"""Groups in a running bot: what an operator changes is taken up, and one in fault stops nothing."""

import asyncio
import re
import signal
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from bot.cli.groups import texts as command_texts
from bot.config.groups import texts
from bot.config.roles import texts as role_texts
from tests.stand_ins.claude import Asked, Reply, ToolUse, reply
from tests.stand_ins.telegram import Person, Room, TelegramStandIn
from tests.support.patience import PATIENCE
from tests.support.run_command import OWNER, Service, service

__all__ = ["service"]

pytestmark = pytest.mark.timeout(150)  # each run imports three large libraries, and so does each command
TEXT = command_texts.FIRST_INSTRUCTIONS(group="NAME").partition("NAME")[0]  # how the instructions begin
ANSWER = re.compile("I am |heard: |refused")


def plays(asked: Asked) -> Reply:
    """Each says who it is, and asks the group that it is told to; it repeats what it hears, or the refusal."""
    results = [block for block in asked.said[-1]["content"] if block["type"] == "tool_result"]
    if results:
        return reply("refused" if results[0].get("is_error") else f"heard: {results[0]['content'].splitlines()[2]}")
    if told := re.search(r"\bask (\w+)$", asked.last_text):
        return reply(ToolUse("delegate", {"group": told[1], "task": "who are you?"}))
    name = asked.system.partition(TEXT)[2].partition(".")[0]
    return reply(f"I am {name or 'the lead'}")


@dataclass
class Chat:
    telegram: TelegramStandIn
    room: Room
    person: Person
    mention: str = ""

    async def comes_to(self, question: str, answer: str) -> None:
        """Ask again and again until that is the answer: a running bot takes up within seconds what has changed."""
        heard: list[str] = []
        try:
            async with asyncio.timeout(PATIENCE):
                while heard[-1:] != [answer]:
                    heard.append(await self.hears(question))
        except TimeoutError:
            pytest.fail(f"{question!r}: {answer!r} is never said, only {sorted(set(heard))}")

    async def hears(self, question: str) -> str:
        """The answer; who is at work, which may be shown before it, is none."""
        asked = self.room.say(self.person, f"{self.mention}{question}")

        def answers() -> list[str]:
            return [each.text for each in self.room.answers() if each.id > asked.id and ANSWER.match(each.text)]

        async with asyncio.timeout(PATIENCE):
            await self.telegram.until(lambda: bool(answers()))
        return answers()[0]


@dataclass
class Household:
    """The owner's private chat, and two group chats that he is in."""

    service: Service
    home: Chat
    notes: Chat
    repo: Chat

    @classmethod
    def of(cls, service: Service) -> "Household":
        service.claude.script.rule(plays)
        telegram = service.telegram
        ann = telegram.person(OWNER, "Ann")
        rooms = [telegram.supergroup(title, ann) for title in ("Notes", "Repo")]
        notes, repo = (Chat(telegram, room, ann, "@retinue_bot ") for room in rooms)
        return cls(service, Chat(telegram, telegram.private(ann), ann), notes, repo)

    async def groups(self, *words: str) -> None:
        """An operator's command, beside the bot."""
        said = await self.service.shell.retinue("groups", *words)
        assert (said.status, said.err) == (0, "")

    async def add(self, name: str, chat: Chat) -> None:
        await self.groups("add", name, "--channel", "telegram", "--chat", str(chat.room.id))

    def write(self, name: str, front: str) -> None:
        file = self.service.shell.folder / "groups" / name / "instructions.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"---\n{front}\n---\n{TEXT}{name}.\n")


@pytest.mark.fast
async def test_a_group_made_while_the_bot_runs_answers_with_its_instructions(service: Service) -> None:
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
        assert line.endswith(f"groups: {bad}: {texts.UNKNOWN_KEY(key='foo', nearest='tools')}\n")
        room.say(ann, "and now?")
        await service.telegram.until(lambda: room.texts()[-1:] == ["from the group"])
        assert await service.stopped(process, signal.SIGTERM) == (0, "")
    first, second = (str(request) for request in service.claude.requests[-2:])
    assert ("walnut" in first, "walnut" in second) == (False, True)


async def test_each_commands_change_counts_in_the_running_bot(service: Service) -> None:
    there = Household.of(service)
    async with service.run() as process:
        assert await there.notes.hears("who?") == "I am the lead"
        await there.add("notes", there.notes)
        await there.add("repo", there.repo)
        await there.notes.comes_to("who?", "I am notes")
        assert await there.notes.hears("ask repo") == "refused"
        await there.groups("allow", "notes", "repo")
        await there.notes.comes_to("ask repo", "heard: (Repo): I am repo")
        await there.groups("deny", "notes", "repo")
        await there.notes.comes_to("ask repo", "refused")
        await there.groups("add", "home", "--main")
        await there.home.comes_to("ask repo", "heard: (Repo): I am repo")
        await there.groups("remove", "repo")
        await there.repo.comes_to("who?", "I am the lead")
        assert await there.home.hears("ask repo") == "refused"
        await there.groups("remove", "home")
        await there.home.comes_to("who?", "I am the lead")
        assert await service.stopped(process, signal.SIGTERM) == (0, "")


FAULTS: dict[str, tuple[dict[str, str], Sequence[str]]] = {  # the files, and what is said of each
    "front matter": ({"bad": "address: telegram:5\n\tx: y"}, [role_texts.NOT_YAML(problem="")]),
    "one address": (
        {"bad": "address: telegram:5", "worse": "address: telegram:5"},
        [
            "bad/instructions.md: " + texts.ADDRESS_TAKEN(other="worse", address="telegram:5"),
            "worse/instructions.md: " + texts.ADDRESS_TAKEN(other="bad", address="telegram:5"),
        ],
    ),
    "two mains": (
        {"bad": "main: true", "worse": "main: true"},
        ["bad/instructions.md: main", "worse/instructions.md: main"],
    ),
    "main is named": (
        {"home": "main: true", "bad": "address: telegram:5\nallow_delegation: [home]"},
        [texts.MAY_NOT_ASK_MAIN(group="home")],
    ),
    "an unknown name": (
        {"bad": "address: telegram:5\nallow_delegation: [nobody]"},
        [texts.NO_SUCH_GROUP(group="nobody", nearest="")],
    ),
    "a role's name": ({"writer": "address: telegram:5"}, [texts.NAME_IS_A_ROLES(role="writer")]),
    "only in case": (
        {"bad": "address: telegram:5", "BAD": "address: telegram:6"},
        [
            "bad/instructions.md: " + texts.NAMES_ALIKE(other="BAD"),
            "BAD/instructions.md: " + texts.NAMES_ALIKE(other="bad"),
        ],
    ),
}


async def test_faults_in_some_groups_do_not_disturb_the_others(service: Service) -> None:
    """Each has one line in the log; a group that was there answers, asks and is asked as before."""
    there = Household.of(service)
    await there.add("notes", there.notes)
    await there.add("repo", there.repo)
    await there.groups("allow", "notes", "repo")
    async with service.run() as process:
        for files, lines in FAULTS.values():
            for name, front in files.items():
                there.write(name, front)
            async with asyncio.timeout(PATIENCE):
                assert process.stderr
                said = [(await process.stderr.readline()).decode() for _ in lines]
            assert all(any(line in each for each in said) for line in lines), said
            assert await there.notes.hears("ask repo") == "heard: (Repo): I am repo"
            assert await there.repo.hears("who?") == "I am repo"
            for name in files:
                (service.shell.folder / "groups" / name / "instructions.md").unlink()
        assert await service.stopped(process, signal.SIGTERM) == (0, "")
