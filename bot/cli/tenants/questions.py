"""Ask for what a tenant needs: as `retinue setup` does, and then who may talk to it, what it may spend, and where."""

from pathlib import Path

from bot.cli.installing import of_discord, of_model, of_telegram
from bot.cli.installing.asking import line, say
from bot.cli.installing.numbers import LARGEST
from bot.cli.installing.plan import Plan
from bot.cli.tenants import texts
from bot.config import Config, Loaded
from bot.config.settings import existing_zone
from bot.errors import ConfigError
from bot.tenants.blueprint import Blueprint, role_files


def ask(blueprint: Blueprint, config: Config, folder: Path) -> None:
    """Fill in what is not there yet; `config` is what holds so far. ConfigError where the answers end."""
    plan = Plan(
        path=folder / "config.json",
        is_new=True,
        loaded=Loaded(config=config, path=None),
        values=blueprint.values,
        secrets=blueprint.secrets,
    )
    for part in (of_model, of_telegram, of_discord):
        part.ask(plan)
        say()
    for name in ("telegram", "discord"):
        if plan.values.get("channels", {}).get(name, {}).get("enabled"):
            ask_people(plan, name, is_public=blueprint.is_public)
    ask_spending(plan)
    ask_zone(plan)
    ask_roles(blueprint)


def ask_people(plan: Plan, name: str, *, is_public: bool) -> None:
    if is_public:
        plan.set("*", "channels", name, "allow_from")
        return
    while said := line(texts.WHO_ELSE(channel=name.title())):
        words = said.replace(",", " ").split()
        if all(word.isascii() and word.isdigit() and 0 < int(word) < LARGEST for word in words):
            plan.set([int(word) for word in words], "channels", name, "allow_from")
            return
        say(texts.NUMBERS_PLEASE)


def ask_spending(plan: Plan) -> None:
    usual = plan.config.limits.day_usd
    while said := line(texts.HOW_MUCH(usual=usual)):
        try:
            dollars = float(said.removeprefix("$"))
        except ValueError:
            dollars = 0.0
        if 0 < dollars <= 10**9:
            plan.set(dollars, "limits", "day_usd")
            return
        say(texts.AMOUNT_PLEASE)


def ask_zone(plan: Plan) -> None:
    while said := line(texts.WHICH_ZONE):
        try:
            plan.set(existing_zone(said), "time_zone")
        except ValueError:
            say(texts.NO_SUCH_ZONE)
        else:
            return
    plan.values.setdefault("time_zone", "UTC")


def ask_roles(blueprint: Blueprint) -> None:
    while not blueprint.roles and (said := line(texts.WHICH_ROLES)):
        try:
            blueprint.roles = role_files(Path(said).expanduser())
        except ConfigError as error:
            say(f"  {error}")
