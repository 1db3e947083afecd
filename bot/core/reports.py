"""Texts between a turn and its delegations: the brief, the line of facts, the report."""

import json
import re
from collections.abc import Mapping
from typing import Any

from bot.core.limits import LIMITS_BY_DELEGATE_ARGUMENT, Limits
from bot.core.messages import role_display_name
from bot.core.prices import format_micro_dollars
from bot.core.speaker_labels import without_own_label
from bot.core.texts import model
from bot.core.turn import Turn, TurnOutcome

# What a model may mistake for a mark: its opening sign or a look-alike or escape of it, then its word, even with other
# signs between the letters.
MARK_OPENING_SIGN_PATTERN = r"(?:[<\uff1c\ufe64\u2039\u3008\u27e8]|&(?:lt|#0*60|#x0*3c);)"
SIGNS_BETWEEN_LETTERS_PATTERN = r"[\W_]{0,8}"
FULLWIDTH_OFFSET = 0xFEE0  # from a letter to its fullwidth look-alike


def brief_text(arguments: Mapping[str, Any]) -> str:
    context, form, parts = arguments.get("context"), arguments.get("output_format"), [arguments.get("task")]
    if context:
        parts.insert(0, f"<context>\n{context}\n</context>")
    if form and form != "text":  # otherwise any text fits
        schema = schema_of_form(form)
        how = model.REPORT_FITS_SCHEMA if schema else model.REPORT_LOOKS_LIKE
        parts.append(f"<report>\n{how}\n{schema or form}\n</report>")
    return "\n\n".join(filter(None, parts))


def handed_report_ids(arguments: Mapping[str, Any]) -> list[str]:
    """Return the ids of the delegations whose reports a call hands on, each once."""
    return list(dict.fromkeys(id.strip() for id in arguments.get("context_from") or []))


def schema_of_form(form: object) -> str:
    """Return the form's JSON Schema as JSON; empty if the form is only described in words."""
    if isinstance(form, str):
        return form if form.lstrip().startswith("{") else ""
    return json.dumps(form, ensure_ascii=False) if form else ""


def background_delegation_begun_text(turn: Turn, cuts: str) -> str:
    """Return the parent's first result of a background delegation. `cuts` is the text of `limits_cut_text`."""
    if cuts:
        return model.BEGUN_WITH_CUTS(role=role_display_name(turn.role), delegation=turn.id, cuts=cuts)
    return model.BEGUN(role=role_display_name(turn.role), delegation=turn.id)


def detached_delegation_text(turn: Turn) -> str:
    """Return the parent's result of a delegation that goes on in the background, because a message came."""
    return model.STILL_AT_WORK(role=role_display_name(turn.role), delegation=turn.id)


def format_delegation_facts(turn: Turn, state: str, seconds: float) -> str:
    tokens, cost = turn.spent.tokens, format_micro_dollars(turn.spent.cost)
    if not turn.reason:
        return model.DELEGATION(delegation=turn.id, state=state, seconds=seconds, tokens=tokens, cost=cost)
    return model.DELEGATION_WITH_REASON(
        delegation=turn.id, state=state, reason=turn.reason, seconds=seconds, tokens=tokens, cost=cost
    )


def format_delegation_result(turn: Turn, seconds: float, cuts: str) -> str:
    """Return the parent's result of a delegation that has ended. `cuts` is the text of `limits_cut_text`."""
    line = " · ".join(filter(None, [format_delegation_facts(turn, turn.status or TurnOutcome.FAILED, seconds), cuts]))
    return f"{line}\n{labelled_report_text(turn)}"


def labelled_report_text(turn: Turn) -> str:
    """Return the report under its role's name. The words of a group's agent are marked as untrusted."""
    said = f"[{role_display_name(turn.role)}]: {without_own_label(turn.report, turn.role) or model.NO_OUTPUT}"
    if not turn.is_hop:
        return said
    by = model.SAID_BY_YOUR_GROUP if turn.group == turn.parent_group else model.SAID_BY_A_GROUP
    return f"{mark_untrusted(said)}\n{by}"


def mark_untrusted(text: str) -> str:
    return f"<untrusted>\n{escape_marks_in_text(text)}\n</untrusted>"


def escape_marks_in_text(text: str, mark: str = "untrusted") -> str:
    """Return the text, changed so that it can neither end nor begin such a mark."""
    letters = SIGNS_BETWEEN_LETTERS_PATTERN.join(f"[{letter}{chr(ord(letter) + FULLWIDTH_OFFSET)}]" for letter in mark)
    return re.sub(
        f"{MARK_OPENING_SIGN_PATTERN}(?={SIGNS_BETWEEN_LETTERS_PATTERN}{letters})", "(", text, flags=re.IGNORECASE
    )


def group_question_text(asking: str, asker: str, brief: str) -> str:
    agent = model.AGENT_OF_GROUP(group=asking) if asking else model.AGENT_OF_NO_GROUP
    return f"{model.GROUP_ASKS(agent=agent, person=asker)}\n{mark_untrusted(brief)}"


def delegation_failure_text(turn: Turn) -> str:
    if turn.is_hop:
        return model.GROUP_FAILED(group=role_display_name(turn.role), reason=turn.reason)
    return model.SUBAGENT_FAILED(role=role_display_name(turn.role), reason=turn.reason, delegation=turn.id)


def limits_cut_text(arguments: Mapping[str, Any], limits: Limits) -> str:
    """Return which limits in a call's arguments were cut, and to what; empty if none was."""
    return " · ".join(
        model.LIMIT_CUT(limit=name, most=getattr(limits, of))
        for name, of in LIMITS_BY_DELEGATE_ARGUMENT.items()
        if (arguments.get(name) or 0) > getattr(limits, of)
    )


def report_misfit_text(flaw: str, *, of_hop: bool = False) -> str:
    """Return what the parent is told if a report does not fit. A flaw quotes the report: a group's flaw is not told."""
    return model.MISFIT if of_hop else model.MISFIT_WITH_FLAW(flaw=flaw)


def report_correction_request(flaw: str, *, of_hop: bool = False) -> str:
    """Return the delegation's one request to correct its report. The flaw may quote another group, so it is marked."""
    return model.CORRECT_REPORT_TO_A_GROUP(flaw=mark_untrusted(flaw)) if of_hop else model.CORRECT_REPORT(flaw=flaw)
