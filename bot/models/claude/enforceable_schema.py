"""Turn JSON Schemas into grammars: schemas that the API can enforce on a reply.

The API takes less than JSON Schema offers: every object must be closed, and limits such as `minimum` are not allowed. A
schema may lose such limits here, but never a field. `bot/delegation/report_schema` checks the report against them."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from bot.core.prompt_prefix import STRICT, ToolSchema

KEPT_KEYWORDS = frozenset({"type", "description", "title", "enum", "const"})
MEASURE_KEYWORDS = frozenset(
    {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern"}
    | {"format", "minItems", "maxItems", "uniqueItems", "default", "examples", "$schema", "$id"}
)
STRUCTURE_KEYWORDS = frozenset({"properties", "required", "additionalProperties", "items", "anyOf"})
TYPES = ["object", "array", "string", "integer", "number", "boolean", "null"]
MOST_OPTIONAL, MOST_UNIONS = 24, 16  # in one grammar, by the API's documentation


class NoGrammar(Exception):
    """The API cannot enforce the schema on a reply."""


def reply_grammar(form: str, tools: Iterable[ToolSchema]) -> dict[str, Any] | None:
    """Return the grammar for a reply; None if there is none, or if a tool rules it out. With a server tool, the reply
    cites pages, and a schema has no place for that. Strict tools use up what one grammar may hold."""
    is_in_the_way = any("type" in tool or tool.get(STRICT) for tool in tools)
    return make_grammar(form) if form and not is_in_the_way else None


def make_grammar(form: str) -> dict[str, Any] | None:
    """Return the schema as the API takes it; None if the API cannot take it."""
    try:
        grammar = close_schema(json.loads(form))
    except (ValueError, RecursionError, NoGrammar):
        return None
    nodes = list(list_nested_schemas(grammar))
    optional = sum(len(node.get("properties", {})) - len(node.get("required", ())) for node in nodes)
    unions = sum("anyOf" in node for node in nodes)
    fits = optional <= MOST_OPTIONAL and unions <= MOST_UNIONS
    return grammar if fits and grammar.get("type") == "object" else None


def close_schema(schema: Any) -> dict[str, Any]:
    """Return the schema with closed objects and without limits. Raise NoGrammar if the API cannot take it."""
    if not isinstance(schema, Mapping) or schema.keys() - KEPT_KEYWORDS - MEASURE_KEYWORDS - STRUCTURE_KEYWORDS:
        raise NoGrammar
    found = {key: schema[key] for key in schema if key in KEPT_KEYWORDS}
    literals = [*schema.get("enum", ()), *([schema["const"]] if "const" in schema else [])]
    if any(isinstance(each, list | dict) for each in literals):
        raise NoGrammar
    if "anyOf" in schema:
        found["anyOf"] = [close_schema(each) for each in schema["anyOf"]]
    elif not literals and schema.get("type") not in TYPES:
        raise NoGrammar
    if schema.get("type") == "object":
        fields, needed = schema.get("properties"), schema.get("required", [])
        is_open = schema.get("additionalProperties", False) is not False
        if not fields or is_open or set(needed) - set(fields):  # open on purpose: it names no field, or allows more
            raise NoGrammar
        found["properties"] = {name: close_schema(each) for name, each in fields.items()}
        found |= {"required": list(needed), "additionalProperties": False}
    elif schema.get("type") == "array":
        found["items"] = close_schema(schema.get("items"))
    elif schema.keys() & STRUCTURE_KEYWORDS - {"anyOf"}:
        raise NoGrammar
    return found


def list_nested_schemas(grammar: dict[str, Any]) -> list[dict[str, Any]]:
    below = [*grammar.get("properties", {}).values(), *grammar.get("anyOf", ())]
    below += [grammar["items"]] if "items" in grammar else []
    return [grammar, *(each for inner in below for each in list_nested_schemas(inner))]
