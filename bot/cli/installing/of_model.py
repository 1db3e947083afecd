"""Setup's first part: the key of the model."""

import asyncio
from typing import TYPE_CHECKING

from bot.cli.installing import texts
from bot.cli.installing.asking import checking, say, secret, yes
from bot.cli.installing.plan import KEY, Plan
from bot.config.engine_settings import network_of
from bot.errors import ConfigError
from bot.program import command

if TYPE_CHECKING:
    from bot.claude.examining import Verdict


def ask(plan: Plan) -> None:
    """Until the key is good, cannot be checked, or is left out."""
    say(texts.MODEL_PART)
    known = plan.config.model.api_key
    if known and yes(texts.KEEP_KEY, usual=True):
        check(plan, known.get_secret_value())
        return
    while key := secret(texts.API_KEY):
        if check(plan, key):
            plan.keep(KEY, key)
            return
    if not plan.config.model.base_url:
        plan.next_steps.append(texts.NEXT_KEY(command=command("setup")))


def check(plan: Plan, key: str) -> bool:
    """Whether there is nothing to be said against this key."""
    model = plan.config.model
    try:
        with checking():
            from bot.claude.examining import examine  # here, since it takes a second

            verdicts = asyncio.run(
                examine(key, model.base_url, {model.lead, model.roles}, network=network_of(plan.config))
            )
    except ConfigError as error:
        say(f"  {error}")
        return False
    except OSError:
        say(texts.NOT_CHECKED_NO_ANSWER(command=command("doctor")))
        return True
    lines = [in_words(each) for each in verdicts]
    for words in dict.fromkeys(lines):  # a refused key is refused for each model
        say(f"  {words}")
    return not any(each.is_certain and each.is_about_key for each in verdicts)


def in_words(found: "Verdict") -> str:
    if not found.words:
        return texts.MODEL_IS_THERE(model=found.model)
    return found.words if found.is_certain else texts.NOT_CHECKED_FOR(reason=found.words)
