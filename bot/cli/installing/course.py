"""The course of `retinue setup`: the model, Telegram, Discord, then what will be written, and what to do next."""

import os
import shlex
from pathlib import Path

from bot.cli.installing import of_discord, of_model, of_telegram, texts
from bot.cli.installing.asking import say, yes
from bot.cli.installing.plan import Plan, begun
from bot.cli.installing.written import write
from bot.program import command

NOT_WRITTEN = 1


def install(file: Path | None) -> int:
    """Gives the exit status."""
    plan = begun(file, os.environ)
    say(texts.NEW_CONFIG(path=plan.path) if plan.is_new else texts.CONFIG(path=plan.path))
    if not plan.is_new and not yes(texts.CHANGE_CONFIG, usual=False):
        return left()
    for part in (of_model, of_telegram, of_discord):
        say()
        part.ask(plan)
    say()
    for path in (plan.path, *(plan.folder / name for name in plan.secrets)):
        say(texts.REPLACES(path=path) if path.exists() else texts.WRITES(path=path))
    if not yes(texts.WRITE_THIS, usual=True):
        return left()
    write(plan.path, plan.values, plan.folder, plan.secrets)
    say(texts.WRITTEN)
    tell_next(plan)
    return 0


def left() -> int:
    say(texts.NOTHING_WRITTEN)
    return NOT_WRITTEN


def tell_next(plan: Plan) -> None:
    option = "" if plan.is_usual else f" --config {shlex.quote(str(plan.path))}"
    enabled = [name for name in ("telegram", "discord") if plan.values.get("channels", {}).get(name, {}).get("enabled")]
    say(texts.NEXT)
    for step in plan.next_steps:
        say(f"  {step}")
    if enabled:
        steps = {"doctor": texts.NEXT_DOCTOR, "run": texts.NEXT_RUN(channels=" and ".join(enabled))}
    else:
        steps = {"chat": texts.NEXT_CHAT, "setup": texts.NEXT_SETUP}
    for word, what in steps.items():
        say(f"  {command(f'{word}{option}'):<{len(command(option)) + len('doctor ')}}     {what}")
