"""Make the model's Markdown safe to render: escape what the renderer would drop or change."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit

import pyromark

from channels.formatting import TextSpans
from channels.links import misleading_link_note
from channels.tables import format_table_lines, strip_list_and_quote_marks

PARSER_OPTIONS = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_MATH
)
MAX_TABLE_COLUMNS = 40  # in code on a phone
MAX_ESCAPE_ROUNDS = 10  # an escaped mark may uncover another one
MAX_NESTING_DEPTH = 12  # nested lists and quotes; at greater depths the renderer's indents are longer than the text
BARE_LINK_PATTERN = re.compile(rb"https?://[^\s<>\"\x00-\x20]*[^\s<>\"\x00-\x20*_~`|)\].,;:!?'$]")
MARK_IN_LINK_PATTERN = re.compile(rb"[*_~`$|&\\]")  # Markdown would take these for marks in the middle of a link
LOGICAL_OR_PATTERN = re.compile(rb"(?<=\s)\|\|(?=\s)")  # as in shells; the marks of a spoiler touch the word
SPOILER_PATTERN = re.compile(rb"(?<![\\])\|\|(.+?)\|\|", re.DOTALL)  # the library's own pattern
MAX_SPOILER_LINES = 8
FORMULA_ONLY_CHARACTER_PATTERN = re.compile(r"[\\^_{]")
BACKTICKS_PATTERN = re.compile("`+")
HOST_AND_PORT_PATTERN = re.compile(r"[^\s:@/]+\.[^\s:@/.]+\.?(:\d+)?", re.ASCII)

ByteSpan = tuple[int, int]


def make_markdown_renderable(markdown: str) -> str | None:
    """Return Markdown that renders HTML, footnotes, bare links and prices as typed, or None if that is impossible."""
    if deepest_list_and_quote_nesting(markdown) > MAX_NESTING_DEPTH:
        return None
    text = add_hosts_to_misleading_links(tables_to_code_blocks(markdown))
    text = insert_backslashes_at(text, find_misread_mark_offsets(text))
    for _ in range(MAX_ESCAPE_ROUNDS):
        if not (places := find_swallowed_mark_offsets(text)):
            return text
        text = insert_backslashes_at(text, places)
    return None


def tables_to_code_blocks(text: str) -> str:
    """Return the text with its tables aligned in code blocks, where no character of a cell counts as a mark."""
    if "|" not in text:
        return text
    source, done, at = text.encode(), list[bytes](), 0
    for event, (start, end) in parse_markdown_events(text):
        match event:
            case {"Start": {"Table": _}}:
                line = source.rfind(b"\n", 0, start) + 1
                frame = "".join(sign if sign == ">" else " " for sign in source[line:start].decode())
                first, *others = source[start:end].decode().rstrip("\n").split("\n")
                lines = [first, *(map(strip_list_and_quote_marks, others) if frame else others)]
                rows = format_table_lines(lines, MAX_TABLE_COLUMNS)
                fence = "`" * max(3, *(len(run) + 1 for row in rows for run in BACKTICKS_PATTERN.findall(row)), 3)
                shown = f"\n{frame}".join([fence, *rows, fence])
                done += [source[at:start], shown.encode(), b"\n" if source[:end].endswith(b"\n") else b""]
                at = end
    return b"".join([*done, source[at:]]).decode()


def add_hosts_to_misleading_links(text: str) -> str:
    """Return the text with the host added behind each link whose words look like another address."""
    source, done, at = text.encode(), list[bytes](), 0
    targets, words = list[str](), ""
    for event, (_, end) in parse_markdown_events(text):
        match event:
            case {"Start": {"Link": link}} | {"Start": {"Image": link}}:
                words = "" if not targets else words
                targets.append(link["dest_url"])
            case {"Text": said} | {"Code": said}:
                words += said if targets else ""
            case {"End": "Link"} | {"End": "Image"}:
                target = targets.pop()
                if is_linkable_url(target) and (note := misleading_link_note(words, target)):
                    done += [source[at:end], note.encode()]
                    at = end
    return b"".join([*done, source[at:]]).decode()


def insert_backslashes_at(text: str, places: Iterable[int]) -> str:
    """Return the text with a backslash before each of these byte offsets."""
    source = text.encode()
    bounds = [0, *sorted(set(places)), len(source)]
    return b"\\".join(source[start:end] for start, end in pairwise(bounds)).decode()


def parse_markdown_events(text: str) -> Iterator[tuple[Any, ByteSpan]]:
    for event, span in pyromark.events_with_range(text, options=PARSER_OPTIONS):
        yield event, (span["start"], span["end"])


def block_byte_offsets_to_split_at(text: str) -> Iterator[int]:
    """Yield the offset of each top-level block. Yield none if there are link definitions: any block may need them."""
    if link_definitions(text):
        return
    level = 0
    for event, (start, _) in parse_markdown_events(text):
        if isinstance(event, dict) and "Start" in event:
            if not level:
                yield start
            level += 1
        elif isinstance(event, dict) and "End" in event:
            level -= 1


def deepest_list_and_quote_nesting(text: str) -> int:
    """Return how deep lists and quotes are nested."""
    deepest = now = 0
    for event, _ in parse_markdown_events(text):
        match event:
            case {"Start": {"List": _} | {"BlockQuote": _}}:
                now += 1
            case {"End": {"List": _} | {"BlockQuote": _}}:
                now -= 1
        deepest = max(deepest, now)
    return deepest


def find_misread_mark_offsets(text: str) -> Iterator[int]:
    """Yield the offsets of characters that would be misread as marks: in bare links, and in a logical or (`a || b`)."""
    if "://" not in text and "||" not in text:
        return
    source, kept = text.encode(), TextSpans((start - 1, end) for start, end in code_and_link_spans(text))

    def is_free(place: int) -> bool:
        return not kept.has_span_across(place)

    for link in filter(lambda found: is_free(found.start()), BARE_LINK_PATTERN.finditer(source)):
        yield from (link.start() + mark.start() for mark in MARK_IN_LINK_PATTERN.finditer(link.group()))
    yield from (found.start() for found in LOGICAL_OR_PATTERN.finditer(source) if is_free(found.start()))


def escape_long_spoilers(text: str) -> str:
    """Return the text with a backslash at both ends of each long spoiler. The library strips a spoiler's edges with a
    pattern that takes twice as many steps for each further line."""
    if "||" not in text:
        return text
    source, places, at = text.encode(), list[int](), 0
    code = list[ByteSpan]()
    for event, span in parse_markdown_events(text):
        match event:
            case {"Code": _} | {"Start": {"CodeBlock": _}}:
                code.append(span)
    for begin, end in [*code, (len(source), len(source))]:
        spoilers = SPOILER_PATTERN.finditer(source[at:begin])
        long = [found for found in spoilers if found[1].count(b"\n") > MAX_SPOILER_LINES]
        places += [at + place for found in long for place in (found.start(), found.end() - 2)]
        at = end
    return insert_backslashes_at(text, (place for place in places if source[place - 1 : place] != b"\\"))


def code_and_link_spans(text: str) -> Iterator[ByteSpan]:
    """Yield the byte spans of code and links. A backslash there would be visible."""
    for event, span in parse_markdown_events(text):
        match event:
            case {"Code": _} | {"Start": {"CodeBlock": _}} | {"Start": {"Link": _}} | {"Start": {"Image": _}}:
                yield span
    yield from ((found["span"]["start"], found["span"]["end"]) for found in link_definitions(text).values())


def link_definitions(text: str) -> dict[str, Any]:
    return dict(pyromark.reference_definitions(text, options=PARSER_OPTIONS))


def find_swallowed_mark_offsets(text: str) -> set[int]:
    """Return the byte offsets of marks that the renderer would drop together with their text."""
    source, places, named = text.encode(), set[int](), set[str]()
    for event, (start, end) in parse_markdown_events(text):
        match event:
            case {"InlineHtml": _} | {"Start": "HtmlBlock"}:
                places.add(skip_indentation(source, start))
            case {"InlineMath": formula} if not FORMULA_ONLY_CHARACTER_PATTERN.search(formula):
                places |= {start, end - 1}
            case {"DisplayMath": formula} if not formula.strip():
                places |= {start, start + 1, end - 2, end - 1}
            case {"Start": {"Link": link}}:
                named.add(link["id"].casefold())
                if not is_linkable_url(link["dest_url"]) or source.startswith(b"[]", start):
                    places.add(start)
            case {"Start": {"Image": link}}:
                named.add(link["id"].casefold())
                if not is_linkable_url(link["dest_url"]) or source.startswith(b"![]", start):
                    places |= {start, start + 1}
    for label, found in link_definitions(text).items():
        if not is_linkable_url(found["dest"]) or label.casefold() not in named:
            places.add(skip_indentation(source, found["span"]["start"]))
    return places


def skip_indentation(source: bytes, start: int) -> int:
    """Return the byte offset of a block's first character after its indentation."""
    while source[start : start + 1] in (b" ", b"\t"):
        start += 1
    return start


def is_linkable_url(url: str) -> bool:
    """Return True if Telegram makes a link of the URL. Return False for URLs that act in the app itself, like `tg:`."""
    try:
        split = urlsplit(url)
    except ValueError:
        return False
    if split.scheme in ("http", "https"):
        return bool(HOST_AND_PORT_PATTERN.fullmatch(split.netloc)) and not re.search(r"\s", url)
    return split.scheme == "mailto" and not re.search(r"\s", url)
