"""Whether a report has the form that was asked for: judged by a process of its own, which can be given up.

A JSON Schema comes from a model, and may be a program without an end: a pattern that is tried in every way there is,
references that double at each step. Python cannot interrupt the former, and the whole bot would stand still for it.
"""

import asyncio
import json
import os
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

from bot.tools.matching import NEEDED

JUDGE = (sys.executable, "-I", "-B", "-W", "ignore", str(Path(__file__).with_name("judge.py")))
SECONDS = 5


class Unjudged(Exception):
    """There is no verdict, for this reason."""


async def flaw_of_schema(schema: str) -> str:
    """What makes a text no JSON Schema; empty if nothing does. Raises Unjudged."""
    return await asyncio.to_thread(flaw_of, schema)


async def flaw_of_report(schema: str, report: str, seconds: int = SECONDS) -> str:
    """What keeps a report from fitting a JSON Schema; empty if it fits. Raises Unjudged."""
    return await asyncio.to_thread(judged, {"schema": schema, "report": report}, seconds)


@lru_cache(maxsize=64)  # several calls often name the same
def flaw_of(schema: str) -> str:
    return judged({"schema": schema}, SECONDS)


def judged(asked: dict[str, str], seconds: int) -> str:
    try:
        done = subprocess.run(
            (*JUDGE, str(seconds + 1)),
            input=json.dumps(asked),
            capture_output=True,
            check=False,
            encoding="utf-8",
            env={name: os.environ[name] for name in NEEDED if name in os.environ},
            start_new_session=True,  # Ctrl-C in the terminal is the bot's to answer
            timeout=seconds,
        )
    except subprocess.TimeoutExpired:
        raise Unjudged(f"it takes longer than {seconds} s to check") from None
    except OSError as error:
        raise Unjudged(f"nothing can be checked now: {error.strerror}") from None
    if done.returncode:
        raise Unjudged((done.stderr.strip().splitlines() or ["the check ended early"])[-1])
    verdict: dict[str, str] = json.loads(done.stdout)
    return verdict["flaw"]
