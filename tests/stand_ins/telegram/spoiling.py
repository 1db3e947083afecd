"""Send an answer as it is, or as a fault changes it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass

from tests.stand_ins.http import Connection
from tests.stand_ins.telegram.errors import Json, Refusal
from tests.stand_ins.telegram.faults import Fault
from tests.stand_ins.telegram.records import Call

AS_JSON = {"content-type": "application/json"}
AS_PAGE = {"content-type": "text/html"}
PAGE = b"<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>"
PORTAL = b"<!doctype html><html><body>Please accept our terms of use to go on.</body></html>"
RETRIES = {Fault.RETRY_1: 1, Fault.RETRY_35: 35, Fault.RETRY_240: 240}


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: bytes
    headers: dict[str, str]


def encoded(body: Json, status: int = 200) -> Answer:
    """Return an answer as the platform writes it: in ASCII, so that even half a surrogate pair arrives."""
    return Answer(status, json.dumps(body).encode(), AS_JSON)


def refused(refusal: Refusal) -> Answer:
    return encoded(refusal.body(), refusal.code)


DOWN = refused(Refusal(500, "Internal Server Error: restart"))
UNSAID = refused(Refusal(429, "Too Many Requests: retry later"))
GATEWAY = Answer(502, PAGE, AS_PAGE)
INSTEAD = {  # instead of the call's effect and answer
    **{
        fault: refused(Refusal(429, f"Too Many Requests: retry after {n}", {"retry_after": n}))
        for fault, n in RETRIES.items()
    },
    Fault.HTML: Answer(200, PORTAL, AS_PAGE),
    Fault.NOT_OK: encoded({"ok": False}),
    Fault.RETRY_UNSAID: UNSAID,
    Fault.SERVER_ERROR: DOWN,
    Fault.BAD_GATEWAY: GATEWAY,
}
AFTER = {  # instead of the answer
    Fault.HTML_AFTER: Answer(200, PORTAL, AS_PAGE),
    Fault.SERVER_ERROR_AFTER: DOWN,
    Fault.BAD_GATEWAY_AFTER: GATEWAY,
}


async def send(connection: Connection, call: Call, answer: Answer, fault: Fault | None, slow_seconds: float) -> bool:
    """Send the answer. Return True if the connection can be used again."""
    match fault:
        case Fault.RESET_AFTER:
            connection.reset()
            return False
        case Fault.END_AFTER:
            return False
        case Fault.BLACK_HOLE:
            await connection.watch()
            return False
        case Fault.SLOW:
            await asyncio.sleep(slow_seconds)
    answer = AFTER.get(fault, answer) if fault else answer
    call.status = answer.status
    if fault is Fault.HALF_ANSWER:
        await connection.head(answer.status, {**answer.headers, "content-length": str(len(answer.body))})
        await connection.send(answer.body[: len(answer.body) // 2])
        return False
    await connection.whole(answer.status, answer.headers, answer.body)
    return True
