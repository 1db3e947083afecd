"""Turns and sessions as JSON for scripts. `retinue chat --json` and `retinue sessions export` share these shapes."""

from dataclasses import asdict
from typing import Any

from bot.core.messages import MessageId
from bot.core.prices import MILLION, Usage, sum_usages
from bot.store import chat_reader, session_records
from bot.store.connection import Connection
from bot.store.session_records import LocatedEntry, TurnRecord

Json = dict[str, Any]


def turn_as_json(record: TurnRecord) -> Json:
    """Return a turn as JSON, with the turns below it in `delegations`. Usage and cost include all turns below.
    `seconds` counts from the turn's start to its end."""
    turn = record.turn
    return {
        "id": turn.id,
        "role": turn.role,
        "group": turn.group or None,
        "task": record.task_excerpt,
        "background": turn.background,
        "status": record.state,
        "reason": turn.reason,
        "report": turn.report,
        **turn_totals_as_json(record),
        "delegations": [turn_as_json(each) for each in record.delegations],
    }


def turn_totals_as_json(record: TurnRecord) -> Json:
    usage = usage_as_json(record.tree_usage)
    return {"seconds": record.duration_seconds, "usage": usage, "cost_usd": record.tree_cost / MILLION}


def usage_as_json(usage: Usage) -> Json:
    """Return the tokens as they are priced, each once."""
    return {name: count for name, count in asdict(usage).items() if name != "expected_cache_read"}


def message_result_as_json(db: Connection, message: MessageId | None) -> Json:
    """Return a message's result as JSON: the reply (or a command's answer), and the `delegations` that worked for it.
    `updates` is what the lead said before the reply. `tokens` has only the tokens that count towards token limits."""
    turn = session_records.find_turn_that_took_message(db, message) if message else None
    if turn is None:
        told = "\n".join(session_records.load_notice_texts_about_message(db, message)) if message else ""
        status = "completed" if told else "unanswered"
        nothing: Json = {
            "updates": [],
            "seconds": None,
            "tokens": 0,
            "usage": usage_as_json(sum_usages([])),
            "cost_usd": 0.0,
        }
        return {"reply": told or None, "status": status, "reason": "", "session": None, **nothing, "delegations": []}
    record = session_records.load_turn_record_tree(db, turn)
    return {
        "reply": record.turn.report or None,
        "status": record.state,
        "reason": record.turn.reason,
        "session": record.turn.session,
        "updates": chat_reader.load_lead_update_texts(db, turn),
        "tokens": record.turn.spent.tokens,
        **turn_totals_as_json(record),
        "delegations": [turn_as_json(each) for each in record.delegations],
    }


def transcript_entry_as_json(found: LocatedEntry) -> Json:
    """Return an entry of a transcript as JSON. Its content is exactly what the model was sent, or what it wrote."""
    located = {"chapter": found.chapter, "model": found.model, "number": found.seq, "turn": found.turn}
    return {**located, **found.entry.as_json()}
