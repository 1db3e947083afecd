"""`scripts/rotate-secret`: replace a token or key of a tenant."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bot.core.exit_status import ExitStatus
from bot.tenants.commands import texts
from bot.tenants.commands.options import HELP_OPTIONS, name_argument, root_option, wait_option

if TYPE_CHECKING:
    from bot.config import Config


@click.command(context_settings=HELP_OPTIONS)
@name_argument
@click.argument("key")
@root_option
@click.option(
    "--from", "source", type=click.Path(path_type=Path, allow_dash=True), metavar="FILE|-", help="Where it is."
)
@click.option("--new-bot", is_flag=True, help="The token is of another bot than before, and that is meant.")
@click.option("--anyway", is_flag=True, help="Take it although a check finds fault.")
@wait_option
def command(
    name: str, key: str, root: Path, source: Path | None, new_bot: bool, anyway: bool, patience: float
) -> ExitStatus | None:
    """Give a tenant a new KEY, as channels.telegram.token or model__api_key; asks for it, without showing it.

    A running bot is started anew with it. If it is not well with it, the old one is put back.
    """
    from bot.ops import logs  # here: importing pydantic is slow
    from bot.tenants.commands.deployments import explain_interruption, open_deployment
    from bot.tenants.root import TenantsRoot
    from bot.tenants.secret_rotation import Rotation, rotate_secret, secret_file_name

    logs.silence_logs()
    machine, secret = TenantsRoot(root), secret_file_name(key)
    this = open_deployment(machine, name, patience)
    rotation = Rotation(name=secret, value=read_new_secret(secret, source), is_new_bot=new_bot)
    with explain_interruption(texts.ROTATION_INTERRUPTED(name=name)):
        is_done = rotate_secret(machine, this, rotation, lambda config: is_secret_accepted(config, secret) or anyway)
    return None if is_done else ExitStatus.NOT_DONE


def read_new_secret(secret: str, source: Path | None) -> str:
    """Return the new value, read from `source` or asked for. Raise ConfigError if it cannot be read."""
    from bot.cli.setup_wizard import prompts
    from bot.core.errors import ConfigError

    if source is None:
        return prompts.ask_secret(texts.NEW_SECRET(name=secret))
    try:
        return sys.stdin.read() if str(source) == "-" else source.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigError(texts.FROM_UNREADABLE(path=source, error=error.strerror)) from None
    except UnicodeDecodeError:
        raise ConfigError(texts.FROM_NOT_TEXT(path=source)) from None


def is_secret_accepted(config: "Config", secret: str) -> bool:
    """Check the secret with the service it is for, and print the findings. Return False if one is wrong."""
    import asyncio

    from bot.ops.checks import CheckState, live
    from bot.tenants.commands.deployments import echo_escaped

    part = secret.split("__")[-2]
    findings = [each for each in asyncio.run(live.check_servers(config)) if each.text.startswith(f"{part}:")]
    for finding in findings:
        echo_escaped(str(finding))
    return all(finding.state is not CheckState.WRONG for finding in findings)
