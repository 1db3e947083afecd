"""`retinue people`: list everybody that the rows know, and delete what they hold of one person."""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import click

from bot.cli import texts
from bot.cli.options import config_option, print_lines
from bot.cli.order_client import print_order_answer_and_get_status, send_or_run_order
from bot.config import Config, load
from bot.config.channel_access import accesses_of_channels
from bot.core.content_blocks import sanitize_name
from bot.core.exit_status import ExitStatus
from bot.journal import forgetting, linking
from bot.store.chat_reader import query_database_file
from bot.store.people import LinkedAccount, account_key, list_linked_accounts
from bot.store.personal_data import KnownAccount, list_known_accounts


@click.group(invoke_without_command=True)
@config_option
@click.pass_context
def people(context: click.Context, file: Path | None) -> None:
    """List the people who have written; delete what is kept of one."""
    if context.invoked_subcommand is None:
        print_lines(list_people_lines(load(file).config))


@people.command("delete", context_settings={"ignore_unknown_options": True})
@config_option
@click.argument("id")
@click.option("--channel", help="The person's channel, if several have an account with that id.")
@click.option("--yes", "is_sure", is_flag=True, help="Do not ask.")
def delete_person(file: Path | None, id: str, channel: str | None, is_sure: bool) -> ExitStatus:
    """Delete all that is kept of a person: messages, conversations, memories, settings, links, and that they were let
    in."""
    config = load(file).config
    known = load_known_accounts(config)
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
        config.data_dir,
        "forget person",
        lambda db, terms: forgetting.delete_person(db, account.channel, account.id, terms),
        accesses_of_channels(config),
        channel=account.channel,
        person=account.id,
    )
    return print_order_answer_and_get_status(said)


@people.command("unlink", context_settings={"ignore_unknown_options": True})
@config_option
@click.argument("id")
@click.option("--channel", help="The account's channel, if several have a linked account with that id.")
def unlink_account(file: Path | None, id: str, channel: str | None) -> ExitStatus:
    """Let a linked account be a person of its own again. What was noted or spent there stays there."""
    config = load(file).config
    nobody: list[LinkedAccount] = []
    known = query_database_file(config.data_dir / "bot.db", list_linked_accounts, nobody)
    found = [each for each in known if each.account == id and channel in (None, each.channel)]
    if len(found) != 1:
        channels = ", ".join(each.channel for each in found)
        click.echo(texts.PERSON_ON_SEVERAL(id=id, channels=channels) if found else texts.NO_SUCH_LINK(id=id), err=True)
        return ExitStatus.NOT_DONE
    [linked] = found
    said = send_or_run_order(
        config.data_dir,
        "unlink",
        lambda db, terms: linking.cut_links(db, linked.channel, linked.account, terms),
        accesses_of_channels(config),
        channel=linked.channel,
        account=linked.account,
    )
    return print_order_answer_and_get_status(said)


def load_known_accounts(config: Config) -> Sequence[KnownAccount]:
    """Return everybody that the rows know, the accounts of a person together."""
    accesses = accesses_of_channels(config)
    owner = [account_key(name, access.owner_id) for name, access in accesses.items() if access.owner_id]
    nobody: list[KnownAccount] = []
    return query_database_file(
        config.data_dir / "bot.db", partial(list_known_accounts, accounts_of_owner=owner), nobody
    )


def list_people_lines(config: Config) -> Iterator[str]:
    known = load_known_accounts(config)
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
