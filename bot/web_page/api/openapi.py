"""The description of the API as OpenAPI 3.1, made of the operations that answer it."""

from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from pydantic.json_schema import models_json_schema

from bot.web_page.api import texts
from bot.web_page.api.operation import Operation
from bot.web_page.api.problems import PROBLEM_MEDIA_TYPE, ProblemDetails

Json = dict[str, Any]
References = Mapping[Any, Json]  # by the model
REFERENCE = "#/components/schemas/{model}"
ID_PARAMETER = {
    "name": "id",
    "in": "path",
    "required": True,
    "description": texts.ID,
    "schema": {"type": "string", "minLength": 1, "maxLength": 500},
}
HEADERS = {401: "WWW-Authenticate", 403: "WWW-Authenticate", 429: "Retry-After"}


def describe_operations(operations: Sequence[Operation], version: str) -> Json:
    """Return the description of these operations, and of nothing else."""
    answered = {operation.answer for operation in operations} | {ProblemDetails}
    taken = {operation.body for operation in operations if operation.body}
    models = [
        *((model, "serialization") for model in sorted(answered, key=lambda model: model.__name__)),
        *((model, "validation") for model in sorted(taken, key=lambda model: model.__name__)),
    ]
    schemas, definitions = models_json_schema(
        models,  # type: ignore[arg-type]  # pairs of a model and one of two words
        ref_template=REFERENCE,
    )
    references = {model: reference for (model, _), reference in schemas.items()}
    paths: dict[str, Json] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = describe(operation, references)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Retinue", "version": version, "description": texts.ABOUT},
        "paths": paths,
        "components": {
            "schemas": definitions["$defs"],
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": texts.TOKEN}},
        },
    }


def describe(operation: Operation, references: References) -> Json:
    described: Json = {
        "operationId": operation.name,
        "summary": operation.summary,
        "security": [{"token": [scope.value]} for scope in operation.scopes],
        "parameters": [*([ID_PARAMETER] if operation.has_id else []), *query_parameters(operation)],
        "responses": {
            success_of(operation): {
                "description": HTTPStatus(int(success_of(operation))).phrase,
                **({"headers": {"Location": header("uri-reference")}} if operation.created_at else {}),
                "content": {"application/json": {"schema": references[operation.answer]}},
            },
            **{str(status): describe_problem(status, references) for status in problem_statuses(operation)},
        },
    }
    if operation.body:
        content = {"application/json": {"schema": references[operation.body]}}
        described["requestBody"] = {"required": True, "content": content}
    return described


def success_of(operation: Operation) -> str:
    return "201" if operation.created_at else "200"


def query_parameters(operation: Operation) -> Iterator[Json]:
    schema = operation.query.model_json_schema(ref_template=REFERENCE)
    for name, field in schema.get("properties", {}).items():
        yield {
            "name": name,
            "in": "query",
            "required": name in schema.get("required", ()),
            "description": field.pop("description"),
            "schema": without_null(field),
        }


def without_null(schema: Json) -> Json:
    """Return the schema of a parameter that may be left out: no text of a query is null."""
    kinds = [kind for kind in schema.pop("anyOf", ()) if kind.get("type") != "null"]
    if schema.get("default", ...) is None:
        del schema["default"]
    return {**schema, **(kinds[0] if kinds else {})}


def problem_statuses(operation: Operation) -> Iterator[int]:
    yield from (401, 403, 422, 429, 500, 503)
    if operation.has_id:
        yield 404
    if operation.body:
        yield from (400, 413, 415)
    if operation.asks_bot:
        yield 409


def describe_problem(status: int, references: References) -> Json:
    named = {HEADERS[status]: header()} if status in HEADERS else {}
    return {
        "description": HTTPStatus(status).phrase,
        **({"headers": named} if named else {}),
        "content": {PROBLEM_MEDIA_TYPE: {"schema": references[ProblemDetails]}},
    }


def header(format: str = "") -> Json:
    return {"required": True, "schema": {"type": "string", **({"format": format} if format else {})}}
