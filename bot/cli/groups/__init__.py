"""`retinue groups`: list and check the chats that have their own agent, and set which of them may ask which."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bot.cli.options import config_option
from bot.core.exit_status import ExitStatus
from channels.registry import platform_names

if TYPE_CHECKING:
    from bot.cli.groups.registry import GroupRegistry


def bot_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add --config, which says whose groups are meant. It may stand before or after the subcommand."""
    return config_option(click.pass_context(function))


as_json = click.option("--json", "is_json", is_flag=True, help="As JSON, for programs.")


@click.group(invoke_without_command=True)
@bot_options
@as_json
def command(context: click.Context, file: Path | None, is_json: bool) -> None:
    """List the groups, add one, say who may ask whom, check them."""
    context.obj = file
    if context.invoked_subcommand is None:
        context.invoke(list_groups, is_json=is_json)


@command.command("list")
@bot_options
@as_json
def list_groups(context: click.Context, file: Path | None, is_json: bool) -> None:
    """List the groups: where each is, whom it asks, who asks it."""
    from bot.cli.groups import formatting  # here: pydantic is slow to import

    registry = open_registry(context, file)
    print_lines(formatting.groups_as_json(registry) if is_json else formatting.format_group_list(registry))


@command.command()
@bot_options
@click.argument("name")
def show(context: click.Context, file: Path | None, name: str) -> None:
    """Show all of one group: its files, tools, model and limits."""
    from bot.cli.groups import formatting

    print_lines(formatting.format_group_details(open_registry(context, file), name))


@command.command()
@bot_options
def check(context: click.Context, file: Path | None) -> ExitStatus:
    """Say what is wrong, a line each; exit status 1 if anything is."""
    from bot.cli.groups import formatting

    registry = open_registry(context, file)
    print_lines(formatting.format_group_faults(registry))
    return ExitStatus.NOT_DONE if registry.found_groups.faults else ExitStatus.DONE


@command.command()
@bot_options
@click.argument("name")
@click.option("--channel", metavar="C", help=f"The channel it is on: {', '.join(platform_names())} or terminal.")
@click.option("--chat", metavar="ID", help="The chat there, as -1001234.")
@click.option("--thread", metavar="T", help="One thread of that chat alone.")
@click.option("--main", "is_main", is_flag=True, help="Make it main, which may ask every other group.")
@click.option("--description", metavar="TEXT", help="What others may ask it for.")
def add(context: click.Context, file: Path | None, name: str, **wishes: Any) -> None:
    """Make a group of a chat, or register a folder that is there.

    Its folder is NAME in swarm.groups_dir: instructions.md, and workspace/ for its files. Main needs no chat: it lives
    in the owner's private one.
    """
    from bot.cli.groups.registration import GroupOptions, add_group

    print_lines(add_group(open_registry(context, file), GroupOptions(name=name, **wishes)))


@command.command()
@bot_options
@click.argument("name")
@click.argument("other")
def allow(context: click.Context, file: Path | None, name: str, other: str) -> None:
    """Let the group NAME ask the group OTHER."""
    from bot.cli.groups import registration

    print_lines(registration.allow_asking(open_registry(context, file), name, other))


@command.command()
@bot_options
@click.argument("name")
@click.argument("other")
def deny(context: click.Context, file: Path | None, name: str, other: str) -> None:
    """Let the group NAME ask the group OTHER no more."""
    from bot.cli.groups import registration

    print_lines(registration.deny_asking(open_registry(context, file), name, other))


@command.command()
@bot_options
@click.argument("name")
def remove(context: click.Context, file: Path | None, name: str) -> None:
    """Make a group none any more; its folder is kept."""
    from bot.cli.groups.registration import unregister_group

    print_lines(unregister_group(open_registry(context, file), name))


def open_registry(context: click.Context, file: Path | None) -> "GroupRegistry":
    from bot.cli.groups.registry import GroupRegistry
    from bot.config import load

    return GroupRegistry(load(file or context.obj))


def print_lines(lines: list[str]) -> None:
    from bot.core.printable import escape_unprintable

    for line in lines:
        click.echo(escape_unprintable(line))
