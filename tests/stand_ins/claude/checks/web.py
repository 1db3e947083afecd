"""The service's own web tools: how a request offers them, and how their results come back."""

import re
from typing import Any

from tests.stand_ins.claude.asked import Asked
from tests.stand_ins.claude.canonical import Json, blocks_of, positions
from tests.stand_ins.claude.checks.fields import only, unexpected
from tests.stand_ins.claude.checks.harsh import Harsh, refuse
from tests.stand_ins.claude.checks.tools import merged
from tests.stand_ins.claude.errors import ApiError
from tests.stand_ins.claude.models import ModelCard
from tests.stand_ins.claude.web import RESULTS, USED, is_sealed, owed

ID = re.compile(r"srvtoolu_[a-zA-Z0-9_]+")
ANY = {"type", "name", "max_uses", "allowed_domains", "blocked_domains", "cache_control", "allowed_callers"}
ANY |= {"defer_loading", "strict"}
OF_SEARCH = ANY | {"user_location"}
OF_FETCH = ANY | {"citations", "max_content_tokens", "url_sources"}
VERSIONS: dict[str, dict[str, set[str]]] = {
    "web_search": {
        "web_search_20250305": OF_SEARCH,
        "web_search_20260209": OF_SEARCH,
        "web_search_20260318": OF_SEARCH | {"response_inclusion"},
    },
    "web_fetch": {
        "web_fetch_20250910": OF_FETCH,
        "web_fetch_20260209": OF_FETCH,
        "web_fetch_20260309": OF_FETCH | {"use_cache"},
        "web_fetch_20260318": OF_FETCH | {"use_cache", "response_inclusion"},
    },
}
BY_CODE = ("_20260209", "_20260309", "_20260318")  # code may call these, unless the tool says otherwise
CALLERS = {"direct", "code_execution_20250825", "code_execution_20260120", "code_execution_20260521"}
ERRORS = {
    "web_search": {"invalid_tool_input", "unavailable", "max_uses_exceeded", "too_many_requests", "query_too_long"}
    | {"request_too_large"},
    "web_fetch": {"invalid_tool_input", "url_too_long", "url_not_allowed", "url_not_in_prior_context"}
    | {"url_not_accessible", "unsupported_content_type", "too_many_requests", "max_uses_exceeded", "unavailable"}
    | {"content_too_large"},
}
RESULT = {"type", "url", "title", "encrypted_content", "page_age"}
LOCATION = {"type", "cited_text", "url", "title", "encrypted_index"}


def check_tool(where: str, tool: Json, card: ModelCard) -> None:
    kind = str(tool["type"])
    if kind not in VERSIONS[tool["name"]]:
        raise unexpected(where, kind)
    only(f"{where}.{kind}", tool, VERSIONS[tool["name"]][kind])
    for name in ("max_uses", "max_content_tokens"):
        value = tool.get(name)
        if value is not None and (type(value) is not int or value < 1):
            raise ApiError(f"{where}.{kind}.{name}: Input should be greater than 0")
    callers = tool.get("allowed_callers", ["direct"])
    if not isinstance(callers, list) or not callers or set(callers) - CALLERS:
        raise ApiError(f"{where}.{kind}.allowed_callers: Input should be {sorted(CALLERS)}")
    is_by_code = (
        kind.endswith(BY_CODE) and callers != ["direct"] if "allowed_callers" in tool else kind.endswith(BY_CODE)
    )
    if is_by_code and card.id.endswith(("-4-5", "-4-6")):
        raise ApiError(
            f"'{card.id}' does not support programmatic tool calling. Set `allowed_callers` to [\"direct\"]."
        )
    if "allowed_domains" in tool and "blocked_domains" in tool:
        raise ApiError(f"{where}.{kind}: only one of allowed_domains and blocked_domains may be given")


def check(asked: Asked, harsh: frozenset[Harsh]) -> None:
    for number, place, role, block in positions(asked.messages):
        where = f"messages.{number}.content.{place}"
        if role == "user" and block["type"] in RESULTS:
            raise ApiError(f"{where}: `{block['type']}` blocks can only be in `assistant` messages")
        check_block(where, block)
    check_answered(merged(asked.messages))
    if owed(asked) and asked.choice == "none" and Harsh.PENDING in harsh:
        raise refuse(Harsh.PENDING, str([use["id"] for use in owed(asked)]))


def check_block(where: str, block: Json) -> None:
    match block["type"]:
        case "server_tool_use":
            if not ID.fullmatch(str(block.get("id"))):
                raise ApiError(f"{where}.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'")
            if not isinstance(block.get("input"), dict):
                raise ApiError(f"{where}.server_tool_use.input: Input should be a valid dictionary")
        case "web_search_tool_result":
            check_search(f"{where}.web_search_tool_result", block.get("content"))
        case "web_fetch_tool_result":
            check_fetch(f"{where}.web_fetch_tool_result", block.get("content"))
        case "text":
            for place, cited in enumerate(block.get("citations") or ()):
                check_citation(f"{where}.text.citations.{place}", cited)


def check_search(where: str, content: Any) -> None:
    if isinstance(content, dict):
        check_error(where, "web_search", content)
        return
    for place, result in enumerate(content if isinstance(content, list) else [None]):
        if not isinstance(result, dict) or result.get("type") != "web_search_result":
            raise ApiError(f"{where}.content.{place}: Input should be a web_search_result")
        only(f"{where}.content.{place}", result, RESULT)
        if not is_sealed("content", result.get("encrypted_content"), str(result.get("url")), str(result.get("title"))):
            raise ApiError(f"{where}.content.{place}: Invalid `encrypted_content` in `web_search_tool_result` block")


def check_fetch(where: str, content: Any) -> None:
    if not isinstance(content, dict):
        raise ApiError(f"{where}.content: Input should be a valid dictionary")
    if content.get("type") != "web_fetch_result":
        check_error(where, "web_fetch", content)
        return
    only(f"{where}.content", content, {"type", "url", "content", "retrieved_at"})
    document = content.get("content")
    if not isinstance(document, dict) or document.get("type") != "document" or "source" not in document:
        raise ApiError(f"{where}.content.content: Input should be a document")


def check_error(where: str, name: str, content: Json) -> None:
    if content.get("type") != f"{name}_tool_result_error" or content.get("error_code") not in ERRORS[name]:
        raise ApiError(f"{where}.content: Input should be a {name}_tool_result_error with a known error_code")
    only(f"{where}.content", content, {"type", "error_code"})


def check_citation(where: str, cited: Any) -> None:
    if not isinstance(cited, dict) or cited.get("type") != "web_search_result_location":
        raise ApiError(f"{where}: Input should be a web_search_result_location")
    only(where, cited, LOCATION)
    if not is_sealed("index", cited.get("encrypted_index"), str(cited.get("url")), str(cited.get("title"))):
        raise ApiError(f"{where}: Invalid `encrypted_index` in citation")


def check_answered(messages: list[tuple[int, Json]]) -> None:
    """Raise unless each use has its result in the same message. If the person's tools were called beside it, the result
    may be in the next reply. Then only those tools' results may be between."""
    used: set[str] = set()
    for place, (number, message) in enumerate(messages):
        if message["role"] != "assistant":
            continue
        blocks = message["content"]
        answered = [str(block["tool_use_id"]) for block in blocks if block["type"] in RESULTS]
        used |= {str(block["id"]) for block in blocks if block["type"] == USED}
        if stray := [name for name in answered if name not in used]:
            raise ApiError(f"messages.{number}: unexpected `tool_use_id` found in a server tool's result: {stray[0]}")
        left = [block for block in blocks if block["type"] == USED and block["id"] not in answered]
        for use in left if place + 1 < len(messages) else ():
            between, rest = messages[place + 1][1]["content"], messages[place + 2 : place + 3]
            later = {block.get("tool_use_id") for _, after in rest for block in blocks_of(after["content"])}
            if any(block["type"] != "tool_result" for block in between) or (rest and use["id"] not in later):
                raise ApiError(
                    f"messages.{number}: `{use['name']}` tool use with id `{use['id']}` was found without a"
                    f" corresponding `{use['name']}_tool_result` block"
                )
