"""Databases of earlier versions: see tests/store/databases/README.md."""

import lzma
import re
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "store" / "databases"
NAMES = sorted(path.name.removesuffix(".db.xz") for path in FOLDER.glob("*.db.xz"))


def step_of(name: str) -> int:
    found = re.match(r"step(\d+)", name)
    assert found
    return int(found[1])


def unpack(name: str, data: Path) -> Path:
    """Write a database into a data folder. Return the file."""
    path = data / "bot.db"
    path.write_bytes(lzma.decompress((FOLDER / f"{name}.db.xz").read_bytes()))
    path.chmod(0o600)
    return path
