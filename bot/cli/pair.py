"""`retinue pair`: let strangers in and send them away again, through the running bot or directly if none runs."""

from pathlib import Path

import click

from bot.cli import texts
from bot.cli.options import config_option
from bot.core.exit_status import ExitStatus


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
    from bot.cli import pairing  # here: the store is slow to import
    from bot.config import load

    data = load(file).config.data_dir
    if is_list:
        click.echo("\n".join(pairing.format_pairing_list(data)))
        return ExitStatus.DONE
    said = pairing.pair_by_code(data, code) if code is not None else pairing.revoke_guest(data, person or "")
    click.echo(said.text, err=not said.is_done)
    return ExitStatus.DONE if said.is_done else ExitStatus.NOT_DONE
