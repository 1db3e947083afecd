"""Which text says it of the lead's model and its effort, by /model and /effort."""

from collections.abc import Collection
from difflib import get_close_matches

from bot.prices import in_order
from bot.texts import people, people_models

DEFAULT = "default"
NEAREST = 2  # models that an unknown name is taken for
EFFORTS = ("low", "medium", "high", "xhigh", "max")


def played(model: str, effort: str, efforts: Collection[str]) -> str:
    return people_models.MODEL_WITH_EFFORT(model=model, effort=effort) if effort in efforts else model


def current(now: str, later: str) -> str:
    said = people_models.CURRENT_MODEL(model=now)
    return said if later == now else f"{said}\n{people_models.NEXT_MODEL(model=later)}"


def models(known: Collection[str]) -> str:
    return people_models.USABLE_MODELS(models=", ".join(in_order(known)))


def efforts(model: str, known: Collection[str]) -> str:
    if not known:
        return people_models.NO_EFFORTS(model=model)
    return people_models.EFFORTS(model=model, efforts=listed(known))


def unknown_model(name: str, known: Collection[str]) -> str:
    *first, last = get_close_matches(name.casefold(), known, n=NEAREST, cutoff=0.5) or [""]
    nearest = people.OR(items=", ".join(first), last=last) if first else last
    models = ", ".join(in_order(known))
    if nearest:
        return people_models.UNKNOWN_MODEL_LIKE(model=name, nearest=nearest, models=models)
    return people_models.UNKNOWN_MODEL(model=name, models=models)


def no_effort(model: str, effort: str, known: Collection[str]) -> str:
    if not known:
        return people_models.NO_EFFORTS(model=model)
    return people_models.UNKNOWN_EFFORT(model=model, effort=effort, efforts=listed(known))


def listed(efforts: Collection[str]) -> str:
    return ", ".join(each for each in EFFORTS if each in efforts)
