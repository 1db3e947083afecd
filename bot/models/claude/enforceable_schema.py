"""Turn JSON Schemas into grammars: schemas that the API can enforce on a reply.

The API takes less than JSON Schema offers: every object must be closed, and limits such as `minimum` are not allowed. A
schema may lose such limits here, but never a field. `bot/delegation/report_schema` checks the report against them."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from bot.core.prompt_prefix import STRICT_SCHEMA_KEY, ToolSchema

KEPT_KEYWORDS = frozenset({"type", "description", "title", "enum", "const"})
DROPPED_KEYWORDS = frozenset(
    {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern"}
    | {"format", "minItems", "maxItems", "uniqueItems", "default", "examples", "$schema", "$id"}
)
STRUCTURE_KEYWORDS = frozenset({"properties", "required", "additionalProperties", "items", "anyOf"})
JSON_SCHEMA_TYPES = ["object", "array", "string", "integer", "number", "boolean", "null"]
MAX_OPTIONAL_FIELDS, MAX_UNION_SCHEMAS = 24, 16  # in one grammar, by the API's documentation


class SchemaNotEnforceable(Exception):
    """The API cannot enforce the schema on a reply."""


def enforceable_reply_schema(form: str, tools: Iterable[ToolSchema]) -> dict[str, Any] | None:
    """Return the grammar for a reply; None if there is none, or if a tool rules it out. With a server tool, the reply
    cites pages, and a schema has no place for that. Strict tools use up what one grammar may hold."""
    is_in_the_way = any("type" in tool or tool.get(STRICT_SCHEMA_KEY) for tool in tools)
    return make_enforceable_schema(form) if form and not is_in_the_way else None


def make_enforceable_schema(form: str) -> dict[str, Any] | None:
    """Return the schema as the API takes it; None if the API cannot take it."""
    try:
        grammar = close_schema_and_drop_limits(json.loads(form))
    except (ValueError, RecursionError, SchemaNotEnforceable):
        return None
    nodes = list(list_schema_and_nested(grammar))
    optional = sum(len(node.get("properties", {})) - len(node.get("required", ())) for node in nodes)
    unions = sum("anyOf" in node for node in nodes)
    fits = optional <= MAX_OPTIONAL_FIELDS and unions <= MAX_UNION_SCHEMAS
    return grammar if fits and grammar.get("type") == "object" else None


def close_schema_and_drop_limits(schema: Any) -> dict[str, Any]:
    """Return the schema with closed objects and without limits. Raise SchemaNotEnforceable if there is none."""
    if not isinstance(schema, Mapping) or schema.keys() - KEPT_KEYWORDS - DROPPED_KEYWORDS - STRUCTURE_KEYWORDS:
        raise SchemaNotEnforceable
    found = {key: schema[key] for key in schema if key in KEPT_KEYWORDS}
    literals = [*schema.get("enum", ()), *([schema["const"]] if "const" in schema else [])]
    if any(isinstance(each, list | dict) for each in literals):
        raise SchemaNotEnforceable
    if "anyOf" in schema:
        found["anyOf"] = [close_schema_and_drop_limits(each) for each in schema["anyOf"]]
    elif not literals and schema.get("type") not in JSON_SCHEMA_TYPES:
        raise SchemaNotEnforceable
    if schema.get("type") == "object":
        fields, needed = schema.get("properties"), schema.get("required", [])
        is_open = schema.get("additionalProperties", False) is not False
        if not fields or is_open or set(needed) - set(fields):  # open on purpose: it names no field, or allows more
            raise SchemaNotEnforceable
        found["properties"] = {name: close_schema_and_drop_limits(each) for name, each in fields.items()}
        found |= {"required": list(needed), "additionalProperties": False}
    elif schema.get("type") == "array":
        found["items"] = close_schema_and_drop_limits(schema.get("items"))
    elif schema.keys() & STRUCTURE_KEYWORDS - {"anyOf"}:
        raise SchemaNotEnforceable
    return found


def list_schema_and_nested(grammar: dict[str, Any]) -> list[dict[str, Any]]:
    below = [*grammar.get("properties", {}).values(), *grammar.get("anyOf", ())]
    below += [grammar["items"]] if "items" in grammar else []
    return [grammar, *(each for inner in below for each in list_schema_and_nested(inner))]
