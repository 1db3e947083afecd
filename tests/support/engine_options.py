"""Change what the engine works with: settings, timings and resolved settings."""

from dataclasses import fields, replace
from typing import Any

from bot.core.limits import Limits, ResolvedSettings, Timings
from bot.core.prices import MILLION
from bot.core.settings import Settings

TURN_LIMITS = Settings().limits.turn_limits
DELEGATION_LIMITS = Settings().swarm.default_delegation_limits

EngineOptions = dict[str, Any]  # fields of an Assembly


def engine_options(**changes: Any) -> EngineOptions:
    """Return `settings`, `timings` and `resolved` for an Assembly: the defaults with these changes.

    `swarm__max_depth` is a setting of a section. `busy`, `announced_wait_seconds` and `is_demo` are fields of Settings,
    Timings and ResolvedSettings. `turn`, `chat_day` and `day` are caps in the engine's units. Nothing is validated, so
    a test may set what an operator may not, for example half a second.
    """
    timings = {field.name: changes.pop(field.name) for field in fields(Timings) if field.name in changes}
    resolved = {field.name: changes.pop(field.name) for field in fields(ResolvedSettings) if field.name in changes}
    return {
        "settings": change_settings(Settings(), **changes),
        "timings": Timings(**timings),
        "resolved": ResolvedSettings(**resolved),
    }


def change_settings(settings: Settings, **changes: Any) -> Settings:
    """Return the settings with these changes, as `engine_options` takes them."""
    if turn := changes.pop("turn", None):
        changes |= {f"limits__turn_{name}": getattr(turn, name) for name in ("iterations", "tokens", "seconds")}
        changes["limits__turn_usd"] = turn.cost / MILLION
    for name in changes.keys() & {"chat_day", "day"}:
        changes[f"limits__{name}_usd"] = changes.pop(name) / MILLION
    for key, value in changes.items():
        section, _, name = key.rpartition("__")
        if section:
            settings = settings.model_copy(update={section: change_field(getattr(settings, section), name, value)})
        else:
            settings = change_field(settings, name, value)
    return settings


def change_field(section: Any, name: str, value: object) -> Any:
    """Return a section with another value of one of its fields."""
    assert name in type(section).model_fields, f"no setting is called {name}"
    return section.model_copy(update={name: value})


def limits_with(**changes: Any) -> Limits:
    """Return the usual limits of a turn, with these changes."""
    return replace(TURN_LIMITS, **changes)
