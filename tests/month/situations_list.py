"""The two lists, as data: what `situations.md` and `foreign_situations.md` say."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
KINDS = {  # the kinds of the foreign list, by those of ours
    "picture": "picture",
    "file": "file",
    "voice": "voice",
    "reminder": "reminder",
    "schedule": "schedule",
    "language/time zone": "command",
    "memory": "memory",
    "search": "memory",
    "group talk": "group talk",
    "command": "command",
    "account linking": "command",
    "long answer/file out": "file out",
    "forgetting/privacy": "trouble",
    "edits/deletes": "trouble",
    "trouble": "trouble",
}
FIRST_FOREIGN = 161


@dataclass(frozen=True)
class Line:
    number: int
    kind: str
    title: str
    must: str
    has_kill: bool
    is_foreign: bool = False

    @property
    def name(self) -> str:
        return f"foreign {self.number - FIRST_FOREIGN + 1}" if self.is_foreign else str(self.number)


def read_own() -> list[Line]:
    found, kind = [], ""
    for line in (HERE / "situations.md").read_text().splitlines():
        if line.startswith("## "):
            kind = line[3:].strip()
        if re.match(r"\| \d", line):
            number, platform, chat, title, must, kill = (cell.strip() for cell in line.strip("|").split("|"))
            found.append(Line(int(number), kind, f"{platform} {chat}: {title}", must, bool(kill)))
    return found


def read_foreign() -> list[Line]:
    found = []
    for part in re.split(r"^### ", (HERE / "foreign_situations.md").read_text(), flags=re.MULTILINE)[1:]:
        head, _, body = part.partition("\n")
        number, _, title = head.partition(". ")
        fields = dict(re.findall(r"^(kind|happens|must): (.*)$", body, flags=re.MULTILINE))
        kind, has_kill = KINDS[fields["kind"]], "KILL" in fields["happens"]
        found.append(Line(FIRST_FOREIGN - 1 + int(number), kind, title, fields["must"], has_kill, is_foreign=True))
    return found


def read_lists() -> dict[int, Line]:
    return {line.number: line for line in (*read_own(), *read_foreign())}
