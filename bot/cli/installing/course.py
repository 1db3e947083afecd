"""The course of `retinue setup`: the model, Telegram, Discord, then what will be written, and what to do next."""

import os
import shlex
from pathlib import Path

from bot.cli.installing import of_discord, of_model, of_telegram
from bot.cli.installing.asking import say, yes
from bot.cli.installing.plan import Plan, begun
from bot.cli.installing.written import write
from bot.program import command

NOT_WRITTEN = 1


def install(file: Path | None) -> int:
    """Gives the exit status."""
    plan = begun(file, os.environ)
    say(f"{'A new config' if plan.is_new else 'The config'}: {plan.path}")
    if not plan.is_new and not yes("It is there already. Change it?", usual=False):
        return left()
    for part in (of_model, of_telegram, of_discord):
        say()
        part.ask(plan)
    say()
    for path in (plan.path, *(plan.folder / name for name in plan.secrets)):
        say(f"  {'replaces' if path.exists() else 'writes'} {path}")
    if not yes("Write this?", usual=True):
        return left()
    write(plan.path, plan.values, plan.folder, plan.secrets)
    say("Written.")
    tell_next(plan)
    return 0


def left() -> int:
    say("Nothing was written.")
    return NOT_WRITTEN


def tell_next(plan: Plan) -> None:
    option = "" if plan.is_usual else f" --config {shlex.quote(str(plan.path))}"
    enabled = [name for name in ("telegram", "discord") if plan.values.get("channels", {}).get(name, {}).get("enabled")]
    say("\nNext:")
    for step in plan.next_steps:
        say(f"  {step}")
    if enabled:
        steps = {"doctor": "looks for whatever is wrong", "run": f"answers on {' and '.join(enabled)}"}
    else:
        steps = {"chat": "talks here, in the terminal", "setup": "again, to add Telegram or Discord"}
    for word, what in steps.items():
        say(f"  {command(f'{word}{option}'):<{len(command(option)) + len('doctor ')}}     {what}")
