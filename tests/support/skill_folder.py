"""A folder of skills, as an operator writes them."""

from pathlib import Path
from typing import Any

from bot.config import Config
from bot.config.skills import LoadedSkills, load_skills
from bot.core.skill import Skill

BODY = "# Invoices\n\n1. Read the table.\n2. Say the sum."


class SkillFolder:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str, text: str, file: str = "SKILL.md") -> Path:
        path = self.folder / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        return path

    def skill(self, folder: str = "invoices", body: str = BODY, **keys: str) -> Path:
        told = {"name": folder, "description": f"How to do {folder}", **keys}
        front = "\n".join(f"{key}: {value}" for key, value in told.items())
        return self.write(folder, f"---\n{front}\n---\n{body}")

    def config(self, **values: Any) -> Config:
        return Config.model_validate({"skills_dir": self.folder, "workspace": self.folder.parent / "desk", **values})

    def load(self, **values: Any) -> LoadedSkills:
        return load_skills(self.config(**values))

    def skills(self) -> tuple[Skill, ...]:
        loaded = self.load()
        assert loaded.faults == ()
        return loaded.skills
