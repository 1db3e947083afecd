"""What is said of the lead's model and its effort, by /model and /effort."""

from collections.abc import Collection
from difflib import get_close_matches

from bot.prices import in_order

DEFAULT = "default"
OWNER_CHOOSES = "Only the owner chooses my model and effort."
NO_MODEL_IN_DEMO = "A script answers in the demo: there is no model to choose."
HOW_TO_CHOOSE = "/model NAME or /effort LEVEL chooses another for this chat, and “default” goes back."
NEAREST = 2  # models that an unknown name is taken for
OTHERS = "Others can be named in model.prices of the config."
EFFORTS = ("low", "medium", "high", "xhigh", "max")


def played(model: str, effort: str, efforts: Collection[str]) -> str:
    return f"{model}, effort {effort}" if effort in efforts else model


def current(now: str, later: str) -> str:
    return f"This conversation: {now}." + (f"\n{chosen(later)}" if later != now else "")


def chosen(later: str) -> str:
    return f"From the next conversation on (/new): {later}."


def models(known: Collection[str]) -> str:
    return f"I can use: {', '.join(in_order(known))}."


def efforts(model: str, known: Collection[str]) -> str:
    if not known:
        return f"{model} has no effort to choose."
    return f"{model} has the efforts {', '.join(each for each in EFFORTS if each in known)}."


def unknown_model(name: str, known: Collection[str]) -> str:
    near = get_close_matches(name.casefold(), known, n=NEAREST, cutoff=0.5)
    meant = f" Did you mean {' or '.join(near)}?" if near else ""
    return f"I do not know the model “{name}”.{meant} {models(known)} {OTHERS}"


def no_effort(model: str, effort: str, known: Collection[str]) -> str:
    return f"{model} has no effort “{effort}”. {efforts(model, known)} Choose one by /effort first."


def of_group(group: str) -> str:
    return f"This chat is the group {group}'s: the model of its agent stands in the group's file."
