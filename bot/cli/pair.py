"""`retinue pair`: let strangers in and send them away again, through the running bot or directly if none runs."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import click

from bot.cli import order_client, texts
from bot.cli.options import config_option
from bot.cli.order_client import default_terms
from bot.config import load
from bot.core.errors import ConfigError
from bot.core.exit_status import ExitStatus
from bot.core.printable import escape_unprintable
from bot.core.texts import operators, people_access
from bot.journal import pairing
from bot.store import guests, pairings
from bot.store.chat_reader import read_database
from bot.store.connection import Connection
from bot.store.guests import Guest
from bot.store.orders import OrderAnswer
from bot.store.pairings import Pairing


@click.command()
@config_option
@click.argument("code", required=False)
@click.option("--list", "is_list", is_flag=True, help="Show who was let in, by whom and since when, and who asks.")
@click.option("--revoke", "person", metavar="ID", help="Send somebody away who was let in.")
def command(file: Path | None, code: str | None, is_list: bool, person: str | None) -> ExitStatus:
    """Let people in by their code, list them, send them away."""
    if code == "list":
        raise click.UsageError(texts.USE_LIST)
    if sum((code is not None, is_list, person is not None)) != 1:
        raise click.UsageError(texts.GIVE_CODE_OR_OPTION)
    data = load(file).config.data_dir
    if is_list:
        click.echo("\n".join(format_pairing_list(data)))
        return ExitStatus.DONE
    said = pair_by_code(data, code) if code is not None else revoke_guest(data, person or "")
    click.echo(escape_unprintable(said.text), err=not said.is_done)
    return ExitStatus.DONE if said.is_done else ExitStatus.NOT_DONE


def pair_by_code(data: Path, code: str) -> OrderAnswer:
    """Let in the person who got this code."""
    return carry_out_pairing_order(
        data, "pair", lambda db: pairing.let_in_by_code(db, code, people_access.OPERATOR, default_terms()), code=code
    )


def revoke_guest(data: Path, person: str) -> OrderAnswer:
    """Send a person away who was let in, on any channel."""
    return carry_out_pairing_order(
        data, "revoke", lambda db: pairing.send_guest_away(db, person, default_terms()), person=person
    )


def carry_out_pairing_order(
    data: Path, order: str, here: Callable[[Connection], OrderAnswer], **arguments: str
) -> OrderAnswer:
    try:
        if not (data / "bot.db").exists():
            raise ConfigError(texts.NOBODY_HAS_ASKED(folder=data))
    except OSError as error:
        raise ConfigError(operators.CANNOT_USE_DATA(path=error.filename or data, reason=error.strerror)) from None
    return order_client.carry_out_order(data, order, here, **arguments)


def format_pairing_list(data: Path) -> Sequence[str]:
    """Return lines for people: who was let in, who was sent away, and who asks to be let in."""
    nobody: tuple[list[Guest], list[Pairing]] = ([], [])
    known, asking = read_database(
        data / "bot.db", lambda db: (guests.list_guests(db), pairings.list_open_pairings(db)), nobody
    )
    now = datetime.now(UTC)
    let_in = [format_guest(guest) for guest in known if not guest.is_revoked]
    away = [format_guest(guest) for guest in known if guest.is_revoked]
    open_ones = [format_pairing_request(request) for request in asking if request.deadline > now]
    return [
        *([texts.LET_IN, *let_in] if let_in else [texts.NOBODY_LET_IN]),
        *([texts.SENT_AWAY, *away] if away else []),
        *([texts.ASKING_TO_BE_LET_IN, *open_ones] if open_ones else [texts.NOBODY_ASKS_TO_BE_LET_IN]),
    ]


def format_guest(guest: Guest) -> str:
    line = texts.GUEST(
        channel=guest.channel,
        person=guest.person,
        name=guest.name,
        granter=guest.granted_by,
        time=format_local_time(guest.since),
    )
    return escape_unprintable(line)


def format_pairing_request(request: Pairing) -> str:
    line = texts.REQUEST_TO_BE_LET_IN(
        code=request.code,
        channel=request.address.channel,
        person=request.stranger.id,
        name=request.stranger.name,
        time=format_local_time(request.deadline),
    )
    return escape_unprintable(line)


def format_local_time(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"
