"""Two groups with secrets in their files, memories and conversations, and every way to ask for them."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bot.assembly import make_workspace_and_web_tools, no_tools
from bot.config.roles import EXISTING_TOOLS
from bot.core.content_blocks import Block, text_block
from bot.core.group import Group
from bot.core.messages import OutboundKind
from bot.core.model import ModelReply, ModelRequest, ShowTextCallback
from bot.core.sandbox import sandbox_fault
from bot.core.settings import ShellSettings
from bot.engine.long_messages import MAX_MESSAGE_CHARACTERS_IN_PROMPT
from bot.tools.shell import shell_tools
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import Pause, played, reply, role, uses
from tests.support.group_bots import Registry, asks, at, group

PEOPLE = ("Ann", "Bob")
ROLE_OF = {"alpha": "analyst", "beta": "researcher", "lead": "writer"}  # each role works for one of them only
FILE = "plans/vault.txt"
SHELL = no_tools if sandbox_fault() else shell_tools(ShellSettings(enabled=True), [])


def secret(group: str, where: str) -> str:
    return f"SECRET{group.upper()}{where}"


def secrets_of(group: str) -> str:
    """Return the beginning of all secrets of a group, in lower case."""
    return f"secret{group}"


@dataclass
class World:
    """`groups/alpha` and `groups/beta`, the lead's workspace beside them, and home, the main group."""

    bench: Bench
    place: Path
    registry: Registry = field(default_factory=Registry)
    pauses: dict[str, Pause] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.lead = self.place / "workspace"
        self.lead.mkdir()
        for name in ("alpha", "beta"):
            self.furnish(name)
        self.homes = group("home", is_main=True, tools=sorted(EXISTING_TOOLS), workspace=self.folder("home"))
        self.registry.groups = Registry(self.homes, self.group("alpha"), self.group("beta")).groups
        for name in ROLE_OF.values():
            self.bench.roles[name] = role(name, *EXISTING_TOOLS, delegates_to=None)
        self.bench.roles["lead"] = role("lead", *EXISTING_TOOLS, delegates_to=None)

    def group(self, name: str, *chats: str, called: str = "", may_ask: Sequence[str] = ()) -> Group:
        """Return a group with its folder. `chats` are where it lives, by default the chat of its name."""
        addresses = [at(chat) for chat in chats or (name,)]
        return group(
            called or name, *may_ask, tools=sorted(EXISTING_TOOLS), workspace=self.folder(name), addresses=addresses
        )

    def folder(self, name: str) -> Path:
        return self.place / "groups" / name / "workspace"

    def furnish(self, name: str) -> None:
        workspace = self.folder(name)
        (workspace / "plans").mkdir(parents=True)
        (workspace.parent / "instructions.md").write_text(f"vault: {secret(name, 'instructions')}")
        (workspace / FILE).write_text(f"the vault password is {secret(name, 'file')}\n")
        (workspace / ".env").write_text(f"password={secret(name, 'hidden')}\n")
        (workspace / "plans" / f"{secret(name, 'name')}.md").write_text("vault\n")
        for link, target in links_of(self.place, "beta" if name == "alpha" else "alpha"):
            (workspace / link).symlink_to(target)

    @property
    def options(self) -> dict[str, object]:
        return {
            "groups": self.registry,
            "tools": make_workspace_and_web_tools(self.lead, self.registry, web=(), shell=SHELL),
            **engine_options(
                approvals__enabled=False,  # the walls hold although nobody is asked
                swarm__max_depth=2,
                swarm__max_group_delegations=20,
                swarm__max_concurrent=20,
                writable_workspace=self.lead,
            ),
        }

    def files(self, name: str) -> dict[str, tuple[int, bytes]]:
        """Return everything in a group's folder: mode and content, by path."""
        return {str(path): seen(path) for path in sorted((self.place / "groups" / name).rglob("*"))}

    # What each group has to hide

    async def plant(self, name: str, by: str) -> None:
        """Put secrets of a group into its memory, its conversation, the delegations below it, and a question to it."""
        model, works = self.bench.model, ROLE_OF[name]
        brief = uses("delegate", role=works, task=f"vault {secret(name, 'task')}")
        model.says(
            name, reply(uses("memory_save", text=f"the vault password of the bank: {secret(name, 'memory')}"), brief)
        )
        model.says(works, f"found {secret(name, 'report')}")
        model.says(name, f"said {secret(name, 'reply')}", f"noted {secret(name, 'noted')}")
        self.pauses[name] = Pause("never")
        beside = uses("delegate", role=works, task=f"vault {secret(name, 'background')}", background=True)
        model.says(name, reply(beside), "begun")
        model.says(works, self.pauses[name])
        for text in (
            f"the vault: {secret(name, 'said')}",
            "vault " * (MAX_MESSAGE_CHARACTERS_IN_PROMPT // 6) + secret(name, "long"),
            "and go on with it in the background",
        ):
            await self.says(text, by, name)
        await self.pauses[name].reached.wait()
        model.says("home", asks(name), "it greets you")
        read = uses("read_file", path=FILE)
        inner = uses("delegate", role=works, task=f"vault {secret(name, 'inner')}")
        model.says(name, reply(read, inner), "hello")
        model.says(works, f"found {secret(name, 'innermost')}")
        await self.says("greet me", by, "home")

    async def says(self, text: str, by: str, chat: str) -> str:
        self.bench.chat.hears(text, by=by, chat=chat)
        return await self.bench.chat.said(OutboundKind.REPLY)

    # Attacks

    async def attacks(self, place: str, by: str, calls: Sequence[Block], chat: str = "") -> None:
        """Let the agent in a place make all these calls, and say all that it has heard in its chat."""
        (made,) = self.bench.rows("SELECT count(*) FROM calls")[0]
        write(self.bench, place, calls)
        said = await self.says("look for it", by, chat or chat_of(place))
        assert "wrong" not in said[:80]
        assert self.bench.rows("SELECT count(*) FROM calls")[0][0] >= made + len(calls)

    # What the attacks may show

    def rows(self, name: str) -> list[tuple[object, ...]]:
        """Return what the rows have of a group: its memories, its turns, and the keys of its entries."""
        of_group = "SELECT id FROM turns WHERE group_name = ?"
        return [
            *self.bench.rows("SELECT id, text FROM memories WHERE group_name = ?", name),
            *self.bench.rows(f"SELECT id, text FROM said WHERE turn IN ({of_group})", name),
            *self.bench.rows("SELECT id, state FROM turns WHERE group_name = ?", name),
            *self.bench.rows(f"SELECT session, chapter, seq FROM entries WHERE turn IN ({of_group})", name),
        ]

    def last_said(self) -> int:
        """Return the number of the last message to any chat."""
        [(last,)] = self.bench.rows("SELECT max(rowid) FROM outbox")
        return int(last)

    def hides(self, name: str, after: int = 0) -> None:
        """Check that a group's secrets have come to no other agent and into no other chat. If `after` is given, check
        instead that no message with a greater number has one, not even in the group's own chat."""
        for request in self.heard_by_others(name):
            assert secrets_of(name) not in str(request).casefold()
        said = self.bench.rows("SELECT rowid, address, text FROM outbox")
        told = [(number, at) for number, at, text in said if secrets_of(name) in text.casefold()]
        assert [at for number, at in told if (number > after if after else at != f"fake:{name}")] == []

    def heard_by(self, name: str) -> list[ModelRequest]:
        """Return the requests of a group's agent and its role. No other request may have their secrets."""
        return [each for each in self.bench.model.seen if played(each) in (name, ROLE_OF[name])]

    def heard_by_others(self, name: str) -> list[ModelRequest]:
        own = self.heard_by(name)
        return [each for each in self.bench.model.seen if each not in own]


def seen(path: Path) -> tuple[int, bytes]:
    mode = path.lstat().st_mode
    if path.is_symlink():
        return mode, os.fsencode(os.readlink(path))
    return mode, path.read_bytes() if path.is_file() else b""


def links_of(place: Path, other: str) -> Iterator[tuple[str, str]]:
    """Yield links that an operator, or a shell in the workspace, may have made."""
    theirs = place / "groups" / other / "workspace"
    yield "to_them", f"../../{other}/workspace"
    yield "to_them_whole", str(theirs)
    yield "to_their_file", f"../../{other}/workspace/{FILE}"
    yield "to_their_file_whole", str(theirs / FILE)
    yield "plans/up", "../../.."
    yield "to_instructions", "../instructions.md"
    yield "to_root", "/"
    yield "to_proc", "/proc/self/root"
    yield "to_cwd", "/proc/self/cwd"
    yield "to_fds", "/proc/self/fd"
    yield "to_rows", str(place / "bot.db")
    yield "round", "around"
    yield "around", "round"
    yield "first", "second/x"
    yield "second", "to_them"
    yield "to_lead", str(place / "workspace")


async def echo(request: ModelRequest, show: ShowTextCallback) -> ModelReply:
    """Say all that was heard: the worst that a model can do."""
    return reply(text_block(str([entry.content for entry in request.transcript])))


def chat_of(place: str) -> str:
    return "home" if "ho" in place else "room" if "lead" in place else "alpha"


def write(bench: Bench, place: str, calls: Sequence[Block]) -> None:
    """Write the scripts that make these calls in that place."""
    top, model = place.rpartition(" ")[2], bench.model
    if "hop" in place:
        model.says("home", asks(top), echo)
    if "role" in place:
        model.says(top, reply(uses("delegate", role=ROLE_OF[top], task="look")), echo)
    model.says(ROLE_OF[top] if "role" in place else top, reply(*calls), echo)
