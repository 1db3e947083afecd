"""The service's own web tools: what the script lets them find, and how a reply shows it."""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tests.stand_ins.claude.asked import Asked
from tests.stand_ins.claude.canonical import CHARACTERS_PER_TOKEN, Json, blocks_of
from tests.stand_ins.claude.replies import Fetch, Page, Part, Raw, Search, ServerUse
from tests.stand_ins.claude.signing import mac

USED = "server_tool_use"
RESULTS = ("web_search_tool_result", "web_fetch_tool_result")
DIRECT = {"type": "direct"}


def seal(kind: str, *parts: str) -> str:
    """Return a text that only this stand-in can have written. It must come back unchanged."""
    return base64.b64encode(json.dumps([*parts, mac([kind, *parts])]).encode()).decode()


def is_sealed(kind: str, sealed: object, *known: str) -> bool:
    """Return True if the sealed text came back unchanged, with these first parts."""
    try:
        *parts, found = json.loads(base64.b64decode(str(sealed), validate=True))
    except ValueError:
        return False
    return found == mac([kind, *parts]) and tuple(parts[: len(known)]) == known


def owed(asked: Asked) -> list[Json]:
    """Return the uses in the request that have no result yet."""
    blocks = [block for message in asked.messages for block in blocks_of(message["content"])]
    answered = {block.get("tool_use_id") for block in blocks if block["type"] in RESULTS}
    return [block for block in blocks if block["type"] == USED and block["id"] not in answered]


@dataclass
class Served:
    """One request's use of these tools, within the request's limits."""

    asked: Asked
    new_id: Callable[[str], str]
    uses: Counter[str] = field(default_factory=Counter)

    def expanded(self, parts: tuple[Part, ...]) -> Iterator[Part]:
        """Yield the parts. Replace each search and fetch with its use, and its result if that comes. Results that the
        request still lacks come first."""
        for use in owed(self.asked):
            self.uses[use["name"]] += 1
            found = use["name"] == "web_search"
            yield self.result(Search("", FOUND) if found else Fetch(str(use["input"]["url"])), str(use["id"]))
        for part in parts:
            if isinstance(part, Search | Fetch):
                use_id = part.id or self.new_id("srvtoolu")
                self.uses[part.name] += 1
                yield ServerUse(part.name, part.input, use_id)
                if part.comes:
                    yield self.result(part, use_id)
            else:
                yield part

    def result(self, part: Search | Fetch, use_id: str) -> Raw:
        content = self.found(part)
        kind = f"{part.name}_tool_result"
        return Raw({"type": kind, "tool_use_id": use_id, "content": content, "caller": DIRECT})

    def found(self, part: Search | Fetch) -> Json | list[Json]:
        tool = next((tool for tool in self.asked.tools if tool["name"] == part.name and "type" in tool), None)
        assert tool, f"the script has the model use {part.name}, and the request does not show it"
        most = tool.get("max_uses")
        error = "max_uses_exceeded" if most is not None and self.uses[part.name] > most else part.error
        if error:
            return {"type": f"{part.name}_tool_result_error", "error_code": error}
        if isinstance(part, Search):
            return [as_result(page) for page in part.found]
        room = int(tool.get("max_content_tokens", 10**6) * CHARACTERS_PER_TOKEN)
        source = {"type": "text", "media_type": "text/plain", "data": part.text[:room]}
        return {
            "type": "web_fetch_result",
            "url": part.url,
            "content": {"type": "document", "source": source, "title": part.title},
            "retrieved_at": "2026-11-22T00:00:00Z",
        }


FOUND = (Page("https://example.org/", "Example", "what was found"),)


def as_result(page: Page) -> Json:
    sealed = seal("content", page.url, page.title, page.text)
    return {"type": "web_search_result", "url": page.url, "title": page.title, "encrypted_content": sealed}


def citation(page: Page) -> Json:
    return {
        "type": "web_search_result_location",
        "cited_text": page.text[:150],
        "url": page.url,
        "title": page.title,
        "encrypted_index": seal("index", page.url, page.title),
    }
