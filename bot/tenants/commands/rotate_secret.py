"""`scripts/rotate-secret`: replace a token or key of a tenant."""

import sys
from pathlib import Path

import click

from bot.cli.setup_wizard.prompts import ask_secret
from bot.config.layers import key_path_from_name
from bot.core.errors import ConfigError
from bot.core.exit_status import ExitStatus
from bot.tenants.commands import options, texts
from bot.tenants.commands.add_tenant import check_and_print_model_and_channels
from bot.tenants.root import TenantsRoot
from bot.tenants.secret_names import service_of_secret
from bot.tenants.secret_rotation import rotate_secret, secret_file_name


@click.command(context_settings=options.CONTEXT_SETTINGS)
@options.name_argument
@click.argument("key")
@options.root_option
@click.option("--from", "source", type=options.path_or_dash, metavar="FILE|-", help="Where it is.")
@click.option("--new-bot", is_flag=True, help="The token is of another bot than before, and that is meant.")
@click.option("--anyway", is_flag=True, help="Take it although a check finds fault.")
@options.wait_option
def command(
    name: str, key: str, root: TenantsRoot, source: Path | None, new_bot: bool, anyway: bool, wait_seconds: float
) -> ExitStatus:
    """Give a tenant a new KEY, as channels.telegram.token or model__api_key; asks for it, without showing it.

    A running bot is restarted with the new KEY. If the bot is not well then, the old one is put back.
    """
    secret = secret_file_name(key)
    this = options.deployment_of_tenant(root.read_tenant(name), wait_seconds)
    value = read_or_ask_new_secret(secret, source)
    service = f"{service_of_secret(key_path_from_name(secret))}:"
    with options.print_if_interrupted(texts.ROTATION_INTERRUPTED(name=name)):
        is_done = rotate_secret(
            this,
            secret,
            value,
            lambda config: check_and_print_model_and_channels(config, service) or anyway,
            is_new_bot=new_bot,
        )
    return ExitStatus.DONE if is_done else ExitStatus.NOT_DONE


def read_or_ask_new_secret(secret: str, source: Path | None) -> str:
    """Return the new value, read from `source` or asked for. Raise ConfigError if it cannot be read."""
    if source is None:
        return ask_secret(texts.NEW_SECRET(name=secret))
    try:
        return sys.stdin.read() if str(source) == "-" else source.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigError(texts.FROM_UNREADABLE(path=source, error=error.strerror)) from None
    except UnicodeDecodeError:
        raise ConfigError(texts.FROM_NOT_TEXT(path=source)) from None
