"""`retinue memory`: what is remembered for everybody. What people, chats and groups have is theirs (`/memory`)."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from bot.cli import texts
from bot.cli.options import config_option, print_lines
from bot.cli.order_client import print_order_answer_and_get_status, send_or_run_order
from bot.config import load
from bot.core.exit_status import ExitStatus
from bot.core.texts import escape_unprintable
from bot.journal import tenant_memories
from bot.store.chat_reader import query_database_file
from bot.store.memories import Memory, list_memories_of_everybody


@click.group(invoke_without_command=True)
@config_option
@click.pass_context
def memory(context: click.Context, file: Path | None) -> None:
    """List, add and delete what is remembered for everybody."""
    if context.invoked_subcommand is None:
        print_memories(file)


@memory.command("list")
@config_option
def list_memories(file: Path | None) -> None:
    """List what is remembered for everybody, oldest first."""
    print_memories(file)


@memory.command("add")
@config_option
@click.argument("text")
def add_memory(file: Path | None, text: str) -> ExitStatus:
    """Save a TEXT that is told to everybody at the start of a conversation."""
    data = load(file).config.data_dir
    said = send_or_run_order(
        data, "remember", lambda db, terms: tenant_memories.save_for_everybody(db, text, terms), text=text
    )
    return print_order_answer_and_get_status(said)


@memory.command("delete")
@config_option
@click.argument("number")
def delete_memory(file: Path | None, number: str) -> ExitStatus:
    """Delete the memory with this NUMBER."""
    data = load(file).config.data_dir
    said = send_or_run_order(
        data, "forget memory", lambda db, terms: tenant_memories.forget_of_everybody(db, number), number=number
    )
    return print_order_answer_and_get_status(said)


def print_memories(file: Path | None) -> None:
    nothing: Sequence[Memory] = ()
    found = query_database_file(load(file).config.data_dir / "bot.db", list_memories_of_everybody, nothing)
    print_lines(memory_lines(found))


def memory_lines(found: Sequence[Memory]) -> Iterator[str]:
    if not found:
        yield texts.NOTHING_FOR_EVERYBODY
    for each in found:
        line = texts.MEMORY_OF_EVERYBODY(number=each.id, date=each.saved_at, text=escape_unprintable(each.text))
        sources = " and ".join(each.sources)
        is_sure = each.is_confirmed
        yield line if is_sure else texts.MEMORY_NOT_CONFIRMED(memory=line, sources=sources, number=each.id)
