"""`retinue setup`: ask about the model and each platform, check the answers, then write the config."""

import os
import shlex
from pathlib import Path

import click

from bot.cli.options import config_option
from bot.cli.setup_wizard import model_step, texts
from bot.cli.setup_wizard.plan import SetupPlan, start_setup_plan
from bot.cli.setup_wizard.platform_step import PlatformStep
from bot.cli.setup_wizard.prompts import ask_yes_or_no
from bot.config.config_file import find_config_file
from bot.core.exit_status import ExitStatus
from bot.core.program_names import retinue_command
from bot.ops import logs
from channels.registry import platforms


@click.command()
@config_option
def setup(file: Path | None) -> ExitStatus:
    """Ask for what is needed, check it, and write the config."""
    logs.silence_logs()
    plan = start_setup_plan(file, os.environ)
    click.echo(texts.NEW_CONFIG(path=plan.config_path) if plan.is_new_config else texts.CONFIG(path=plan.config_path))
    if not plan.is_new_config and not ask_yes_or_no(texts.CHANGE_CONFIG, usual=False):
        return print_nothing_written_and_get_status()
    click.echo()
    model_step.ask_for_model_key(plan)
    for platform in platforms().values():
        click.echo()
        PlatformStep(plan, platform).ask_for_settings()
    click.echo()
    if plan.is_empty:
        click.echo(texts.NOTHING_TO_WRITE(chat=retinue_command("chat"), setup=retinue_command("setup")))
        return ExitStatus.NOT_DONE
    for path in (plan.config_path, *(plan.secrets_folder / name for name in plan.secrets_by_file_name)):
        click.echo(texts.REPLACES(path=path) if path.exists() else texts.WRITES(path=path))
    if not ask_yes_or_no(texts.WRITE_THIS, usual=True):
        return print_nothing_written_and_get_status()
    plan.write_files()
    click.echo(texts.WRITTEN)
    print_next_steps(plan)
    return ExitStatus.DONE


def print_nothing_written_and_get_status() -> ExitStatus:
    click.echo(texts.NOTHING_WRITTEN)
    return ExitStatus.NOT_DONE


def print_next_steps(plan: SetupPlan) -> None:
    is_found = find_config_file(None, os.environ) == plan.config_path
    option = "" if is_found else f" --config {shlex.quote(str(plan.config_path))}"
    enabled = [name for name in platforms() if plan.is_platform_enabled(name)]
    click.echo(texts.NEXT)
    for step in plan.next_steps:
        click.echo(f"  {step}")
    if enabled:
        steps = {"doctor": texts.NEXT_DOCTOR, "run": texts.NEXT_RUN(channels=" and ".join(enabled))}
    else:
        titles = " or ".join(platform.title for platform in platforms().values())
        steps = {"chat": texts.NEXT_CHAT, "setup": texts.NEXT_SETUP(platforms=titles)}
    width = len(retinue_command(option)) + len("doctor ")
    for word, what in steps.items():
        click.echo(f"  {retinue_command(f'{word}{option}'):<{width}}     {what}")
