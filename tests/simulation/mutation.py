"""A deliberate bug as a change of the source."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Mutation:
    name: str
    path: str
    old: str
    new: str
    scenario: str = ""  # in which it is looked for; empty: in all

    def apply(self, root: Path) -> None:
        """Change the source below `root`. Raise ValueError if it is no longer what the mutation is about."""
        file = root / self.path
        source = file.read_text()
        if source.count(self.old) != 1:
            raise ValueError(f"{self.path} no longer has what the deliberate bug “{self.name}” changes")
        file.write_text(source.replace(self.old, self.new))
