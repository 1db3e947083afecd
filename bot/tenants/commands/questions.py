"""Ask for a tenant's settings: as `retinue setup` does, then who may talk to it, its budget, zone and roles."""

from pathlib import Path

from bot.cli.setup_wizard import model_step
from bot.cli.setup_wizard.person_ids import MAX_PERSON_ID
from bot.cli.setup_wizard.plan import SetupPlan
from bot.cli.setup_wizard.platform_step import PlatformStep
from bot.cli.setup_wizard.prompts import ask_line, print_text
from bot.config import Config, LoadedConfig
from bot.core.errors import ConfigError
from bot.core.platform import AnyPlatform
from bot.core.setting_types import check_time_zone
from bot.tenants.blueprint import Blueprint, read_role_texts
from bot.tenants.commands import texts
from channels.registry import platforms


def ask_about_tenant(blueprint: Blueprint, config: Config, folder: Path) -> None:
    """Ask for the settings that are missing in the blueprint.

    `config` holds the settings known so far. Raise ConfigError if the answers end early.
    """
    plan = SetupPlan(
        path=folder / "config.json",
        is_new=True,
        loaded=LoadedConfig(config=config, path=None),
        values=blueprint.values,
        secrets=blueprint.secrets,
    )
    model_step.ask_for_settings(plan)
    print_text()
    for platform in platforms().values():
        PlatformStep(plan, platform).ask_for_settings()
        print_text()
    for name, platform in platforms().items():
        if plan.is_platform_enabled(name):
            ask_who_may_speak(plan, platform, is_public=blueprint.is_public)
    ask_spending(plan)
    ask_time_zone(plan)
    while not blueprint.roles and (said := ask_line(texts.WHICH_ROLES)):
        try:
            blueprint.roles = read_role_texts(Path(said).expanduser())
        except ConfigError as error:
            print_text(f"  {error}")


def ask_who_may_speak(plan: SetupPlan, platform: AnyPlatform, *, is_public: bool) -> None:
    """Ask for the people who may talk to the tenant on a channel."""
    key = ("channels", platform.name, "allow_from")
    if is_public:
        plan.set_value("*", *key)
        return
    while said := ask_line(texts.WHO_ELSE(channel=platform.title)):
        words = said.replace(",", " ").split()
        if all(word.isascii() and word.isdigit() and 0 < int(word) < MAX_PERSON_ID for word in words):
            plan.set_value([int(word) for word in words], *key)
            return
        print_text(texts.NUMBERS_PLEASE)


def ask_spending(plan: SetupPlan) -> None:
    """Ask for the daily budget, in US dollars."""
    usual = plan.config.limits.day_usd
    while said := ask_line(texts.HOW_MUCH(usual=usual)):
        try:
            dollars = float(said.removeprefix("$"))
        except ValueError:
            dollars = 0.0
        if 0 < dollars <= 10**9:
            plan.set_value(dollars, "limits", "day_usd")
            return
        print_text(texts.AMOUNT_PLEASE)


def ask_time_zone(plan: SetupPlan) -> None:
    """Ask for the time zone. Without an answer it is UTC."""
    while said := ask_line(texts.WHICH_ZONE):
        try:
            plan.set_value(check_time_zone(said), "time_zone")
        except ValueError:
            print_text(texts.NO_SUCH_ZONE)
        else:
            return
    plan.values.setdefault("time_zone", "UTC")
