"""Whether a report has the form that was asked for: judged by a process of its own, which can be given up.

A JSON Schema comes from a model, and may be a program without an end: a pattern that is tried in every way there is,
references that double at each step. Python cannot interrupt the former, and the whole bot would stand still for it.
"""

import asyncio
import json
from functools import lru_cache
from pathlib import Path

from bot.core import bounded_process
from bot.delegation.report_schema import texts

JUDGE_SCRIPT = Path(__file__).with_name("judge.py")
JUDGE_SECONDS = 5


class NoVerdict(Exception):
    """There is no verdict, for this reason."""


async def find_schema_flaw(schema: str) -> str:
    """What makes a text no JSON Schema; empty if nothing does. Raises Unjudged."""
    return await asyncio.wrap_future(bounded_process.ONE_AT_A_TIME.submit(find_flaw_cached, schema))


async def find_report_flaw(schema: str, report: str, seconds: int = JUDGE_SECONDS) -> str:
    """What keeps a report from fitting a JSON Schema; empty if it fits. Raises Unjudged."""
    judging = bounded_process.ONE_AT_A_TIME.submit(run_judge, {"schema": schema, "report": report}, seconds)
    return await asyncio.wrap_future(judging)


@lru_cache(maxsize=64)  # several calls often name the same
def find_flaw_cached(schema: str) -> str:
    return run_judge({"schema": schema}, JUDGE_SECONDS)


def run_judge(asked: dict[str, str], seconds: int) -> str:
    try:
        verdict: dict[str, str] = json.loads(
            bounded_process.run_script(JUDGE_SCRIPT, (), seconds, given=json.dumps(asked).encode())
        )
    except bounded_process.ScriptFailed as failed:
        raise NoVerdict(str(failed)) from None
    if kind := verdict.get("unjudged"):
        raise NoVerdict(texts.UNJUDGED[kind](detail=verdict["detail"]))
    kind = verdict["flaw"]
    return texts.FLAWS[kind](detail=verdict["detail"]) if kind else ""
