"""The first part of setup: the key of the model."""

import asyncio
from typing import TYPE_CHECKING

import click

from bot.cli.setup_wizard import texts
from bot.cli.setup_wizard.plan import MODEL_KEY_FILE_NAME, SetupPlan
from bot.cli.setup_wizard.prompts import ask_secret, ask_yes_or_no, print_checking_and_hide_typing
from bot.config.resolved_settings import network_access_from_config
from bot.core.errors import ConfigError
from bot.core.program_names import retinue_command

if TYPE_CHECKING:
    from bot.models.claude.model_checks import ModelVerdict


def ask_for_model_key(plan: SetupPlan) -> None:
    """Ask for the key until it is good, cannot be checked, or is left out."""
    click.echo(texts.MODEL_PART)
    known = plan.current_config.model.api_key
    if known and ask_yes_or_no(texts.KEEP_KEY, usual=True):
        check_if_model_key_may_work(plan, known.get_secret_value())
        return
    while key := ask_secret(texts.API_KEY):
        if check_if_model_key_may_work(plan, key):
            plan.plan_secret_file(MODEL_KEY_FILE_NAME, key)
            return
    if not plan.current_config.model.base_url:
        plan.next_steps.append(texts.NEXT_KEY(command=retinue_command("setup")))


def check_if_model_key_may_work(plan: SetupPlan, key: str) -> bool:
    """Return False if the key is certainly refused or the settings are wrong, but True if the server is silent."""
    model = plan.current_config.model
    try:
        with print_checking_and_hide_typing():
            from bot.models.claude.model_checks import check_models_at_server  # here: it takes a second

            models, network = {model.lead, model.roles}, network_access_from_config(plan.current_config)
            verdicts = asyncio.run(check_models_at_server(key, model.base_url, models, network=network))
    except ConfigError as error:
        click.echo(f"  {error}")
        return False
    except OSError:
        click.echo(texts.NOT_CHECKED_NO_ANSWER(command=retinue_command("doctor")))
        return True
    for words in dict.fromkeys(map(describe_model_verdict, verdicts)):  # once each: a bad key is refused for all models
        click.echo(f"  {words}")
    return not any(each.is_certain and each.is_about_key for each in verdicts)


def describe_model_verdict(found: "ModelVerdict") -> str:
    if not found.problem:
        return texts.MODEL_IS_THERE(model=found.model)
    return found.problem if found.is_certain else texts.NOT_CHECKED_FOR(reason=found.problem)
