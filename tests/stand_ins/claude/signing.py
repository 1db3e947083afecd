"""Signatures of thinking. Each is bound to its model, the system prompt, the tools and everything before it."""

import base64
import hashlib
import hmac
import json
from dataclasses import dataclass

from tests.stand_ins.claude.asked import Asked
from tests.stand_ins.claude.canonical import Json, blocks_of, canonical, digest, tool_order

KEY = b"the stand-in's own"


@dataclass(frozen=True, slots=True)
class Sealed:
    """What a signature contains."""

    model: str
    binding: str
    text: str  # the digest of the visible text of the thinking


def context_of(asked: Asked) -> str:
    """Return the digest of system prompt and tools, which a conversation never changes. The tools' order is free."""
    return digest(blocks_of(asked.body.get("system")), tool_order(asked.tools))


def lasting_context_of(asked: Asked) -> str:
    """Return the same without the definitions of web tools: a client may withhold the server's own and offer a tool of
    that name instead."""
    others = [tool for tool in asked.tools if not str(tool.get("name", "")).startswith("web_")]
    return digest(blocks_of(asked.body.get("system")), tool_order(others))


def sign(model: str, context: str, before: str, shown: str) -> str:
    sealed = [model, digest(model, context, before), digest(shown)]
    whole = json.dumps([*sealed, mac(sealed)]).encode()
    return base64.b64encode(whole).decode()


def opened(signature: str) -> Sealed | None:
    """Return what a signature contains, or None if this stand-in did not write it."""
    try:
        model, binding, text, found = json.loads(base64.b64decode(signature, validate=True))
    except ValueError:
        return None
    is_ours = hmac.compare_digest(str(found), mac([model, binding, text]))
    return Sealed(model, binding, text) if is_ours else None


def mac(parts: list[str]) -> str:
    return hmac.new(KEY, canonical(parts).encode(), hashlib.sha256).hexdigest()


def holds(block: Json, sealed: Sealed, model: str, context: str, before: str) -> bool:
    return sealed.text == digest(block["thinking"]) and sealed.binding == digest(model, context, before)
