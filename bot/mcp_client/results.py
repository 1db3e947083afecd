"""Make of an MCP server's result what a model reads: its texts, its structured result, and one picture."""

import asyncio
import base64
import binascii
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import Any

from bot.core.acts import TrustedValue
from bot.core.errors import ToolError
from bot.core.images_and_pdfs import Media
from bot.core.mcp_settings import TrustedPart
from bot.core.texts import escape_unprintable
from bot.documents.inspection import inspect_opened_file
from bot.mcp_client import texts
from bot.tools import cut_long_result

MAX_LINK_CHARACTERS = 500
MAX_ERROR_CHARACTERS = 4_000
MAX_TRUSTED_VALUES = 1_000  # of one result
WORD_WITH_LETTER_PATTERN = re.compile(r"\d*[^\W\d_][^\W_]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaWithWords(Media):
    """A picture, and the words that came with it."""

    words: str

    def __str__(self) -> str:
        return f"{self.words}\n{self.facts}" if self.words else str(self.facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPart:
    """A part of a server's result: a text, a picture or another file as base64, or a link."""

    kind: str  # text | image | audio | resource | link
    text: str = ""
    data: str = ""
    name: str = ""


async def read_result(
    parts: Sequence[ResultPart], structured: dict[str, Any] | None, tool: str, *, is_error: bool
) -> str | Media:
    """Return a result for the model. Raise ToolError if the server says that the call failed."""
    words = [*describe_parts(parts), *structured_texts(parts, structured)]
    if is_error:
        text = "\n".join(filter(str.strip, words)) or texts.NO_ERROR_TEXT
        raise ToolError(texts.CALL_FAILED(text=text[:MAX_ERROR_CHARACTERS]))
    pictures = [part for part in parts if part.kind == "image"]
    if pictures:
        words += [left_out(part, texts.ONE_PICTURE_ONLY) for part in pictures[1:]]
        shown = await asyncio.to_thread(picture_or_reason, pictures[0], tool)
        if isinstance(shown, Media):
            said = cut_long_result("\n".join(words))
            return MediaWithWords(name=shown.name, type=shown.type, data=shown.data, tokens=shown.tokens, words=said)
        words.append(shown)
    return cut_long_result("\n".join(words)) if words else texts.NO_RESULT_TEXT


def describe_parts(parts: Iterable[ResultPart]) -> list[str]:
    found = []
    for part in parts:
        if part.kind == "text":
            found.append(part.text)
        elif part.kind == "link":
            name, uri = (escape_unprintable(each, MAX_LINK_CHARACTERS) for each in (part.name, part.text))
            found.append(texts.RESOURCE_LINK(name=name, uri=uri))
        elif part.kind != "image":
            found.append(left_out(part, texts.NOT_SHOWN_HERE))
    return found


def structured_texts(parts: Sequence[ResultPart], structured: dict[str, Any] | None) -> list[str]:
    """Return the structured result as text, unless a text of the result is the same already."""
    if structured is None or any(part.kind == "text" and is_same_json(part.text, structured) for part in parts):
        return []
    written = json.dumps(structured, ensure_ascii=False)
    return [texts.STRUCTURED_PART(json=written) if parts else written]


def is_same_json(text: str, value: dict[str, Any]) -> bool:
    """Return True if a text says what a structured result says; the SDK wraps a result that is no object."""
    wrapped = value["result"] if value.keys() == {"result"} else value
    if text == wrapped:
        return True
    try:
        return bool(json.loads(text) in (value, wrapped))
    except (ValueError, RecursionError):
        return False


def find_trusted_values(
    structured: dict[str, Any] | None, parts: Mapping[str, Sequence[TrustedPart]]
) -> list[TrustedValue]:
    """Return the values of a structured result that stand where no outsider writes. `parts` are declared by path; a
    path such as `mails.from` goes through lists."""
    found = [
        each
        for path, parts_there in parts.items()
        for record, value in values_at(structured, path.split("."), {})
        for part in parts_there
        if all(record.get(name) == wanted for name, wanted in part.own.items())
        for each in with_owners(part, record, value)
    ]
    return found[:MAX_TRUSTED_VALUES]


def values_at(value: Any, path: Sequence[str], record: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Yield the values at a path, each with the record in which it stands."""
    if isinstance(value, list):
        for each in value:
            yield from values_at(each, path, record)
    elif path and isinstance(value, dict):
        yield from values_at(value.get(path[0]), path[1:], value)
    elif not path and isinstance(value, str | int | float) and not isinstance(value, bool):
        yield record, str(value)


def with_owners(part: TrustedPart, record: Mapping[str, Any], value: str) -> Iterator[TrustedValue]:
    """Yield a value once for each owner that its record names, or alone if it needs none. A blank owner names nobody:
    leaving it out must not make the value count for everybody."""
    if not part.of:
        yield TrustedValue(part.type, value)
    for name in part.of:
        for _, owner in values_at(record, [name], {}):
            names = (part.own and halves_of_name(owner)) or [owner]
            yield from (TrustedValue(part.type, value, each) for each in names if each.strip())


def halves_of_name(name: str) -> list[str]:
    """Return the parts of a name that have half of its words: “Spotify” and “Premium” of “Spotify Premium”. Only for
    what the account's owner has written: others could give a thing a name that half of all requests have."""
    words = list(WORD_WITH_LETTER_PATTERN.finditer(name))
    half = (len(words) + 1) // 2
    return [name[first.start() : last.end()] for first, last in zip(words, words[half - 1 :], strict=False) if half]


def left_out(part: ResultPart, reason: str) -> str:
    return texts.RESULT_PART_LEFT_OUT(kind=part.kind, size=len(part.data) * 3 // 4, reason=reason)


def picture_or_reason(part: ResultPart, tool: str) -> Media | str:
    """Return the picture, examined as one that a tool reads from a file, or why it is not shown. This blocks."""
    try:
        content = base64.b64decode(part.data, validate=True)
    except (binascii.Error, ValueError):
        return left_out(part, texts.NOT_SHOWN_HERE)
    with TemporaryFile() as file:
        file.write(content)
        file.flush()
        found = inspect_opened_file(tool, file)
    if found.media and not found.media.pages:
        return found.media
    return left_out(part, found.refusal or texts.NOT_SHOWN_HERE)
