"""`retinue people`: list everybody whom the rows know, and delete what they hold of one person."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from bot.cli import texts
from bot.cli.options import config_option, print_lines
from bot.cli.order_client import print_order_answer_and_get_status, send_or_run_order
from bot.config import load
from bot.core.content_blocks import sanitize_name
from bot.core.exit_status import ExitStatus
from bot.journal import forgetting
from bot.store.chat_reader import query_database_file
from bot.store.personal_data import KnownAccount, list_known_accounts


@click.group(invoke_without_command=True)
@config_option
@click.pass_context
def people(context: click.Context, file: Path | None) -> None:
    """List the people who have written; delete what is kept of one."""
    if context.invoked_subcommand is None:
        print_lines(list_people_lines(load(file).config.data_dir))


@people.command("delete", context_settings={"ignore_unknown_options": True})
@config_option
@click.argument("id")
@click.option("--channel", help="The person's channel, if several have an account with that id.")
@click.option("--yes", "is_sure", is_flag=True, help="Do not ask.")
def delete_person(file: Path | None, id: str, channel: str | None, is_sure: bool) -> ExitStatus:
    """Delete all that is kept of a person: messages, conversations, memories, settings, links, and that they were let
    in."""
    data = load(file).config.data_dir
    known = load_known_accounts(data)
    found = [each for each in known if each.id == id and channel in (None, each.channel)]
    if not found:
        click.echo(texts.NO_SUCH_PERSON(id=id), err=True)
        return ExitStatus.NOT_DONE
    if len(found) > 1:
        click.echo(texts.PERSON_ON_SEVERAL(id=id, channels=", ".join(each.channel for each in found)), err=True)
        return ExitStatus.NOT_DONE
    [account] = found
    accounts = [each for each in known if each.person == account.person]
    print_lines(map(account_line, accounts))
    if not is_sure and not click.confirm(texts.DELETE_PERSON):
        return ExitStatus.NOT_DONE
    said = send_or_run_order(
        data,
        "forget person",
        lambda db, terms: forgetting.delete_person(db, account.channel, account.id, terms),
        channel=account.channel,
        person=account.id,
    )
    return print_order_answer_and_get_status(said)


def load_known_accounts(data: Path) -> Sequence[KnownAccount]:
    nobody: list[KnownAccount] = []
    return query_database_file(data / "bot.db", list_known_accounts, nobody)


def list_people_lines(data: Path) -> Iterator[str]:
    known = load_known_accounts(data)
    if not known:
        yield texts.NOBODY_KNOWN
    before = ""
    for each in known:
        yield (texts.SAME_PERSON(account=account_line(each)) if each.person == before else account_line(each))
        before = each.person


def account_line(known: KnownAccount) -> str:
    return texts.KNOWN_ACCOUNT(
        channel=known.channel,
        id=known.id,
        name=sanitize_name(known.name),
        messages=known.messages,
        conversations=known.conversations,
        memories=known.memories,
    )
