"""Whether a report has the form that was asked for: judged by a process of its own, which can be given up.

A JSON Schema comes from a model, and may be a program without an end: a pattern that is tried in every way there is,
references that double at each step. Python cannot interrupt the former, and the whole bot would stand still for it.
"""

import asyncio
import json
from functools import lru_cache
from pathlib import Path

from bot import apart
from bot.forms import texts

JUDGE = Path(__file__).with_name("judge.py")
SECONDS = 5


class Unjudged(Exception):
    """There is no verdict, for this reason."""


async def flaw_of_schema(schema: str) -> str:
    """What makes a text no JSON Schema; empty if nothing does. Raises Unjudged."""
    return await asyncio.wrap_future(apart.ONE_AT_A_TIME.submit(flaw_of, schema))


async def flaw_of_report(schema: str, report: str, seconds: int = SECONDS) -> str:
    """What keeps a report from fitting a JSON Schema; empty if it fits. Raises Unjudged."""
    judging = apart.ONE_AT_A_TIME.submit(judged, {"schema": schema, "report": report}, seconds)
    return await asyncio.wrap_future(judging)


@lru_cache(maxsize=64)  # several calls often name the same
def flaw_of(schema: str) -> str:
    return judged({"schema": schema}, SECONDS)


def judged(asked: dict[str, str], seconds: int) -> str:
    try:
        verdict: dict[str, str] = json.loads(apart.run(JUDGE, (), seconds, given=json.dumps(asked).encode()))
    except apart.Failed as failed:
        raise Unjudged(str(failed)) from None
    if kind := verdict.get("unjudged"):
        raise Unjudged(texts.UNJUDGED[kind](detail=verdict["detail"]))
    kind = verdict["flaw"]
    return texts.FLAWS[kind](detail=verdict["detail"]) if kind else ""
