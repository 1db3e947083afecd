"""The results of a step: one answer for each call of the model, and no more than the turn's tokens allow."""

import json
from collections.abc import Sequence
from itertools import groupby

from bot.core.content_blocks import Block, server_tool_unavailable_block, tool_result_block, unanswered_server_tool_uses
from bot.core.prompt_prefix import estimate_tokens
from bot.core.texts import model
from bot.core.turn import Call, CallKind, Turn
from bot.journal import model_texts
from bot.journal.budgets import result_token_allowance
from bot.store import transcript
from bot.store.connection import Connection
from bot.store.sessions import Chapter


def step_results_with_oversized_as_errors(db: Connection, turn: Turn, chapter: Chapter) -> list[Block]:
    """Return the results of a step, in the order of its calls. If a result of a role's own call would use the
    tokens for its last words, the role gets an error instead."""
    calls = transcript.calls_of_last_step(db, turn.id)
    results = result_blocks_of_calls(calls)
    if turn.is_root:  # its results may be whole reports, and a person waits for them
        return results
    own = {call.tool_use_id for call in calls if call.kind is not CallKind.WAIT}
    room, shown = result_token_allowance(db, turn, chapter), list[Block]()
    for result in results:
        if result["tool_use_id"] in own and estimate_result_tokens(result) > room:
            result = tool_result_block(result["tool_use_id"], model.NO_ROOM_FOR_RESULT, is_error=True)
        room -= estimate_result_tokens(result)
        shown.append(result)
    return shown


def unavailable_results_for_server_uses(db: Connection, turn: Turn) -> list[Block]:
    """Return a result for each use of the server's own tools in a turn that has none yet. It says "unavailable"."""
    written = [entry for entry in transcript.entries_of_turn_in_chapter(db, turn) if entry.role == "assistant"]
    uses = unanswered_server_tool_uses([block for entry in written for block in entry.content])
    return [server_tool_unavailable_block(use) for use in uses]


def result_blocks_of_calls(calls: Sequence[Call]) -> list[Block]:
    """Return the answers to a step's calls, in their order. Several tasks of one call share one answer."""
    results = []
    for _, group in groupby(calls, key=lambda call: call.tool_use_key):
        parts = tuple(group)
        first = parts[0]
        text, media = first.result or "", first.media
        if "." in first.id.rpartition("/")[2]:
            tasks = [
                model_texts.TASK_FAILED(number=number, result=call.result) if call.is_error else call.result or ""
                for number, call in enumerate(parts, 1)
            ]
            text, media = "\n\n".join(tasks), None
        is_error = all(call.is_error for call in parts)
        results.append(tool_result_block(first.tool_use_id, text, is_error=is_error, media=media))
    return results


def estimate_result_tokens(result: Block) -> int:
    return estimate_tokens(json.dumps(result))
