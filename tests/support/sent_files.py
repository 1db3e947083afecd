"""Files that people send in the chat in memory."""

from typing import Any

from bot.core.incoming_files import IncomingFile, IncomingFileKind
from bot.core.model import ModelRequest
from tests.support.bench import Bench


def sends(bench: Bench, name: str, content: Any, kind: IncomingFileKind = IncomingFileKind.FILE, **f: Any) -> Any:
    """Let the platform have a file of this name, and return it as it comes with a message. A list of contents says what
    each try to fetch it brings."""
    bench.chat.files[name] = content if isinstance(content, list) else [content]
    return IncomingFile(kind=kind, name=name, reference=name, **f)


def shown_files(request: ModelRequest) -> list[Any]:
    """Return the pictures and PDFs that a request's messages show, also in results of calls."""
    found = []
    for block in (block for entry in request.transcript for block in entry.content):
        inner = block["content"] if block["type"] == "tool_result" else [block]
        found += [each for each in inner if isinstance(each, dict) and each["type"] in ("image", "document")]
    return found
