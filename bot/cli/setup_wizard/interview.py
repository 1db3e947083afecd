"""The order of `retinue setup`: ask about the model and each platform, then write, then print the next steps."""

import os
import shlex
from pathlib import Path

from bot.cli.setup_wizard import model_step, texts
from bot.cli.setup_wizard.config_writer import write_config_and_secrets
from bot.cli.setup_wizard.plan import SetupPlan, start_setup_plan
from bot.cli.setup_wizard.platform_step import PlatformStep
from bot.cli.setup_wizard.prompts import ask_yes_or_no, print_text
from bot.core.exit_status import ExitStatus
from bot.core.program_names import retinue_command
from channels.registry import platforms


def run_setup(file: Path | None) -> ExitStatus:
    """Ask for all settings and write them. Return the exit status."""
    plan = start_setup_plan(file, os.environ)
    print_text(texts.NEW_CONFIG(path=plan.path) if plan.is_new else texts.CONFIG(path=plan.path))
    if not plan.is_new and not ask_yes_or_no(texts.CHANGE_CONFIG, usual=False):
        return leave_unchanged()
    print_text()
    model_step.ask_for_settings(plan)
    for platform in platforms().values():
        print_text()
        PlatformStep(plan, platform).ask_for_settings()
    print_text()
    for path in (plan.path, *(plan.secrets_folder / name for name in plan.secrets)):
        print_text(texts.REPLACES(path=path) if path.exists() else texts.WRITES(path=path))
    if not ask_yes_or_no(texts.WRITE_THIS, usual=True):
        return leave_unchanged()
    write_config_and_secrets(plan.path, plan.values, plan.secrets_folder, plan.secrets)
    print_text(texts.WRITTEN)
    print_next_steps(plan)
    return ExitStatus.DONE


def leave_unchanged() -> ExitStatus:
    print_text(texts.NOTHING_WRITTEN)
    return ExitStatus.NOT_DONE


def print_next_steps(plan: SetupPlan) -> None:
    option = "" if plan.is_found_by_default else f" --config {shlex.quote(str(plan.path))}"
    enabled = [name for name in platforms() if plan.is_platform_enabled(name)]
    print_text(texts.NEXT)
    for step in plan.next_steps:
        print_text(f"  {step}")
    if enabled:
        steps = {"doctor": texts.NEXT_DOCTOR, "run": texts.NEXT_RUN(channels=" and ".join(enabled))}
    else:
        titles = " or ".join(platform.title for platform in platforms().values())
        steps = {"chat": texts.NEXT_CHAT, "setup": texts.NEXT_SETUP(platforms=titles)}
    for word, what in steps.items():
        print_text(
            f"  {retinue_command(f'{word}{option}'):<{len(retinue_command(option)) + len('doctor ')}}     {what}"
        )
