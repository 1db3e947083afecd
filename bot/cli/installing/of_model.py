"""Setup's first part: the key of the model."""

import asyncio

from bot.cli.installing.asking import say, secret, yes
from bot.cli.installing.plan import KEY, Plan
from bot.errors import ConfigError


def ask(plan: Plan) -> None:
    """Until the key is good, cannot be checked, or is left out."""
    say("The model. Keys of Anthropic are made at https://platform.claude.com (API keys).")
    known = plan.config.model.api_key
    if known and yes("There is a key already. Keep it?", usual=True):
        check(plan, known.get_secret_value())
        return
    while key := secret("API key (it is not shown; nothing: none):"):
        if check(plan, key):
            plan.keep(KEY, key)
            return
        if not yes("Enter it again?", usual=True):
            break
    if not plan.config.model.base_url:
        plan.next_steps.append("set ANTHROPIC_API_KEY, or run retinue setup again: without a key nobody answers")


def check(plan: Plan, key: str) -> bool:
    """Whether there is nothing to be said against this key."""
    from bot.claude.examining import examine  # here, since it takes a second

    model = plan.config.model
    try:
        verdicts = asyncio.run(examine(key, model.base_url, {model.lead, model.roles}))
    except ConfigError as error:
        say(f"  {error}")
        return False
    except OSError:
        say("  it could not be checked: no answer; retinue doctor looks again")
        return True
    for each in verdicts:
        wrong = each.words if each.is_certain else f"it could not be checked: {each.words}"
        say(f"  {each.model}: {wrong or 'is there'}")
    return not any(each.is_certain and "API key" in each.words for each in verdicts)
