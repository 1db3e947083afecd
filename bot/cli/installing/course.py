"""The course of `retinue setup`: the model, Telegram, Discord, then what will be written, and what to do next."""

import os
from pathlib import Path

from bot.cli.installing import of_discord, of_model, of_telegram
from bot.cli.installing.asking import say, yes
from bot.cli.installing.plan import Plan, begun
from bot.cli.installing.written import write

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
    usual = plan.path == Path("config.json").absolute()
    option = "" if usual else f" --config {plan.path}"
    enabled = [name for name in ("telegram", "discord") if plan.values.get("channels", {}).get(name, {}).get("enabled")]
    say("\nNext:")
    for step in plan.next_steps:
        say(f"  {step}")
    if enabled:
        say(f"  retinue doctor{option}     looks for whatever is wrong")
        say(f"  retinue run{option}        answers on {' and '.join(enabled)}")
    else:
        say(f"  retinue chat{option}       talks here, in the terminal")
        say(f"  retinue setup{option}      again, to add Telegram or Discord")
