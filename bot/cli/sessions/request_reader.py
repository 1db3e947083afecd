"""The work of `retinue sessions requests` and `again`: build the requests of a turn again, or try the turn again."""

import asyncio
import json
import secrets
from pathlib import Path

from bot.cli.options import CommandError
from bot.cli.sessions import texts
from bot.cli.sessions.session_reader import read_database_or_fail, resolve_partial_id
from bot.core.errors import ForkRefused
from bot.core.forks import ForkOrder
from bot.core.prices import format_micro_dollars
from bot.core.turn import Turn, TurnId
from bot.ops.control.forks import ask_for_fork
from bot.ops.health import retinue_version
from bot.ops.rebuilt_requests import RebuiltRequest, rebuild_requests_of_turn
from bot.ops.request_verdicts import describe_verdict, request_as_json
from bot.store import session_records, turns
from bot.store.connection import Connection
from bot.store.sent_requests import KeptRequest


def request_list_lines(data: Path, part: str) -> list[str]:
    """Return a line for each request of the turn whose id the part matches, with whether it is what was sent."""

    def lines(db: Connection) -> list[str]:
        made = rebuild_requests_of_turn(db, turn_by_id_part(db, part))
        return [request_line(row, rebuilt) for row, rebuilt in made] or [texts.NO_REQUESTS()]

    return read_database_or_fail(data, lines)


def request_line(row: KeptRequest, rebuilt: RebuiltRequest | None) -> str:
    facts = [row.state, *([texts.TOKENS_READ(row.usage.prompt_tokens)] if row.usage else [])]
    facts += [] if row.cost is None else [format_micro_dollars(row.cost)]
    verdict = describe_verdict(row, rebuilt)
    return texts.REQUEST(id=row.id, model=row.model, facts=", ".join(facts), verdict=verdict)


def requests_as_json_text(data: Path, part: str) -> str:
    def text(db: Connection) -> str:
        made = rebuild_requests_of_turn(db, turn_by_id_part(db, part))
        return json.dumps([request_as_json(row, rebuilt) for row, rebuilt in made], indent=2)

    return read_database_or_fail(data, text)


def turn_by_id_part(db: Connection, part: str) -> Turn:
    return turns.get_turn(db, TurnId(resolve_partial_id(part, session_records.list_turn_ids(db), "turn")))


def try_turn_again(data: Path, part: str, *, model: str, words: str) -> str:
    """Have the running bot try a turn again. Return a line about it. Raise CommandError if it does not."""
    turn = read_database_or_fail(data, lambda db: turn_by_id_part(db, part).id)
    order = ForkOrder(key=secrets.token_hex(16), turn=turn, text=words, model=model)
    try:
        fork = asyncio.run(ask_for_fork(data, retinue_version(), order))
    except ForkRefused as error:
        raise CommandError(str(error)) from None
    return texts.FORKED(turn=fork.turn, conversation=fork.session)
