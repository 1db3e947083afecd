"""What is said between a turn and the delegations below it: the brief, the line of facts, the report."""

import json
from collections.abc import Mapping
from typing import Any

from bot.limits import FIGURES, Limits
from bot.messages import without_label
from bot.phrases import shown
from bot.prices import dollars
from bot.turn import Status, Turn

NO_OUTPUT = "(no output)"
FITS = "Your last message is your report. It must be JSON that fits this JSON Schema, and nothing else:"
LOOKS = "Your last message is your report. It is to look like this:"


def brief(arguments: Mapping[str, Any]) -> str:
    """What a delegation is told to do, as its call says."""
    context, form = arguments.get("context"), form_in_words(arguments.get("output_format"))
    return "\n\n".join(
        filter(None, [f"<context>\n{context}\n</context>" if context else "", arguments.get("task"), form])
    )


def next_task(asker: str, brief: str) -> str:
    """What a delegation that goes on is told: whoever it works for now may be somebody else."""
    return f"Your next task, for {asker}:\n\n{brief}"


def form_in_words(form: object) -> str:
    """What a report is to look like, for whoever writes it; nothing where any text will do."""
    if not form or form == "text":
        return ""
    schema = schema_in(form)
    return f"<report>\n{FITS if schema else LOOKS}\n{schema or form}\n</report>"


def schema_in(form: object) -> str:
    """The JSON Schema that a form is, as JSON; empty where it is words, which nobody can check."""
    if isinstance(form, str):
        return form if form.lstrip().startswith("{") else ""
    return json.dumps(form, ensure_ascii=False) if form else ""


def begun(turn: Turn, cut: str) -> str:
    return f"{shown(turn.role)} has begun in the background as {turn.id}{cut}; its report will come as a message"


def facts(turn: Turn, state: str, seconds: float, cut: str = "") -> str:
    """One line about a delegation."""
    why = f" ({turn.reason})" if turn.reason else ""
    used = f"{turn.spent.tokens:,} tokens · {dollars(turn.spent.cost)}"
    return f"delegation {turn.id} · {state}{why} · {seconds:.0f} s · {used}{cut}"


def report(turn: Turn, seconds: float, cut: str) -> str:
    """What a parent hears of a delegation that has ended."""
    return f"{facts(turn, turn.status or Status.FAILED, seconds, cut)}\n{labelled(turn)}"


def labelled(turn: Turn) -> str:
    return f"[{shown(turn.role)}]: {without_label(turn.report, turn.role) or NO_OUTPUT}"


def failed(turn: Turn) -> str:
    return f"Sub-agent '{shown(turn.role)}' failed: {turn.reason} (continue_from {turn.id} goes on with what it did)"


def is_at_work(turn: Turn) -> str:
    return f"delegation {turn.id} is at work: only one that has ended can be continued; get_delegation tells how it is"


def cut(arguments: Mapping[str, Any], limits: Limits) -> str:
    """Which of the figures that a call named were more than there was to give."""
    less = [
        f"{name} cut to {getattr(limits, of):,.0f}"
        for name, of in FIGURES.items()
        if (arguments.get(name) or 0) > getattr(limits, of)
    ]
    return "".join(f" · {each}" for each in less)


def misfit(flaw: str) -> str:
    """What the parent hears of a report that has not the form that was asked for."""
    return f"its report does not fit output_format: {flaw}"


def unjudged(why: str) -> str:
    """What the parent hears where nobody could tell whether a report fits."""
    return f"whether its report fits output_format is unknown: {why}"


def correction(flaw: str) -> str:
    """What the delegation hears of it, once."""
    return (
        f"Your report does not fit the JSON Schema that was asked for: {flaw}\n"
        "Write the whole report once more so that it fits: only the JSON."
    )
