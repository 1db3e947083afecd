"""What is said between a turn and the delegations below it: the brief, the line of facts, the report."""

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from bot.labels import without_label
from bot.limits import FIGURES, Limits
from bot.phrases import shown
from bot.prices import dollars
from bot.texts import model
from bot.turn import Status, Turn

# What a model may take for a mark: the sign it begins with, in its look-alikes and escapes too, and its word, whatever
# stands between the letters.
SIGN = r"(?:[<\uff1c\ufe64\u2039\u3008\u27e8]|&(?:lt|#0*60|#x0*3c);)"
BETWEEN = r"[\W_]{0,8}"
WIDE = 0xFEE0  # from a letter to the wide one that looks like it


def brief(arguments: Mapping[str, Any]) -> str:
    """What a delegation is told to do, as its call says."""
    context, form = arguments.get("context"), form_in_words(arguments.get("output_format"))
    return "\n\n".join(
        filter(None, [f"<context>\n{context}\n</context>" if context else "", arguments.get("task"), form])
    )


def form_in_words(form: object) -> str:
    """What a report is to look like, for whoever writes it; nothing where any text will do."""
    if not form or form == "text":
        return ""
    schema = schema_in(form)
    return f"<report>\n{model.REPORT_FITS_SCHEMA if schema else model.REPORT_LOOKS_LIKE}\n{schema or form}\n</report>"


def schema_in(form: object) -> str:
    """The JSON Schema that a form is, as JSON; empty where it is words, which nobody can check."""
    if isinstance(form, str):
        return form if form.lstrip().startswith("{") else ""
    return json.dumps(form, ensure_ascii=False) if form else ""


def begun(turn: Turn, cuts: str) -> str:
    """What a parent hears at once of a delegation in the background; `cuts` as `cuts_of` has them."""
    if cuts:
        return model.BEGUN_WITH_CUTS(role=shown(turn.role), delegation=turn.id, cuts=cuts)
    return model.BEGUN(role=shown(turn.role), delegation=turn.id)


def facts(turn: Turn, state: str, seconds: float) -> str:
    """One line about a delegation."""
    tokens, cost = turn.spent.tokens, dollars(turn.spent.cost)
    if not turn.reason:
        return model.DELEGATION(delegation=turn.id, state=state, seconds=seconds, tokens=tokens, cost=cost)
    return model.DELEGATION_WITH_REASON(
        delegation=turn.id, state=state, reason=turn.reason, seconds=seconds, tokens=tokens, cost=cost
    )


def report(turn: Turn, seconds: float, cuts: str) -> str:
    """What a parent hears of a delegation that has ended; `cuts` as `cuts_of` has them."""
    line = " · ".join(filter(None, [facts(turn, turn.status or Status.FAILED, seconds), cuts]))
    return f"{line}\n{labelled(turn)}"


def labelled(turn: Turn) -> str:
    """Its words under its name. Those of a group's agent that was asked are marked: whoever reads them has other walls,
    or has asked its own group for what it could have done itself."""
    said = f"[{shown(turn.role)}]: {without_label(turn.report, turn.role) or model.NO_OUTPUT}"
    if not turn.is_hop:
        return said
    return (
        f"{untrusted(said)}\n{model.SAID_BY_YOUR_GROUP if turn.group == turn.parent_group else model.SAID_BY_A_GROUP}"
    )


def untrusted(text: str) -> str:
    """Words of another group's agent, marked as such."""
    return f"<untrusted>\n{unclosed(text)}\n</untrusted>"


def unclosed(text: str, mark: str = "untrusted") -> str:
    """A text that cannot end the mark it stands in, nor begin another."""
    return mark_of(mark).sub("(", text)


@cache
def mark_of(word: str) -> re.Pattern[str]:
    letters = BETWEEN.join(f"[{letter}{chr(ord(letter) + WIDE)}]" for letter in word)
    return re.compile(f"{SIGN}(?={BETWEEN}{letters})", re.IGNORECASE)


def question(asking: str, asker: str, brief: str) -> str:
    """What a group's agent is asked by another's."""
    return f"{model.GROUP_ASKS(group=asking, person=asker)}\n{untrusted(brief)}"


def failed(turn: Turn) -> str:
    if turn.is_hop:
        return model.GROUP_FAILED(group=shown(turn.role), reason=turn.reason)
    return model.SUBAGENT_FAILED(role=shown(turn.role), reason=turn.reason, delegation=turn.id)


def cuts_of(arguments: Mapping[str, Any], limits: Limits) -> str:
    """Which of the figures that a call named were more than there was to give."""
    return " · ".join(
        model.LIMIT_CUT(limit=name, most=getattr(limits, of))
        for name, of in FIGURES.items()
        if (arguments.get(name) or 0) > getattr(limits, of)
    )


def misfit(flaw: str, *, of_hop: bool = False) -> str:
    """What the parent hears of a report that has not the form that was asked for. A flaw quotes the report, and this
    stands outside of the mark that another group's words have."""
    return model.MISFIT if of_hop else model.MISFIT_WITH_FLAW(flaw=flaw)


def correction(flaw: str, *, of_hop: bool = False) -> str:
    """What the delegation hears of it, once. A flaw quotes the form too, and so whoever asked for it."""
    return model.CORRECT_REPORT_TO_A_GROUP(flaw=untrusted(flaw)) if of_hop else model.CORRECT_REPORT(flaw=flaw)
