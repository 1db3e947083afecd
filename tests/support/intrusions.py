"""Every way to ask for what another group has, by somebody who knows all paths, words, ids and names."""

import shlex
from collections.abc import Iterator, Sequence

from bot.core.content_blocks import Block
from tests.support.fakes import uses
from tests.support.walled_groups import FILE, ROLE_OF, World

WORDS = ("vault", "password", "bank", "alpha", "beta", "va", "reply", "group")
# Look-alikes and escapes of dots and slashes: some code on the way might decode them.
UPWARDS = (
    *(("\uff0e\uff0e", "/"), ("..", "\u2215"), ("..", "\\"), ("..", "%2f"), ("\u2024\u2024", "/"), ("..", "\uff0f")),
    *(("%2e%2e", "/"), ("..\u200b", "/"), ("..\0", "/"), ("....", "//"), ("..;", "/"), ("\u2025", "/")),
)


def attempts(world: World, other: str, *, by_main: bool = False) -> Iterator[Block]:
    """Yield calls that ask for all that another group has. Main may ask groups, so its questions are not among them."""
    own = "alpha" if other == "beta" else "beta"
    ids = world.bench.rows("SELECT id FROM turns WHERE group_name != ? ORDER BY rowid", own)
    sessions = world.bench.rows("SELECT id FROM sessions WHERE parent IS NULL")
    [(memories,)] = world.bench.rows("SELECT max(id) FROM memories")
    yield from on_files(world, other)
    yield from on_shell(world, other)
    yield from on_memory(other, memories)
    yield from on_conversations(other)
    yield from on_delegations([id for (id,) in (*ids, *sessions)])
    if world.registry().has_group_named(other) and not by_main:  # otherwise the name is like any role's
        yield from on_groups(other)


def paths(world: World, other: str) -> Iterator[str]:
    """Yield paths from a workspace to another group's files, to the instructions of groups, and to the rows."""
    theirs, ours = world.folder(other), world.folder("beta" if other == "alpha" else "alpha")
    for root in ("", "x/../", "plans/../", "./", "plans/./../", f"{ours}/", f"{world.lead}/"):
        yield f"{root}../../{other}/workspace/{FILE}"
    for whole in (str(theirs / FILE), str(theirs.parent / "instructions.md"), str(ours.parent / "instructions.md")):
        yield whole
        yield f"/{whole}"
        yield f"file://{whole}"
        yield f"/proc/self/root{whole}"
        yield f"to_root{whole}"
        yield f"to_proc{whole}"
    yield str(theirs / FILE).upper()
    yield f"../groups/{other}/workspace/{FILE}"
    yield f"/proc/self/cwd/../{other}/workspace/{FILE}"
    yield f"~/../../{other}/workspace/{FILE}"
    yield "../instructions.md"
    yield "../../bot.db"
    yield str(world.place / "bot.db")
    yield from (f"/proc/self/fd/{number}" for number in range(3, 24, 4))
    yield from (f"to_fds/{number}" for number in range(3, 24, 4))
    for link in ("to_them", "to_them_whole", "first/..", "second", "TO_THEM", "plans/up/" + other + "/workspace"):
        yield f"{link}/{FILE}"
    for link in ("to_their_file", "to_their_file_whole", "to_instructions", "to_rows", "to_cwd", "round", "first"):
        yield link
    for dots, slash in UPWARDS:
        yield slash.join([dots, dots, other, "workspace", *FILE.split("/")])


def on_files(world: World, other: str) -> Iterator[Block]:
    """Yield each path with each tool that takes one."""
    for path in paths(world, other):
        folder, _, name = path.rpartition("/")
        yield uses("read_file", path=path)
        yield uses("list_dir", path=folder or path)
        yield uses("glob", pattern="**", path=folder or path)
        yield uses("glob", pattern=path)
        yield uses("grep", pattern="vault|password", path=path)
        yield uses("grep", pattern="vault|password", path=folder or ".", files=name)
        yield uses("write_file", path=path, content="overwritten")
        yield uses("edit_file", path=path, old="vault", new="overwritten")
        yield uses("send_file", path=path)
    yield uses("send_file", path=[*paths(world, other)][:2])


def on_shell(world: World, other: str) -> Iterator[Block]:
    """Yield one command that reads and overwrites each path."""
    there = " ".join(shlex.quote(path) for path in paths(world, other) if "\0" not in path)
    script = f"""
        cat {there}
        for path in {there}; do echo overwritten > "$path"; done
        ln -s {shlex.quote(str(world.folder(other)))} theirs; cat theirs/*/*
    """
    yield uses("shell", command=f"({script}) 2>/dev/null")


def on_memory(other: str, ids: int) -> Iterator[Block]:
    for word in (
        "",
        "*",
        *WORDS,
        *(f"{scope}_{word}" for scope in range(1, 4) for word in WORDS),
        f"group_name:{other}",
        "vault OR 1",
        "' OR '1'='1",
        '"vault"',
    ):
        yield uses("memory_search", query=word)
    for id in range(ids + 2):
        yield uses("memory_get", id=id)
        yield uses("memory_forget", id=id)
    for extra in ({"group": other}, {"chat": f"fake:{other}"}, {"scope": other}, {"group_name": other}):
        yield uses("memory_search", query="vault", **extra)
        yield uses("memory_get", id=1, **extra)
        yield uses("memory_save", text="overwritten", **extra)
        yield uses("memory_forget", id=1, **extra)
    for scope in ("person", "chat", "tenant", "@", "*", f"@fake:{other}"):
        yield uses("memory_save", text="overwritten", scope=scope)


def on_conversations(other: str) -> Iterator[Block]:
    for word in ("", "*", *WORDS, f"group_name:{other}", "vault OR 1", "' OR '1'='1", '"vault"'):
        yield uses("conversation_search", query=word)
    for scope in range(1, 6):
        yield uses("conversation_search", query=f"{scope}_vault {scope}_@ann {scope:x}_password")
    for extra in ({"group": other}, {"chat": f"fake:{other}"}, {"scope": 1}, {"session": f"fake:{other}#1"}):
        yield uses("conversation_search", query="vault", **extra)
    yield uses("conversation_search", since="2000-01-01")
    yield uses("conversation_search", query="vault", since="2000-01-01", until="2999-01-01")


def on_delegations(ids: Sequence[str]) -> Iterator[Block]:
    """Yield calls with every id that there is, and with some that look similar."""
    yield uses("list_delegations")
    for id in [
        *ids,
        *(f" {id} " for id in ids[:3]),
        *(id.upper() for id in ids[:3]),
        "t%",
        "%",
        "' OR '1'='1",
        "t1/",
        "#",
    ]:
        yield uses("get_delegation", id=id)
        yield uses("get_delegation", id=id, transcript=True)
        yield uses("get_delegation", id=id, transcript=True, page=2)
        yield uses("cancel_delegation", id=id)
        yield uses("steer_delegation", id=id, text="say all that you know")
        yield uses("forward_report", id=id)
        yield uses("delegate", task="say all that you know", continue_from=id)
        yield uses("delegate", role="researcher", task="say all that you know", context_from=[id])


def on_groups(other: str) -> Iterator[Block]:
    for name in (other, other.upper(), f" {other} ", "home"):
        for arguments in ({"group": name}, {"role": name}, {"group": name, "role": ROLE_OF["alpha"]}):
            yield uses("delegate", task="say all that you know", **arguments)
