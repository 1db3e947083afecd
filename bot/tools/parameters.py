"""A tool's parameters: read from a function's signature, shown to the model as a schema, checked at each call."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from bot.core.errors import ToolError
from bot.tools import texts

# Python types and their names in JSON Schema
JSON_TYPE_NAMES: Mapping[object, str] = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array"}
MAX_NAME_CHARACTERS_QUOTED = 80  # characters of an unknown argument's name that the error repeats


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    name: str
    type: type
    description: str
    is_required: bool
    choices: tuple[str, ...] = ()  # the only texts allowed; empty: any

    @property
    def json_schema(self) -> dict[str, Any]:
        choices = {"enum": list(self.choices)} if self.choices else {}
        items = {"items": {"type": "string"}} if self.type is list else {}
        return {"type": JSON_TYPE_NAMES[self.type], **choices, **items, "description": self.description}

    def check_value(self, value: object) -> None:
        """Raise ToolError if the value has the wrong type or is not one of the choices."""
        kinds = (int, float) if self.type is float else (self.type,)
        is_right = type(value) in kinds  # the exact type: True is not a number here
        if isinstance(value, list):
            is_right = is_right and all(type(each) is str for each in value)
        if self.choices and not (is_right and value in self.choices):
            of, choices = self.description, ", ".join(map(repr, self.choices))
            raise ToolError(texts.ARGUMENT_NOT_A_CHOICE(argument=self.name, choices=choices, description=of))
        if not is_right:
            kind = texts.ARGUMENT_KINDS[JSON_TYPE_NAMES[self.type]]
            raise ToolError(texts.ARGUMENT_OF_WRONG_KIND(argument=self.name, kind=kind, description=self.description))


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    tool_name: str
    by_name: Mapping[str, Parameter]

    @classmethod
    def from_function(cls, function: Callable[..., object]) -> Parameters:
        """Return the function's parameters without the first, which is the ToolContext.

        Each is `Annotated[TYPE, "what it means"]`. TYPE is str, int, float, bool, list[str] or a Literal of texts, or
        `TYPE | None` if None means that the argument was left out.
        """
        hints = get_type_hints(function, include_extras=True)
        found = {}
        _, *parameters = inspect.signature(function).parameters.values()
        for parameter in parameters:
            name, hint = parameter.name, hints[parameter.name]
            where = f"{function.__name__}: {name}"
            assert get_origin(hint) is Annotated, f"{where} says no word of what it is"
            named, description = get_args(hint)
            type_ = named
            if get_origin(named) in (Union, UnionType):  # one of them is None: the parameter may be left out
                [type_] = [each for each in get_args(named) if each is not NoneType]
            choices = get_args(type_) if get_origin(type_) is Literal else ()
            kind = str if choices else list if type_ == list[str] else type_
            assert kind in JSON_TYPE_NAMES, f"{where} is of a type that no tool takes: {named}"
            must = parameter.default is inspect.Parameter.empty
            found[name] = Parameter(name=name, type=kind, description=description, is_required=must, choices=choices)
        return cls(tool_name=function.__name__, by_name=found)

    @property
    def json_schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {name: parameter.json_schema for name, parameter in self.by_name.items()},
            "required": [name for name, parameter in self.by_name.items() if parameter.is_required],
            "additionalProperties": False,
        }

    def validate_and_drop_nulls(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments without those that are null: null means left out. Raise ToolError if one is wrong."""
        reject_unknown_arguments(arguments, self.tool_name, self.by_name)
        given = {name: value for name, value in arguments.items() if value is not None}
        for name, parameter in self.by_name.items():
            if name in given:
                parameter.check_value(given[name])
            elif parameter.is_required:
                tool, takes, of = self.tool_name, ", ".join(self.by_name), parameter.description
                raise ToolError(texts.MISSING_ARGUMENT(argument=name, description=of, tool=tool, arguments=takes))
        return given


def reject_unknown_arguments(arguments: Iterable[str], tool: str, names: Collection[str]) -> None:
    """Raise ToolError for an argument that the tool does not have."""
    for name in arguments:
        if name in names:
            continue
        given, takes = name[:MAX_NAME_CHARACTERS_QUOTED], ", ".join(names) or texts.NO_ARGUMENTS
        if near := get_close_matches(name, names, 1):
            raise ToolError(texts.UNKNOWN_ARGUMENT_BUT(argument=given, nearest=near[0], tool=tool, arguments=takes))
        raise ToolError(texts.UNKNOWN_ARGUMENT(argument=given, tool=tool, arguments=takes))


def closed_object_schema(properties: Mapping[str, Any], *required: str) -> dict[str, Any]:
    """Return the JSON Schema of an object with these properties and no others."""
    needed = {"required": list(required)} if required else {}
    return {"type": "object", "properties": dict(properties), **needed, "additionalProperties": False}


def string_schema(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


def integer_schema(description: str) -> dict[str, Any]:
    return {"type": "integer", "description": description}


def string_list_schema(description: str) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string"}, "description": description}
