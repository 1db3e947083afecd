"""`retinue config`: print the settings in effect for people, or their JSON Schema for editors."""

import json
from pathlib import Path

import click

from bot.cli import texts
from bot.cli.options import config_option
from bot.config import Config, load


@click.command()
@config_option
@click.option("--schema", is_flag=True, help="Print the JSON Schema of the config file, for editors.")
def config(file: Path | None, schema: bool) -> None:
    """Show the settings, and where each is from."""
    if schema:
        click.echo(json.dumps(Config.model_json_schema(), indent=2))
        return
    loaded = load(file)
    click.echo(texts.SETTINGS_FROM_FILE(path=loaded.path) if loaded.path else texts.SETTINGS_FROM_NO_FILE, err=True)
    for key, origin in loaded.origins_outside_file:
        click.echo(texts.SETTING_FROM(key=key, origin=origin), err=True)
    click.echo(loaded.config.model_dump_json(indent=2, by_alias=True))
