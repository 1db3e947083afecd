"""Compare the requests that are built again from rows with those that Claude's stand-in has read from its socket."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from bot.core.turn import TurnId
from bot.ops.rebuilt_requests import RebuiltRequest, rebuild_requests_of_turn
from bot.store import turns
from bot.store.connection import open_database_file
from tests.stand_ins.claude import Request


def canonical_json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def rebuild_all_requests(database: Path) -> list[RebuiltRequest]:
    """Return all requests of all turns that can be built again from the rows, in no order."""
    with closing(open_database_file(database, "ro")) as db:
        made = [turns.get_turn(db, TurnId(row["id"])) for row in db.fetch_rows("SELECT id FROM turns")]
        found = [rebuilt for turn in made for _, rebuilt in rebuild_requests_of_turn(db, turn)]
    return [each for each in found if each]


def recorded_but_not_rebuilt(recorded: Iterable[Request], rebuilt: Sequence[RebuiltRequest]) -> list[Request]:
    """Return the recorded requests that are not among the rebuilt ones, byte for byte as canonical JSON."""
    left, missing = Counter(canonical_json([each.headers, each.body]) for each in rebuilt), []
    for request in recorded:
        betas = request.headers.get("anthropic-beta")
        text = canonical_json([{"anthropic-beta": betas} if betas else {}, request.body])
        if not left[text]:
            missing.append(request)
        left[text] -= 1
    return missing
