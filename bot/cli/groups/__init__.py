"""`retinue groups`: list and check the chats that have their own agent, and set which group may ask which."""

from pathlib import Path
from typing import Any

import click

from bot.cli.groups import formatting, registration
from bot.cli.groups.registration import GroupRegistry
from bot.cli.options import config_option, print_lines
from bot.config import load
from bot.core.exit_status import ExitStatus
from channels.registry import platform_names

json_option = click.option("--json", "is_json", is_flag=True, help="As JSON, for programs.")


@click.group(invoke_without_command=True)
@config_option
@json_option
@click.pass_context
def groups(context: click.Context, file: Path | None, is_json: bool) -> None:
    """List the groups, add one, decide which may ask which, check them."""
    if context.invoked_subcommand is None:
        context.forward(list_groups)


@groups.command("list")
@config_option
@json_option
def list_groups(file: Path | None, is_json: bool) -> None:
    """List the groups: where each is, which groups it asks, which ask it."""
    registry = GroupRegistry(load(file))
    print_lines(formatting.groups_as_json(registry) if is_json else formatting.format_group_list(registry))


@groups.command("show")
@config_option
@click.argument("name")
def show_group(file: Path | None, name: str) -> None:
    """Show all of one group: its files, tools, model and limits."""
    print_lines(formatting.format_group_details(GroupRegistry(load(file)), name))


@groups.command("check")
@config_option
def check_groups(file: Path | None) -> ExitStatus:
    """Say what is wrong, a line each; exit status 1 if anything is."""
    registry = GroupRegistry(load(file))
    print_lines(formatting.format_group_faults(registry))
    return ExitStatus.NOT_DONE if registry.found_groups.faults else ExitStatus.DONE


@groups.command("add")
@config_option
@click.argument("name")
@click.option("--channel", metavar="C", help=f"The channel it is on: {', '.join(platform_names())} or terminal.")
@click.option("--chat", metavar="ID", help="The chat there, as -1001234.")
@click.option("--thread", metavar="T", help="One thread of that chat alone.")
@click.option("--main", "is_main", is_flag=True, help="Make it main, which may ask every other group.")
@click.option("--description", metavar="TEXT", help="What others may ask it for.")
def add_group(file: Path | None, **wishes: Any) -> None:
    """Make a group of a chat, or register a folder that is there.

    Its folder is NAME in swarm.groups_dir: instructions.md, and workspace/ for its files. Main needs no chat: it lives
    in the owner's private one.
    """
    print_lines(registration.add_group(GroupRegistry(load(file)), registration.GroupOptions(**wishes)))


@groups.command("allow")
@config_option
@click.argument("name")
@click.argument("other")
def allow_group_to_ask(file: Path | None, name: str, other: str) -> None:
    """Let the group NAME ask the group OTHER."""
    print_lines(registration.allow_group_to_ask(GroupRegistry(load(file)), name, other))


@groups.command("deny")
@config_option
@click.argument("name")
@click.argument("other")
def deny_group_to_ask(file: Path | None, name: str, other: str) -> None:
    """Let the group NAME ask the group OTHER no more."""
    print_lines(registration.deny_group_to_ask(GroupRegistry(load(file)), name, other))


@groups.command("remove")
@config_option
@click.argument("name")
def unregister_group(file: Path | None, name: str) -> None:
    """Unregister a group. Its folder stays."""
    print_lines(registration.unregister_group(GroupRegistry(load(file)), name))
