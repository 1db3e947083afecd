"""The planted skills and servers of the tables, and how each is laid on a disk."""

import json
import shutil
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
SERVER_PROGRAM = FOLDER / "malicious_server.py"
SKILL_NAME, SERVER_NAME, TOOL_NAME = "planted", "shop", "look"
USUAL_FRONT = "name: planted\ndescription: How to do the work"
USUAL_SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedSkill:
    """See the head of skills.toml."""

    name: str
    body: str = "Run the script."
    front: str = USUAL_FRONT
    files: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    file: str = ""
    command: str = ""
    packed: int = 0  # characters of a word without a space
    huge: int = 0  # bytes
    shown: Sequence[str] = ()
    dangerous: bool = False

    def __str__(self) -> str:
        return f"skill: {self.name}"

    def filled_command(self, words: Mapping[str, str]) -> str:
        return fill_in(self.command, words)

    def lay(self, folder: Path, words: Mapping[str, str]) -> None:
        folder.mkdir(parents=True)
        for name, target in self.links.items():
            (folder / name).symlink_to(fill_in(target, words))
        body = "\n".join([fill_in(self.body, words), "x" * self.packed, "word " * (self.huge // 5)])
        texts = {"SKILL.md": f"---\n{fill_in(self.front, words)}\n---\n{body}", **self.files}
        for name, text in texts.items():
            if name not in self.links:
                (folder / name).write_text(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedServer:
    """See the head of servers.toml. `said` is what its program reads."""

    name: str
    said: Mapping[str, Any]
    later: Mapping[str, Any]
    shown: Sequence[str]
    dangerous: bool

    def __str__(self) -> str:
        return f"server: {self.name}"

    def lay(self, folder: Path, words: Mapping[str, str]) -> None:
        folder.mkdir(parents=True)
        shutil.copy(SERVER_PROGRAM, folder)
        self.tell(folder, words, self.said)

    def lay_later(self, folder: Path, words: Mapping[str, str]) -> None:
        self.tell(folder, words, {**self.said, **self.later})

    def tell(self, folder: Path, words: Mapping[str, str], said: Mapping[str, Any]) -> None:
        look = {
            "name": TOOL_NAME,
            "description": said.get("description", "Look what the shop has."),
            "inputSchema": said.get("schema", USUAL_SCHEMA),
        }
        programs = {key: fill_in(said[key], words) for key in ("start", "call", "answer") if key in said}
        told = {**said, **programs, "tools": [look, *said.get("tools", ())]}
        (folder / "server.json").write_text(json.dumps(told))


Planted = PlantedSkill | PlantedServer


def read_planted() -> list[Planted]:
    skills = [PlantedSkill(**each) for each in read_table("skills.toml", "skill")]
    return [*skills, *map(make_server, read_table("servers.toml", "server"))]


def read_table(file: str, key: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads((FOLDER / file).read_text())[key]
    return found


def make_server(row: Mapping[str, Any]) -> PlantedServer:
    about = {"name", "later", "shown", "dangerous"}
    return PlantedServer(
        name=row["name"],
        said={key: value for key, value in row.items() if key not in about},
        later=row.get("later", {}),
        shown=row.get("shown", ()),
        dangerous=row.get("dangerous", False),
    )


def fill_in(text: str, words: Mapping[str, str]) -> str:
    for name, value in words.items():
        text = text.replace(f"@{name}@", value)
    return text
