"""Limit what a step's results add to a transcript."""

import json

from bot.core.content_blocks import Block, tool_result_block
from bot.core.prompt_prefix import estimate_tokens
from bot.core.texts import model
from bot.core.turn import CallKind, Turn
from bot.journal.token_caps import tokens_for_results
from bot.store import transcript
from bot.store.connection import Connection
from bot.store.sessions import Chapter


def fit_step_results(db: Connection, turn: Turn, chapter: Chapter) -> list[Block]:
    """Return the results of a step, in the order of its calls. If a result of a role's own call would use the
    tokens for its last words, the role gets an error instead."""
    results = transcript.step_results(db, turn.id)
    if turn.is_root:  # its results may be whole reports, and a person waits for them
        return results
    own = {call.tool_use_id for call in transcript.calls_of_last_step(db, turn.id) if call.kind is not CallKind.WAIT}
    room, shown = tokens_for_results(db, turn, chapter), list[Block]()
    for result in results:
        if result["tool_use_id"] in own and count_result_tokens(result) > room:
            result = tool_result_block(result["tool_use_id"], model.NO_ROOM_FOR_RESULT, is_error=True)
        room -= count_result_tokens(result)
        shown.append(result)
    return shown


def count_result_tokens(result: Block) -> int:
    return estimate_tokens(json.dumps(result))
