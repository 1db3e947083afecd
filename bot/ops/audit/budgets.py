"""What the bot may spend, and whether others can use it up."""

from collections.abc import Iterator

from bot.config.resolved_settings import models_in_use, unpriced_models_warning
from bot.ops.audit import texts
from bot.ops.audit.people import enabled_accesses
from bot.ops.audit.subject import AuditedBot, Fault

HIGHEST_USUAL_DOLLARS = {  # five to twenty times the defaults
    "limits.turn_usd": 20,
    "limits.chat_day_usd": 50,
    "limits.day_usd": 100,
    "schedules.run_usd": 5,
    "schedules.day_usd": 20,
}


def find_high_limits(bot: AuditedBot) -> Iterator[Fault]:
    for key, usual in HIGHEST_USUAL_DOLLARS.items():
        section, name = key.split(".")
        dollars = getattr(getattr(bot.config, section), name)
        if dollars > usual:
            yield Fault(text=texts.LIMIT_HIGH(key=key, dollars=dollars), remedy=texts.LOWER_LIMIT(key=key, usual=usual))


def find_models_without_price(bot: AuditedBot) -> Iterator[Fault]:
    models = {*models_in_use(bot.config, bot.roles), *filter(None, [bot.config.model.fallback.model])}
    models |= {group.agent.model for group in bot.groups.groups if group.agent.model} if bot.groups else set()
    if line := unpriced_models_warning(models, bot.config):
        yield Fault(text=line, remedy=texts.SET_PRICES)


def find_day_that_others_can_use_up(bot: AuditedBot) -> Iterator[Fault]:
    limits = bot.config.limits
    may_others_speak = any(access.may_others_speak for access in enabled_accesses(bot).values())
    if may_others_speak and limits.person_day_percent == 100 and limits.owner_reserve_percent == 0:
        yield Fault(text=texts.DAY_OF_OTHERS, remedy=texts.SET_SHARES)
