"""Which text says it of the lead's model and its effort, by /model and /effort."""

from collections.abc import Collection
from difflib import get_close_matches

from bot.core.prices import sort_models
from bot.core.texts import people, people_models

DEFAULT = "default"
NEAREST = 2  # models that an unknown name is taken for
EFFORTS = ("low", "medium", "high", "xhigh", "max")


def model_and_effort(model: str, effort: str, efforts: Collection[str]) -> str:
    return people_models.MODEL_WITH_EFFORT(model=model, effort=effort) if effort in efforts else model


def current_model_text(now: str, later: str) -> str:
    said = people_models.CURRENT_MODEL(model=now)
    return said if later == now else f"{said}\n{people_models.NEXT_MODEL(model=later)}"


def models_text(known: Collection[str]) -> str:
    return people_models.USABLE_MODELS(models=", ".join(sort_models(known)))


def efforts_text(model: str, known: Collection[str]) -> str:
    if not known:
        return people_models.NO_EFFORTS(model=model)
    return people_models.EFFORTS(model=model, efforts=format_efforts(known))


def unknown_model_text(name: str, known: Collection[str]) -> str:
    *first, last = get_close_matches(name.casefold(), known, n=NEAREST, cutoff=0.5) or [""]
    nearest = people.OR(items=", ".join(first), last=last) if first else last
    models = ", ".join(sort_models(known))
    if nearest:
        return people_models.UNKNOWN_MODEL_LIKE(model=name, nearest=nearest, models=models)
    return people_models.UNKNOWN_MODEL(model=name, models=models)


def no_effort_text(model: str, effort: str, known: Collection[str]) -> str:
    if not known:
        return people_models.NO_EFFORTS(model=model)
    return people_models.UNKNOWN_EFFORT(model=model, effort=effort, efforts=format_efforts(known))


def format_efforts(efforts: Collection[str]) -> str:
    return ", ".join(each for each in EFFORTS if each in efforts)
