"""`retinue groups`: which chats have an agent of their own, who may ask whom, and what is wrong with one."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bot.cli.options import config_file

if TYPE_CHECKING:
    from bot.cli.groups.registry import Registry

SOMETHING_IS_WRONG = 1


def placed(function: Callable[..., Any]) -> Callable[..., Any]:
    """Which bot's groups; before the command's name or after it."""
    return config_file(click.pass_context(function))


as_json = click.option("--json", "is_json", is_flag=True, help="As JSON, for programs.")


@click.group(invoke_without_command=True)
@placed
@as_json
def command(context: click.Context, file: Path | None, is_json: bool) -> None:
    """List the groups, add one, say who may ask whom, check them."""
    context.obj = file
    if context.invoked_subcommand is None:
        context.invoke(list_, is_json=is_json)


@command.command("list")
@placed
@as_json
def list_(context: click.Context, file: Path | None, is_json: bool) -> None:
    """List the groups: where each is, whom it asks, who asks it."""
    from bot.cli.groups import telling  # here, since pydantic takes its time

    registry = opened(context, file)
    say(telling.as_json(registry) if is_json else telling.listed(registry))


@command.command()
@placed
@click.argument("name")
def show(context: click.Context, file: Path | None, name: str) -> None:
    """Show all of one group: its files, tools, model and limits."""
    from bot.cli.groups import telling

    say(telling.shown(opened(context, file), name))


@command.command()
@placed
def check(context: click.Context, file: Path | None) -> int:
    """Say what is wrong, a line each; exit status 1 if anything is."""
    from bot.cli.groups import telling

    registry = opened(context, file)
    say(telling.checked(registry))
    return SOMETHING_IS_WRONG if registry.found.faults else 0


@command.command()
@placed
@click.argument("name")
@click.option("--channel", metavar="C", help="The channel it is on: telegram, discord or terminal.")
@click.option("--chat", metavar="ID", help="The chat there, as -1001234.")
@click.option("--thread", metavar="T", help="One thread of that chat alone.")
@click.option("--main", "is_main", is_flag=True, help="Make it main, which may ask every other group.")
@click.option("--description", metavar="TEXT", help="What others may ask it for.")
def add(context: click.Context, file: Path | None, name: str, **wishes: Any) -> None:
    """Make a group of a chat, or register a folder that is there.

    Its folder is NAME in swarm.groups_dir: instructions.md, and workspace/ for its files. Main needs no chat: it lives
    in the owner's private one.
    """
    from bot.cli.groups.adding import Wishes, add

    say(add(opened(context, file), Wishes(name=name, **wishes)))


@command.command()
@placed
@click.argument("name")
@click.argument("other")
def allow(context: click.Context, file: Path | None, name: str, other: str) -> None:
    """Let the group NAME ask the group OTHER."""
    from bot.cli.groups import leave

    say(leave.allow(opened(context, file), name, other))


@command.command()
@placed
@click.argument("name")
@click.argument("other")
def deny(context: click.Context, file: Path | None, name: str, other: str) -> None:
    """Let the group NAME ask the group OTHER no more."""
    from bot.cli.groups import leave

    say(leave.deny(opened(context, file), name, other))


@command.command()
@placed
@click.argument("name")
def remove(context: click.Context, file: Path | None, name: str) -> None:
    """Make a group none any more; its folder is kept."""
    from bot.cli.groups.adding import remove

    say(remove(opened(context, file), name))


def opened(context: click.Context, file: Path | None) -> "Registry":
    from bot.cli.groups.registry import Registry
    from bot.config import load

    return Registry(load(file or context.obj))


def say(lines: list[str]) -> None:
    from bot.cli import one_line

    for line in lines:
        click.echo(one_line(line))
