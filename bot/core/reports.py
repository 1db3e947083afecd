"""What is said between a turn and the delegations below it: the brief, the line of facts, the report."""

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from bot.core.limits import LIMIT_ARGUMENTS, Limits
from bot.core.phrases import role_display_name
from bot.core.prices import format_dollars
from bot.core.speaker_labels import without_label
from bot.core.texts import model
from bot.core.turn import Turn, TurnStatus

# What a model may take for a mark: the sign it begins with, in its look-alikes and escapes too, and its word, whatever
# stands between the letters.
SIGN = r"(?:[<\uff1c\ufe64\u2039\u3008\u27e8]|&(?:lt|#0*60|#x0*3c);)"
BETWEEN = r"[\W_]{0,8}"
FULLWIDTH_OFFSET = 0xFEE0  # from a letter to the wide one that looks like it


def brief_text(arguments: Mapping[str, Any]) -> str:
    """What a delegation is told to do, as its call says."""
    context, form = arguments.get("context"), report_form_text(arguments.get("output_format"))
    return "\n\n".join(
        filter(None, [f"<context>\n{context}\n</context>" if context else "", arguments.get("task"), form])
    )


def report_form_text(form: object) -> str:
    """What a report is to look like, for whoever writes it; nothing where any text will do."""
    if not form or form == "text":
        return ""
    schema = schema_of_form(form)
    return f"<report>\n{model.REPORT_FITS_SCHEMA if schema else model.REPORT_LOOKS_LIKE}\n{schema or form}\n</report>"


def schema_of_form(form: object) -> str:
    """The JSON Schema that a form is, as JSON; empty where it is words, which nobody can check."""
    if isinstance(form, str):
        return form if form.lstrip().startswith("{") else ""
    return json.dumps(form, ensure_ascii=False) if form else ""


def background_start_text(turn: Turn, cuts: str) -> str:
    """What a parent hears at once of a delegation in the background; `cuts` as `limits_cut_text` has them."""
    if cuts:
        return model.BEGUN_WITH_CUTS(role=role_display_name(turn.role), delegation=turn.id, cuts=cuts)
    return model.BEGUN(role=role_display_name(turn.role), delegation=turn.id)


def facts_line(turn: Turn, state: str, seconds: float) -> str:
    """One line about a delegation."""
    tokens, cost = turn.spent.tokens, format_dollars(turn.spent.cost)
    if not turn.reason:
        return model.DELEGATION(delegation=turn.id, state=state, seconds=seconds, tokens=tokens, cost=cost)
    return model.DELEGATION_WITH_REASON(
        delegation=turn.id, state=state, reason=turn.reason, seconds=seconds, tokens=tokens, cost=cost
    )


def report_text(turn: Turn, seconds: float, cuts: str) -> str:
    """What a parent hears of a delegation that has ended; `cuts` as `limits_cut_text` has them."""
    line = " · ".join(filter(None, [facts_line(turn, turn.status or TurnStatus.FAILED, seconds), cuts]))
    return f"{line}\n{label_report(turn)}"


def label_report(turn: Turn) -> str:
    """Its words under its name. Those of a group's agent that was asked are marked: whoever reads them has other walls,
    or has asked its own group for what it could have done itself."""
    said = f"[{role_display_name(turn.role)}]: {without_label(turn.report, turn.role) or model.NO_OUTPUT}"
    if not turn.is_hop:
        return said
    by = model.SAID_BY_YOUR_GROUP if turn.group == turn.parent_group else model.SAID_BY_A_GROUP
    return f"{mark_untrusted(said)}\n{by}"


def mark_untrusted(text: str) -> str:
    """Words of another group's agent, marked as such."""
    return f"<untrusted>\n{escape_mark(text)}\n</untrusted>"


def escape_mark(text: str, mark: str = "untrusted") -> str:
    """A text that cannot end the mark it stands in, nor begin another."""
    return mark_pattern(mark).sub("(", text)


@cache
def mark_pattern(word: str) -> re.Pattern[str]:
    letters = BETWEEN.join(f"[{letter}{chr(ord(letter) + FULLWIDTH_OFFSET)}]" for letter in word)
    return re.compile(f"{SIGN}(?={BETWEEN}{letters})", re.IGNORECASE)


def group_question_text(asking: str, asker: str, brief: str) -> str:
    """What a group's agent is asked by another's."""
    return f"{model.GROUP_ASKS(group=asking, person=asker)}\n{mark_untrusted(brief)}"


def failure_text(turn: Turn) -> str:
    if turn.is_hop:
        return model.GROUP_FAILED(group=role_display_name(turn.role), reason=turn.reason)
    return model.SUBAGENT_FAILED(role=role_display_name(turn.role), reason=turn.reason, delegation=turn.id)


def limits_cut_text(arguments: Mapping[str, Any], limits: Limits) -> str:
    """Which of the figures that a call named were more than there was to give."""
    return " · ".join(
        model.LIMIT_CUT(limit=name, most=getattr(limits, of))
        for name, of in LIMIT_ARGUMENTS.items()
        if (arguments.get(name) or 0) > getattr(limits, of)
    )


def misfit_text(flaw: str, *, of_hop: bool = False) -> str:
    """What the parent hears of a report that has not the form that was asked for. A flaw quotes the report, and this
    stands outside of the mark that another group's words have."""
    return model.MISFIT if of_hop else model.MISFIT_WITH_FLAW(flaw=flaw)


def correction_text(flaw: str, *, of_hop: bool = False) -> str:
    """What the delegation hears of it, once. A flaw quotes the form too, and so whoever asked for it."""
    return model.CORRECT_REPORT_TO_A_GROUP(flaw=mark_untrusted(flaw)) if of_hop else model.CORRECT_REPORT(flaw=flaw)
