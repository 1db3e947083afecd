"""Ask for what a tenant needs: as `retinue setup` does, and then who may talk to it, what it may spend, and where."""

from pathlib import Path

from bot.cli.installing import of_discord, of_model, of_telegram
from bot.cli.installing.asking import line, say
from bot.cli.installing.numbers import LARGEST
from bot.cli.installing.plan import Plan
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
    while said := line(f"Who else may talk to it on {name.title()}? Numeric ids (nothing: whom the owner lets in):"):
        words = said.replace(",", " ").split()
        if all(word.isascii() and word.isdigit() and 0 < int(word) < LARGEST for word in words):
            plan.set([int(word) for word in words], "channels", name, "allow_from")
            return
        say("  numbers, with spaces between")


def ask_spending(plan: Plan) -> None:
    usual = plan.config.limits.day_usd
    while said := line(f"US dollars it may spend in a day [{usual:g}]:"):
        try:
            dollars = float(said.removeprefix("$"))
        except ValueError:
            dollars = 0.0
        if 0 < dollars <= 10**9:
            plan.set(dollars, "limits", "day_usd")
            return
        say("  a number above 0, as 2.50")


def ask_zone(plan: Plan) -> None:
    while said := line("Its time zone, as Europe/Berlin (nothing: UTC):"):
        try:
            plan.set(existing_zone(said), "time_zone")
        except ValueError as error:
            say(f"  that {error}")
        else:
            return
    plan.values.setdefault("time_zone", "UTC")


def ask_roles(blueprint: Blueprint) -> None:
    while not blueprint.roles and (
        said := line("A folder of role files of its own (nothing: those that are shipped):")
    ):
        try:
            blueprint.roles = role_files(Path(said).expanduser())
        except ConfigError as error:
            say(f"  {error}")
