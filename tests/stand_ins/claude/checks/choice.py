"""The offered tools, and how the model may choose among them."""

import re
from collections.abc import Iterator
from typing import Any

from tests.stand_ins.claude.asked import Asked
from tests.stand_ins.claude.canonical import Json
from tests.stand_ins.claude.checks import web
from tests.stand_ins.claude.checks.fields import only, unexpected
from tests.stand_ins.claude.errors import ApiError
from tests.stand_ins.claude.models import ModelCard

NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
FIELDS = {
    *("name", "description", "input_schema", "type", "cache_control", "strict", "input_examples"),
    *("eager_input_streaming", "defer_loading", "allowed_callers"),
}
SERVED = ("web_search_", "web_fetch_", "code_execution_", "tool_search_tool_", "memory_", "bash_", "text_editor_")
MOST_STRICT, MOST_OPTIONAL, MOST_UNIONS = 20, 24, 16
BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength")


def check(asked: Asked, card: ModelCard) -> None:
    for place, tool in enumerate(asked.tools):
        check_tool(f"tools.{place}", tool, card)
    names = [tool["name"] for tool in asked.tools]
    if len(set(names)) < len(names):
        raise ApiError("tools: Tool names must be unique.")
    if asked.tools and all(tool.get("defer_loading") for tool in asked.tools):
        raise ApiError("At least one tool must have defer_loading=false. All tools cannot be deferred.")
    if "tool_choice" in asked.body:
        check_choice(asked, names, card)
    form = asked.output_config.get("format")
    if form is not None:
        if not isinstance(form, dict) or form.get("type") != "json_schema" or not isinstance(form.get("schema"), dict):
            raise ApiError("output_config.format: Input should be a json_schema with its schema")
        check_strict("output_config.format.schema", form["schema"])
    check_size([tool["input_schema"] for tool in asked.tools if tool.get("strict")], form)


def check_tool(where: str, tool: Any, card: ModelCard) -> None:
    if not isinstance(tool, dict) or not isinstance(tool.get("name"), str):
        raise ApiError(f"{where}.name: Field required")
    kind = tool.get("type")
    if kind not in (None, "custom"):
        if not str(kind).startswith(SERVED):
            raise unexpected(where, kind)
        if tool["name"] in web.VERSIONS:
            web.check_tool(where, tool, card)
        return
    only(f"{where}.custom", tool, FIELDS)
    if not NAME.fullmatch(tool["name"]):
        raise ApiError(f"{where}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'")
    if not isinstance(tool.get("description", ""), str):
        raise ApiError(f"{where}.custom.description: Input should be a valid string")
    schema = tool.get("input_schema")
    if not isinstance(schema, dict):
        raise ApiError(f"{where}.custom.input_schema: Field required")
    if schema.get("type") != "object":
        raise ApiError(f"{where}.custom.input_schema.type: Input should be 'object'")
    if tool.get("strict"):
        check_strict(f"{where}.custom.input_schema", schema)
    if tool.get("defer_loading") and "cache_control" in tool:
        raise ApiError(f"{where}.custom.cache_control: cache_control cannot be set on a tool with defer_loading=true")


def check_choice(asked: Asked, names: list[str], card: ModelCard) -> None:
    choice = asked.body["tool_choice"]
    kind = choice.get("type")
    if kind not in ("auto", "any", "tool", "none"):
        raise ApiError("tool_choice.type: Input should be 'auto', 'any', 'tool' or 'none'")
    only("tool_choice", choice, {"type"} | {"tool": {"name"}}.get(kind, set()) | disabling(kind))
    if not names:
        raise ApiError("tool_choice: tool_choice may only be specified while providing tools.")
    if kind in ("any", "tool") and not card.forced_choice:
        raise ApiError('tool_choice: type "tool" and "any" are not supported for this model.')
    if kind == "tool" and choice.get("name") not in names:
        raise ApiError(f"tool_choice: Tool '{choice.get('name')}' not found in provided tools")


def disabling(kind: str) -> set[str]:
    return set() if kind == "none" else {"disable_parallel_tool_use"}


def check_strict(where: str, schema: Json) -> None:
    """Raise ApiError unless a grammar can express the schema: closed, finite, without bounds."""
    for node in nodes(schema):
        if node.get("type") == "object" and node.get("additionalProperties") is not False:
            raise ApiError(f"{where}: For 'object' type, 'additionalProperties' must be explicitly set to false")
        for bound in BOUNDS:
            if bound in node:
                raise ApiError(f"{where}: For '{node.get('type')}' type, property '{bound}' is not supported")
        if node.get("$ref") == "#":
            raise ApiError(f"{where}: Recursive schemas are not supported")
    if is_recursive(schema):
        raise ApiError(f"{where}: Recursive schemas are not supported")


def check_size(tools: list[Json], form: Json | None) -> None:
    """Raise ApiError if the strict tools and the output format are too much for one grammar."""
    if len(tools) > MOST_STRICT:
        raise ApiError(f"tools: at most {MOST_STRICT} strict tools are allowed")
    found = [node for schema in [*tools, *([form["schema"]] if form else [])] for node in nodes(schema)]
    optional = sum(len(node.get("properties", {}).keys() - set(node.get("required", ()))) for node in found)
    if optional > MOST_OPTIONAL:
        raise ApiError(f"Schemas contain too many optional parameters ({optional}; at most {MOST_OPTIONAL}).")
    unions = sum("anyOf" in node or isinstance(node.get("type"), list) for node in found)
    if unions > MOST_UNIONS:
        raise ApiError(f"Schemas contain too many parameters with union types ({unions}; at most {MOST_UNIONS}).")


def nodes(schema: Any) -> Iterator[Json]:
    """Yield every schema within a schema. Property names are not keywords."""
    if not isinstance(schema, dict):
        return
    yield schema
    for name, value in schema.items():
        if name in ("properties", "$defs", "definitions") and isinstance(value, dict):
            for inner in value.values():
                yield from nodes(inner)
        elif name in ("items", "additionalProperties", "not"):
            yield from nodes(value)
        elif name in ("anyOf", "allOf", "oneOf", "prefixItems") and isinstance(value, list):
            for inner in value:
                yield from nodes(inner)


def is_recursive(schema: Json) -> bool:
    named = schema.get("$defs") or {}
    refers = {
        name: {str(node["$ref"]).rsplit("/", 1)[-1] for node in nodes(inner) if "$ref" in node}
        for name, inner in named.items()
    }
    for start in refers:
        seen, waiting = set[str](), set(refers[start])
        while waiting:
            seen.add(name := waiting.pop())
            waiting |= refers.get(name, set()) - seen
        if start in seen:
            return True
    return False
