"""What a tool takes: read off a function's signature, shown to the model as a schema, checked at each call."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from bot.errors import ToolError

KINDS: Mapping[object, tuple[str, str]] = {  # a Python type: what JSON Schema calls it, and what we call it
    str: ("string", "a text"),
    bool: ("boolean", "true or false"),
    int: ("integer", "a whole number"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    name: str
    type: type
    description: str
    is_needed: bool

    @property
    def schema(self) -> dict[str, str]:
        return {"type": KINDS[self.type][0], "description": self.description}

    def check(self, value: object) -> None:
        if type(value) is not self.type:  # exactly: True is no number here
            raise ToolError(f"{self.name!r} must be {KINDS[self.type][1]}: {self.description}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    tool: str
    known: Mapping[str, Parameter]

    @classmethod
    def of(cls, function: Callable[..., object]) -> Parameters:
        """All but the first, which is the ToolContext. Each is `Annotated[str | int | bool, "what it means"]`."""
        known = {parameter.name: parameter for parameter in read(function)}
        return cls(tool=function.__name__, known=known)

    @property
    def schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {name: parameter.schema for name, parameter in self.known.items()},
            "required": [name for name, parameter in self.known.items() if parameter.is_needed],
            "additionalProperties": False,
        }

    def checked(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """What was given, if it is right. An optional argument that is null was not given; raises ToolError."""
        takes = f"{self.tool} takes {', '.join(self.known) or 'nothing'}"
        for name in arguments:
            if name not in self.known:
                near = get_close_matches(name, self.known, 1)
                raise ToolError(f"no argument {name[:80]!r}{f', but {near[0]!r}' if near else ''}; {takes}")
        given = {name: value for name, value in arguments.items() if value is not None}
        for name, parameter in self.known.items():
            if name in given:
                parameter.check(given[name])
            elif parameter.is_needed:
                raise ToolError(f"Missing {name!r} argument: {parameter.description}; {takes}")
        return given


def read(function: Callable[..., object]) -> Iterator[Parameter]:
    hints = get_type_hints(function, include_extras=True)
    _, *parameters = inspect.signature(function).parameters.values()
    for parameter in parameters:
        hint = hints[parameter.name]
        assert get_origin(hint) is Annotated, f"{function.__name__}: {parameter.name} says no word of what it is"
        type_, description = get_args(hint)
        is_needed = parameter.default is inspect.Parameter.empty
        yield Parameter(name=parameter.name, type=type_, description=description, is_needed=is_needed)
