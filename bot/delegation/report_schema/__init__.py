"""Check whether a report fits the JSON Schema that was asked for, in a process that can be stopped.

A JSON Schema comes from a model, and judging it may never end: a pattern may backtrack without end, references may
double at each step. Python cannot interrupt such a pattern, so the whole bot would stop."""

import asyncio
import json
from functools import lru_cache
from pathlib import Path

from bot.core import bounded_process
from bot.delegation.report_schema import texts

JUDGE_SCRIPT_PATH = Path(__file__).with_name("judge.py")
JUDGE_TIMEOUT_SECONDS = 5


class NoVerdict(Exception):
    """The judge reached no verdict. The message is the reason."""


async def find_schema_flaw(schema: str) -> str:
    """Return why a text is not a JSON Schema; empty if it is one. Raise NoVerdict if the judge cannot tell."""
    loop, executor = asyncio.get_running_loop(), bounded_process.SINGLE_SCRIPT_EXECUTOR
    return await loop.run_in_executor(executor, find_schema_flaw_cached, schema)


async def find_report_flaw(schema: str, report: str, seconds: int = JUDGE_TIMEOUT_SECONDS) -> str:
    """Return why a report does not fit a JSON Schema; empty if it fits. Raise NoVerdict if the judge cannot tell."""
    loop, executor = asyncio.get_running_loop(), bounded_process.SINGLE_SCRIPT_EXECUTOR
    return await loop.run_in_executor(executor, find_flaw_in_subprocess, {"schema": schema, "report": report}, seconds)


@lru_cache(maxsize=64)  # several calls often name the same schema
def find_schema_flaw_cached(schema: str) -> str:
    return find_flaw_in_subprocess({"schema": schema}, JUDGE_TIMEOUT_SECONDS)


def find_flaw_in_subprocess(asked: dict[str, str], seconds: int) -> str:
    given = json.dumps(asked).encode()
    try:
        verdict: dict[str, str] = json.loads(bounded_process.run_script(JUDGE_SCRIPT_PATH, (), seconds, given=given))
    except bounded_process.ScriptFailed as failed:
        raise NoVerdict(str(failed)) from None
    if kind := verdict.get("unjudged"):
        raise NoVerdict(texts.UNJUDGED[kind](detail=verdict["detail"]))
    kind = verdict["flaw"]
    return texts.FLAWS[kind](detail=verdict["detail"]) if kind else ""
