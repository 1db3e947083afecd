"""A workspace with the file tools on it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot.core.errors import ToolError
from bot.tools import Tool, texts
from bot.tools.files import file_tools

NO_CONTEXT: Any = None  # the file tools use only their arguments


def wrong_kind(argument: str, kind: str, description: str) -> str:
    """Return the error for an argument of the wrong kind. `kind` is the name in JSON Schema."""
    kind = texts.ARGUMENT_KINDS[kind]
    return texts.ARGUMENT_OF_WRONG_KIND(argument=argument, kind=kind, description=description)


@dataclass(frozen=True)
class Desk:
    root: Path
    tools: dict[str, Tool]

    async def does(self, name: str, **arguments: Any) -> str:
        return str(await self.tools[name].run(NO_CONTEXT, arguments))

    async def fails(self, name: str, **arguments: Any) -> str:
        with pytest.raises(ToolError) as error:
            await self.does(name, **arguments)
        assert str(self.root.parent) not in str(error.value).replace(str(arguments.get("path")), "")
        return str(error.value)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    root = tmp_path / "desk"
    root.mkdir()
    return Desk(root, {tool.name: tool for tool in file_tools(root)})
