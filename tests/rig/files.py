"""Files that the lead and a role send while the bot is killed: each is shown once, as it was when it was planned."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.core.channel import MessagePart

if TYPE_CHECKING:
    from tests.rig.checks import Played

CLERK = "clerk"  # the role that sends files
SENDS = "sends"  # the plot of a lead that sends files
HAS_DESK = "has_desk"  # the setting of a scenario whose roles send files of a workspace
NAMES = ("report.txt", "figures.csv", "notes.md")


def sends(*names: str, caption: str = "") -> tuple[str, dict[str, Any]]:
    more = {"caption": caption} if caption else {}
    return "send_file", {"path": list(names) if len(names) > 1 else names[0], **more}


def number(*calls: tuple[str, dict[str, Any]]) -> list[tuple[int, tuple[str, dict[str, Any]]]]:
    return list(enumerate(calls))


PLANS = {
    (SENDS, 0): number(
        sends("report.txt", caption="the report"),
        ("change", {}),
        sends(*NAMES),
        ("delegate", {"role": CLERK, "task": "send what is there"}),
    ),
    (SENDS, 1): number(("change", {}), sends("missing.txt"), sends("report.txt")),
    (CLERK, 0): number(sends("notes.md", caption="from the clerk"), ("change", {})),
    (CLERK, 1): number(("message", {"text": "it is there"}), sends("report.txt", "notes.md")),
}


def furnish_desk(desk: Path) -> None:
    desk.mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        (desk / name).write_text(f"{name} before all changes")


def change_desk(desk: Path, call: str) -> None:
    """Change every file in place, as a program does that is no tool of the bot."""
    for name in NAMES:
        with (desk / name).open("w") as file:
            file.write(f"{name} since {call}")


def shown_files(part: MessagePart) -> str:
    """Return what people see of a part's files. It is read when it is sent, as an upload is."""
    found = []
    for each in part.files:
        with each.open() as file:
            found.append(f"{each.file.name}={file.read().decode()}")
    return f" ({', '.join(found)})" if found else ""


def files(db: sqlite3.Connection, run: Played) -> Iterator[str]:
    """Each file that a call has sent is shown with the content that it had then, and no other."""
    rows = {row["key"]: row for row in db.execute("SELECT * FROM outbox WHERE files != '[]'")}
    for call in db.execute("SELECT * FROM calls WHERE name = 'send_file'").fetchall():
        is_refused = call["is_error"] or call["result"] is None or "on their way" not in call["result"]
        run.figures["files refused" if is_refused else "files sent"] += 1
        if is_refused == (call["id"] in rows):
            yield f"{call['id']} has {'a' if is_refused else 'no'} message: {call['result']}"
    for key, row in rows.items():
        named = [each["name"] for each in json.loads(row["files"])]
        seen = {each["text"].rpartition(" (")[2] for each in run.world.sends if each["key"] == f"{key}:0"}
        if (
            row["state"] != "sent"
            or len(seen) != 1
            or not all(f"{name}={name} " in seen.copy().pop() for name in named)
        ):
            yield f"{key} is {row['state']}, and people saw {seen}"


CHECKS = (files,)
