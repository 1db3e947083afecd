"""`retinue pair`: let strangers in and send guests away, through the running bot, or directly if none runs."""

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import click

from bot.cli import texts
from bot.cli.options import config_option, format_local_minute, print_lines, run_in_event_loop
from bot.cli.order_client import print_order_answer_and_get_status, send_or_run_order
from bot.config import Config, load
from bot.config.channel_access import accesses_of_channels, bot_account_on_platform
from bot.core.access import AccessByChannel
from bot.core.content_blocks import sanitize_name
from bot.core.errors import ConfigError
from bot.core.exit_status import ExitStatus
from bot.core.messages import PersonId
from bot.core.texts import people_access
from bot.journal import invitations, pairing
from bot.journal.group_starts import group_lines
from bot.ops.folder_holder import os_error_as_config_error
from bot.store import guests, people
from bot.store.chat_reader import query_database_file
from bot.store.connection import Connection
from bot.store.guests import Guest
from bot.store.people import LinkedAccount
from bot.store.questions import Pairing, list_open_questions
from channels.registry import platforms


@click.command()
@config_option
@click.argument("code", required=False)
@click.option("--list", "is_list", is_flag=True, help="Show who was let in, by whom and since when, and who asks.")
@click.option("--invite", "is_invitation", is_flag=True, help="Make a link that lets in one person.")
@click.option("--revoke", "person", metavar="ID", help="Send somebody away who was let in.")
def pair(file: Path | None, code: str | None, is_list: bool, is_invitation: bool, person: str | None) -> ExitStatus:
    """Let people in by their code, list them, send them away."""
    if code == "list":
        raise click.UsageError(texts.USE_LIST)
    if sum((code is not None, is_list, is_invitation, person is not None)) != 1:
        raise click.UsageError(texts.GIVE_CODE_OR_OPTION)
    config = load(file).config
    data, accesses = config.data_dir, accesses_of_channels(config)
    if is_list:
        print_lines(pairing_list_lines(data, accesses))
        return ExitStatus.DONE
    with os_error_as_config_error(data):
        if not (data / "bot.db").exists():
            why = texts.NO_BOT_HAS_RUN(folder=data) if is_invitation else texts.NOBODY_HAS_ASKED(folder=data)
            raise ConfigError(why)
    if is_invitation:
        made = send_or_run_order(data, "invite", invitations.make_invitation)
        if not made.is_done:
            return print_order_answer_and_get_status(made)
        print_lines(invitation_lines(config, made.text))
        return ExitStatus.DONE
    if code is not None:
        by = people_access.OPERATOR()
        said = send_or_run_order(
            data, "pair", lambda db, terms: pairing.let_in_stranger_by_code(db, code, by, terms), accesses, code=code
        )
    else:
        gone = PersonId(person or "")
        said = send_or_run_order(
            data, "revoke", lambda db, terms: pairing.send_away(db, gone, terms), accesses, person=gone
        )
    return print_order_answer_and_get_status(said)


def invitation_lines(config: Config, code: str) -> Iterator[str]:
    """Yield how to pass on an invitation: its links, and what to write where there is none."""
    yield texts.INVITATION
    for name, platform in platforms().items():
        settings = config.channels[name]
        if not (settings.enabled and settings.token):
            continue
        if platform.invitation_link is None:
            yield texts.INVITATION_IN_WORDS(platform=platform.title, code=code)
            continue
        finding = platform.invitation_link(bot_account_on_platform(config, name), invitations.link_parameter(code))
        try:
            link = run_in_event_loop(finding)
        except (ConfigError, OSError) as error:
            yield texts.NO_INVITATION_LINK(platform=platform.title, reason=error, code=code)
            continue
        yield texts.INVITATION_LINK(platform=platform.title, link=link, code=code)


def pairing_list_lines(data: Path, accesses: AccessByChannel) -> Iterator[str]:
    nobody: tuple[list[Guest], list[Pairing], list[LinkedAccount], list[str]] = ([], [], [], [])
    known, asking, linked, groups = query_database_file(data / "bot.db", partial(read_access, accesses), nobody)
    let_in = [guest for guest in known if not guest.is_revoked]
    yield texts.LET_IN if let_in else texts.NOBODY_LET_IN
    yield from map(format_guest, let_in)
    if linked:
        yield texts.CAME_BY_LINK
        yield from map(format_linked_account, linked)
    if groups:
        yield texts.GROUP_CHATS
        yield from (texts.GROUP_CHAT(line=line) for line in groups)
    if away := [guest for guest in known if guest.is_revoked]:
        yield texts.SENT_AWAY
        yield from map(format_guest, away)
    open_ones = [request for request in asking if request.deadline > datetime.now(UTC)]
    yield texts.ASKING_TO_BE_LET_IN if open_ones else texts.NOBODY_ASKS_TO_BE_LET_IN
    for each in open_ones:
        channel, asker, time = each.address.channel, each.stranger, format_local_minute(each.deadline)
        yield texts.REQUEST_TO_BE_LET_IN(code=each.code, channel=channel, person=asker.id, name=asker.name, time=time)


def read_access(
    accesses: AccessByChannel, db: Connection
) -> tuple[list[Guest], list[Pairing], list[LinkedAccount], list[str]]:
    linked = [each for each in people.list_linked_accounts(db) if not each.is_first]
    groups = list(group_lines(db, accesses))
    return guests.list_guests(db), list_open_questions(db, Pairing), linked, groups


def format_linked_account(linked: LinkedAccount) -> str:
    first, id = people.split_account_key(linked.person)
    time = format_local_minute(linked.linked_at)
    name = sanitize_name(linked.name)
    return texts.LINKED_ACCOUNT(channel=linked.channel, id=linked.account, name=name, first=f"{first} {id}", time=time)


def format_guest(guest: Guest) -> str:
    by, time = guest.granted_by, format_local_minute(guest.since)
    return texts.GUEST(channel=guest.channel, person=guest.person, name=guest.name, granter=by, time=time)
