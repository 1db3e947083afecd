"""Skills: instructions of the operator for one kind of work, which a model reads when it does that work."""

from dataclasses import dataclass
from pathlib import Path

SKILL_FILE = "SKILL.md"
USE_SKILL_TOOL_NAME = "use_skill"


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """`tools` are the only ones that a role has while it works with the skill; None: all of its own. If the operator
    has not said that it may be trusted, its words are those of others."""

    name: str
    description: str
    body: str
    folder: Path
    tools: frozenset[str] | None = None
    is_trusted: bool = False
