"""The known fields. An unknown field is refused anywhere, and a beta's field without its header."""

from typing import Any

from tests.stand_ins.claude.asked import Asked
from tests.stand_ins.claude.canonical import Json
from tests.stand_ins.claude.errors import ApiError, extra

REQUIRED = ("model", "max_tokens", "messages")
TOP = {
    *REQUIRED,
    *("cache_control", "container", "diagnostics", "inference_geo", "metadata", "output_config", "service_tier"),
    *("speed", "stop_sequences", "stream", "system", "thinking", "tool_choice", "tools", "user_profile_id"),
    *("workspace_id", "temperature", "top_p", "top_k"),  # the last three are known, and refused by name
}
BETA_TOP = {
    "compaction": ("compact-2026-09-04",),
    "context_management": ("context-management-2025-06-27", "compact-2026-01-12"),
    "fallbacks": ("server-side-fallback-2026-07-01",),
    "billing_policy": ("server-side-fallback-2026-07-01",),
    "fallback_credit_token": ("server-side-fallback-2026-07-01",),
    "mcp_servers": ("mcp-client-2026-09-15",),
    "thread": ("message-threads-2026-08-12",),
}
BETAS = {name for names in BETA_TOP.values() for name in names} | {
    "mid-conversation-system-clear-at-2026-08-21",
    "mid-conversation-output-config-2026-07-01",
    "mid-conversation-tool-changes-2026-07-01",
    "inline-tools-2026-09-15",
    "thinking-binding-controls-2026-08-01",
    "thinking-display-updates-2026-08-18",
    "task-budgets-2026-03-13",
    "advisor-tool-2026-03-01",
    "managed-agents-2026-04-01",
}
BLOCKS: dict[str, set[str]] = {
    "text": {"text", "citations"},
    "image": {"source"},
    "document": {"source", "title", "context", "citations"},
    "search_result": {"source", "title", "content", "citations"},
    "thinking": {"thinking", "signature"},
    "redacted_thinking": {"data"},
    "tool_use": {"id", "name", "input", "caller"},
    "tool_result": {"tool_use_id", "content", "is_error"},
    "tool_reference": {"tool_name"},
    "server_tool_use": {"id", "name", "input", "caller"},
    "web_search_tool_result": {"tool_use_id", "content", "caller"},
    "web_fetch_tool_result": {"tool_use_id", "content", "caller"},
    "code_execution_tool_result": {"tool_use_id", "content"},
    "tool_search_tool_result": {"tool_use_id", "content"},
    "container_upload": {"file_id"},
    "compaction": {"content", "encrypted_content", "signature", "tool_changes"},
    "fallback": {"from", "to", "trigger"},
    "hologram": {"data"},  # the unknown block of the fault menu: it must come back unchanged
}
NEEDED = {
    "text": ("text",),
    "thinking": ("thinking", "signature"),
    "tool_use": ("id", "name", "input"),
    "tool_result": ("tool_use_id",),
}
TYPES: dict[str, type | tuple[type, ...]] = {
    "model": str,
    "max_tokens": int,
    "messages": list,
    "system": (str, list),
    "tools": list,
    "tool_choice": dict,
    "thinking": dict,
    "output_config": dict,
    "metadata": dict,
    "stream": bool,
    "stop_sequences": list,
    "cache_control": dict,
}


def check(asked: Asked) -> None:
    check_betas(asked)
    check_top(asked)
    parts(asked)
    for number, message in enumerate(asked.messages):
        check_message(f"messages.{number}", message, asked.betas)
        check_handovers(f"messages.{number}", message, asked.betas)
    if isinstance(asked.body.get("system"), list):
        for place, block in enumerate(asked.body["system"]):
            check_block(f"system.{place}", block)


def check_betas(asked: Asked) -> None:
    if unknown := sorted(asked.betas - BETAS):
        named = ", ".join(f"`{name}`" for name in unknown)
        raise ApiError(
            f"Unexpected value(s) {named} for the `anthropic-beta` header. Please consult the documentation."
        )


def check_top(asked: Asked) -> None:
    for name in REQUIRED:
        if name not in asked.body:
            raise ApiError(f"{name}: Field required")
    for name, value in asked.body.items():
        if name in BETA_TOP and not asked.betas & set(BETA_TOP[name]):
            raise extra(name)
        if name not in TOP and name not in BETA_TOP:
            raise extra(name)
        kind = TYPES.get(name)
        if kind and (not isinstance(value, kind) or (kind is int and isinstance(value, bool))):
            raise ApiError(f"{name}: Input should be a valid {wanted(kind)}")


def wanted(kind: type | tuple[type, ...]) -> str:
    names = {str: "string", int: "integer", list: "list", dict: "dictionary", bool: "boolean"}
    return " or ".join(names[one] for one in (kind if isinstance(kind, tuple) else (kind,)))


def parts(asked: Asked) -> None:
    """Check the small objects of the envelope."""
    only("metadata", asked.body.get("metadata"), {"user_id"})
    only("cache_control", asked.body.get("cache_control"), {"type", "ttl"})
    config = asked.output_config
    only("output_config", config, {"effort", "format", "task_budget"})
    if "task_budget" in config and "task-budgets-2026-03-13" not in asked.betas:
        raise extra("output_config.task_budget")
    if "block_binding" in asked.thinking and "thinking-binding-controls-2026-08-01" not in asked.betas:
        raise extra("thinking.block_binding")
    if asked.thinking.get("display") == "updates" and "thinking-display-updates-2026-08-18" not in asked.betas:
        raise ApiError("thinking.display: Input should be 'summarized' or 'omitted'")


def only(where: str, value: Any, known: set[str]) -> None:
    if isinstance(value, dict):
        for name in value:
            if name not in known:
                raise extra(f"{where}.{name}")


def check_message(where: str, message: Any, betas: frozenset[str]) -> None:
    if not isinstance(message, dict):
        raise ApiError(f"{where}: Input should be a valid dictionary")
    for name in ("role", "content"):
        if name not in message:
            raise ApiError(f"{where}.{name}: Field required")
    if message["role"] not in ("user", "assistant", "system"):
        raise ApiError(f'{where}.role: Input should be "user", "assistant" or "system"')
    known = {"role", "content"}
    if message["role"] == "system":
        known |= {"clear_at"} if "mid-conversation-system-clear-at-2026-08-21" in betas else set()
        known |= {"output_config"} if "mid-conversation-output-config-2026-07-01" in betas else set()
    only(where, message, known)
    if not isinstance(message["content"], str | list):
        raise ApiError(f"{where}.content: Input should be a valid string or list")
    if isinstance(message["content"], list):
        for place, block in enumerate(message["content"]):
            check_block(f"{where}.content.{place}", block)


def check_block(where: str, block: Any) -> None:
    if not isinstance(block, dict) or "type" not in block:
        raise ApiError(f"{where}.type: Field required")
    kind = block["type"]
    if kind not in BLOCKS:
        tags = ", ".join(f"'{name}'" for name in sorted(BLOCKS) if name != "hologram")
        raise ApiError(
            f"{where}: Input tag '{kind}' found using 'type' does not match any of the expected tags: {tags}"
        )
    only(f"{where}.{kind}", block, BLOCKS[kind] | {"type", "cache_control"})
    for name in NEEDED.get(kind, ()):
        if name not in block:
            raise ApiError(f"{where}.{kind}.{name}: Field required")
    for name in ("text", "thinking", "signature", "id", "name", "tool_use_id"):
        if name in block and not isinstance(block[name], str):
            raise ApiError(f"{where}.{kind}.{name}: Input should be a valid string")
    if kind == "tool_use" and not isinstance(block["input"], dict):
        raise ApiError(f"{where}.tool_use.input: Input should be a valid dictionary")
    if kind == "tool_result" and isinstance(block.get("content"), list):
        inner(f"{where}.tool_result.content", block["content"])


def check_handovers(where: str, message: Json, betas: frozenset[str]) -> None:
    """Refuse handover blocks without their beta."""
    if set(BETA_TOP["fallbacks"]) & betas or isinstance(message["content"], str):
        return
    for place, block in enumerate(message["content"]):
        if block["type"] == "fallback":
            raise unexpected(f"{where}.content.{place}", "fallback")


def unexpected(where: str, kind: object) -> ApiError:
    return ApiError(f"{where}: Input tag '{kind}' found using 'type' does not match any of the expected tags")


def inner(where: str, content: list[Json]) -> None:
    for place, block in enumerate(content):
        check_block(f"{where}.{place}", block)
        if block["type"] not in ("text", "image", "document", "search_result", "tool_reference"):
            raise ApiError(f"{where}.{place}: Input tag '{block['type']}' is not allowed in a tool_result")
