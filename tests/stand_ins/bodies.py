"""Parts of a request, written by hand."""

from typing import Any

MODEL = "claude-sonnet-5-5"
EPHEMERAL = {"type": "ephemeral"}
HOUR = {"type": "ephemeral", "ttl": "1h"}
TOOL = {"name": "look", "description": "Look.", "input_schema": {"type": "object"}}
HI = {"role": "user", "content": "hi"}
OK = {"role": "assistant", "content": "ok"}


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def user(*blocks: Any, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks), **more}


def assistant(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def harness(words: str = "It is Monday.") -> dict[str, Any]:
    return {"role": "system", "content": words}


def call(name: str, **more: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "look", "input": {}, **more}


def result(name: str, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": name, "content": "seen", **more}


def says(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"messages": list(messages), **more}


def tools(*changes: dict[str, Any]) -> dict[str, Any]:
    return {"tools": [{**TOOL, **change} for change in changes]}


def schema(**more: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, **more}


def formatted(inner: dict[str, Any]) -> dict[str, Any]:
    return {"output_config": {"format": {"type": "json_schema", "schema": inner}}}


def body(**changes: Any) -> dict[str, Any]:
    whole = {"model": MODEL, "max_tokens": 100, "messages": [HI], **changes}
    return {name: value for name, value in whole.items() if value is not ...}


CALLED = (HI, assistant(call("a"), call("b")))
DEFERRED = {"defer_loading": True}
SERVED = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}}
NODE = {"$ref": "#/$defs/node"}
