"""What a step's results may add to a transcript."""

import json

from bot.blocks import Block, answered
from bot.prefix import estimate
from bot.store import transcript
from bot.store.connection import Connection
from bot.store.sessions import Chapter
from bot.store.token_caps import room_for_results
from bot.texts import model
from bot.turn import CallKind, Turn


def results_within(db: Connection, turn: Turn, chapter: Chapter) -> list[Block]:
    """Return the results of a step, in the order of its calls. A role does not get those of its own calls that would
    take the tokens of its last words: it is told so instead."""
    results = transcript.results(db, turn.id)
    if turn.is_root:  # its results may be whole reports, which a person waits for
        return results
    own = {call.tool_use_id for call in transcript.last_step(db, turn.id) if call.kind is not CallKind.WAIT}
    room, shown = room_for_results(db, turn, chapter), list[Block]()
    for result in results:
        if result["tool_use_id"] in own and tokens(result) > room:
            result = answered(result["tool_use_id"], model.NO_ROOM_FOR_RESULT, is_error=True)
        room -= tokens(result)
        shown.append(result)
    return shown


def tokens(result: Block) -> int:
    return estimate(json.dumps(result))
