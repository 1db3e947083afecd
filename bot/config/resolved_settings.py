"""Resolve the settings: which models exist, what they cost, and how servers are reached."""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import replace

from bot.config import Config
from bot.config.time_zone import resolve_time_zone
from bot.config.web_tools import is_model_server_anthropic
from bot.core.errors import ConfigError
from bot.core.languages import ENGLISH, Language, match_language
from bot.core.languages import texts as language_texts
from bot.core.languages.language_file import LanguageFiles, languages_with_folder
from bot.core.limits import ResolvedSettings
from bot.core.messages import RoleName
from bot.core.network import NetworkAccess
from bot.core.prices import PricingAndSizes, find_pricing, make_price_card
from bot.core.request_reading.lexicon import LEXICON_FOLDER_NAME, Lexicons, lexicons_with_folder
from bot.core.role import Role
from bot.core.sandbox import sandbox_fault
from bot.core.settings import Settings
from bot.core.texts import operators
from bot.models.claude.traits import TRAITS_BY_MODEL, traits_from_table
from bot.models.fallback import add_fallback_prefix

log = logging.getLogger(__name__)


def models_in_use(config: Config, roles: Mapping[RoleName, Role]) -> frozenset[str]:
    return frozenset({config.model.lead, config.model.roles, *(role.model for role in roles.values() if role.model)})


def reason_for_no_shell(config: Config) -> str:
    """Return why there is no tool `shell`; empty if there is one. It may start a sandbox to find out."""
    return (sandbox_fault() or "") if config.shell.enabled else operators.SHELL_IS_OFF


def config_of_fallback_model(config: Config) -> Config | None:
    """Return the config of the fallback model; None if there is none. It may share the first model's key."""
    given, model = config.model.fallback, config.model
    if given.model is None:
        return None
    server: dict[str, object] = {"base_url": model.base_url, "base_url_is_anthropic": model.base_url_is_anthropic}
    if given.base_url:
        server = {"base_url": given.base_url, "base_url_is_anthropic": given.base_url_is_anthropic}
    key = given.api_key or (None if given.base_url else model.api_key)
    found = model.model_copy(update={**server, "api_key": key, "lead": given.model, "roles": given.model})
    return config.model_copy(update={"model": found})


def prices_from_config(config: Config) -> dict[str, PricingAndSizes]:
    found = {}
    for name, price in config.model.prices.items():
        card = make_price_card(price.input, price.output, price.input if price.cache_read is None else price.cache_read)
        if known := find_pricing(name):
            found[name] = replace(known, card=card, long_prompt_above_tokens=None, long_prompt_card=None)
        else:  # only Claude models are asked to cache, so only for them writing to the cache costs more
            card = replace(card, cache_write_5m=card.input, cache_write_1h=card.input)
            found[name] = PricingAndSizes(card=card, window_tokens=config.model.context_tokens)
    other = config.model.fallback.model
    return found | {add_fallback_prefix(other): found[other]} if other in found else found


def unpriced_models_warning(models: Iterable[str], settings: Settings) -> str:
    """Return a line for the operator if some models have no price, so no cap holds for them; otherwise empty."""
    unpriced = sorted(model for model in models if model not in settings.model.prices and not find_pricing(model))
    if not unpriced:
        return ""
    return operators.PRICES_UNKNOWN(len(unpriced), models=" and ".join(unpriced))


def resolve_settings(config: Config) -> ResolvedSettings:
    other = config.model.fallback.model
    return ResolvedSettings(
        efforts_by_choosable_model=efforts_by_choosable_model(config),
        fallback_model_name=add_fallback_prefix(other) if other else "",
        may_substitutes_answer=is_model_server_anthropic(config),
        operator_pricing_by_model=prices_from_config(config),
        operator_time_zone=resolve_time_zone(config.time_zone),
        writable_workspace=config.workspace,
        languages=resolve_languages(config),
        lexicons=resolve_lexicons(config),
    )


def resolve_languages(config: Config) -> LanguageFiles:
    """Return the languages that there are. A file that cannot be used stops nothing: its language is left out. Raise
    ConfigError if there is no file at all for the operator's language."""
    languages = languages_with_folder(config.languages_dir)
    for fault in languages.faults_of_added_files():
        log.warning("%s", fault)
    if fault := fault_of_operator_language(config, languages):
        raise ConfigError(fault)
    return languages


def resolve_lexicons(config: Config) -> Lexicons:
    """Return the lexicons by which requests are read. A file that cannot be used stops nothing."""
    lexicons = lexicons_with_folder(config.languages_dir / LEXICON_FOLDER_NAME)
    for fault in lexicons.faults_of_added_files():
        log.warning("%s", fault)
    return lexicons


def find_operator_language(config: Config) -> Language:
    """Return the operator's language; English if its file cannot be used."""
    return match_language(languages_with_folder(config.languages_dir), config.language) or ENGLISH


def fault_of_operator_language(config: Config, languages: LanguageFiles) -> str:
    """Return what is wrong if there is neither a built-in language nor a file for the operator's; otherwise empty."""
    if match_language(languages, config.language) or languages.has_file(config.language):
        return ""
    known = ", ".join(each.code for each in languages.list_all())
    return language_texts.NO_SUCH_LANGUAGE(name=config.language, known=known, folder=config.languages_dir)


def efforts_by_choosable_model(config: Config) -> dict[str, frozenset[str]]:
    """Return the models, with efforts, that people may choose: those in the config, and at Anthropic all known ones."""
    is_own = is_model_server_anthropic(config)
    names = (*(TRAITS_BY_MODEL if is_own else ()), *models_in_use(config, {}))
    traits = {name: traits_from_table(name) for name in names}
    traits |= {name: traits_from_table(name) for name in config.model.prices}
    return {name: each.efforts if each.has_thinking and is_own else frozenset() for name, each in traits.items()}


def network_access_from_config(config: Config) -> NetworkAccess:
    given = config.network
    return NetworkAccess(
        proxy=given.proxy.get_secret_value() if given.proxy else None,
        ca_file=given.ca_file,
        proxy_resolves_names=given.proxy_resolves_names,
    )
