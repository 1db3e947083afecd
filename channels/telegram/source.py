"""The model's Markdown, made safe to render: whatever the renderer would swallow or bend is escaped before."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit

import pyromark

from channels.formatting import Stretches
from channels.links import told_host
from channels.tables import table, unframed

OPTIONS = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_MATH
)
MOST_ROUNDS = 10  # what was hidden may hide something in turn
MOST_DEEP = 12  # lists and quotes in one another: the renderer's indents are longer than the text from some depth on
BARE_LINK = re.compile(rb"https?://[^\s<>\"\x00-\x20]*[^\s<>\"\x00-\x20*_~`|)\].,;:!?'$]")
BENDING = re.compile(rb"[*_~`$|&\\]")  # what Markdown would take for itself in the middle of a link
ALTERNATIVE = re.compile(rb"(?<=\s)\|\|(?=\s)")  # as in shells; what hides a word touches it
SPOILER = re.compile(rb"(?<![\\])\|\|(.+?)\|\|", re.DOTALL)  # as the library finds them
MOST_LINES = 8  # of a spoiler
LIKE_FORMULA = re.compile(r"[\\^_{]")
TICKS = re.compile("`+")
HOST = re.compile(r"[^\s:@/]+\.[^\s:@/.]+\.?(:\d+)?", re.ASCII)

Span = tuple[int, int]


def safe(markdown: str) -> str | None:
    """Markdown that renders without loss: HTML, footnotes, bare links and prices as they were typed.

    None for what cannot be made so.
    """
    if depth(markdown) > MOST_DEEP:
        return None
    text = with_hosts_told(with_tables_as_code(markdown))
    text = escaped(text, bent(text))
    for _ in range(MOST_ROUNDS):
        if not (places := lost(text)):
            return text
        text = escaped(text, places)
    return None


def with_tables_as_code(text: str) -> str:
    """The text with its tables as they are to look, in code blocks, where no character of a cell is a mark."""
    if "|" not in text:
        return text
    source, done, at = text.encode(), list[bytes](), 0
    for event, (start, end) in events(text):
        match event:
            case {"Start": {"Table": _}}:
                line = source.rfind(b"\n", 0, start) + 1
                frame = "".join(sign if sign == ">" else " " for sign in source[line:start].decode())
                first, *others = source[start:end].decode().rstrip("\n").split("\n")
                rows = table([first, *(map(unframed, others) if frame else others)])
                fence = "`" * max(3, *(len(run) + 1 for row in rows for run in TICKS.findall(row)), 3)
                shown = f"\n{frame}".join([fence, *rows, fence])
                done += [source[at:start], shown.encode(), b"\n" if source[:end].endswith(b"\n") else b""]
                at = end
    return b"".join([*done, source[at:]]).decode()


def with_hosts_told(text: str) -> str:
    """The text with the host behind each link whose words look like another address."""
    source, done, at = text.encode(), list[bytes](), 0
    targets, words = list[str](), ""
    for event, (_, end) in events(text):
        match event:
            case {"Start": {"Link": link}} | {"Start": {"Image": link}}:
                words = "" if not targets else words
                targets.append(link["dest_url"])
            case {"Text": said} | {"Code": said}:
                words += said if targets else ""
            case {"End": "Link"} | {"End": "Image"}:
                target = targets.pop()
                if is_link(target) and (told := told_host(words, target)):
                    done += [source[at:end], told.encode()]
                    at = end
    return b"".join([*done, source[at:]]).decode()


def escaped(text: str, places: Iterable[int]) -> str:
    """The text with a backslash at each of these bytes."""
    source = text.encode()
    bounds = [0, *sorted(set(places)), len(source)]
    return b"\\".join(source[start:end] for start, end in pairwise(bounds)).decode()


def events(text: str) -> Iterator[tuple[Any, Span]]:
    for event, span in pyromark.events_with_range(text, options=OPTIONS):
        yield event, (span["start"], span["end"])


def top_blocks(text: str) -> Iterator[int]:
    """Where a block begins that stands in no other; none of a text with definitions, which all of it may refer to."""
    if definitions(text):
        return
    level = 0
    for event, (start, _) in events(text):
        if isinstance(event, dict) and "Start" in event:
            if not level:
                yield start
            level += 1
        elif isinstance(event, dict) and "End" in event:
            level -= 1


def depth(text: str) -> int:
    """How many lists and quotes are in one another."""
    deepest = now = 0
    for event, _ in events(text):
        match event:
            case {"Start": {"List": _} | {"BlockQuote": _}}:
                now += 1
            case {"End": {"List": _} | {"BlockQuote": _}}:
                now -= 1
        deepest = max(deepest, now)
    return deepest


def bent(text: str) -> Iterator[int]:
    """Where a link that stands in the text by itself holds what Markdown would take for a mark of its own; and where
    something reads like a mark and is none."""
    if "://" not in text and "||" not in text:
        return
    source, kept = text.encode(), Stretches((start - 1, end) for start, end in verbatim(text))

    def is_free(place: int) -> bool:
        return not kept.has_inside(place)

    for link in filter(lambda found: is_free(found.start()), BARE_LINK.finditer(source)):
        yield from (link.start() + mark.start() for mark in BENDING.finditer(link.group()))
    yield from (found.start() for found in ALTERNATIVE.finditer(source) if is_free(found.start()))


def without_long_spoilers(text: str) -> str:
    """The text with a backslash at both ends of each spoiler of many lines: the library takes its edges off by a
    pattern whose steps double with every line."""
    if "||" not in text:
        return text
    source, places, at = text.encode(), list[int](), 0
    code = [span for event, span in events(text) if is_code(event)]
    for begin, end in [*code, (len(source), len(source))]:
        spoilers = (found for found in SPOILER.finditer(source[at:begin]) if found[1].count(b"\n") > MOST_LINES)
        places += [at + place for found in spoilers for place in (found.start(), found.end() - 2)]
        at = end
    return escaped(text, (place for place in places if source[place - 1 : place] != b"\\"))


def is_code(event: Any) -> bool:
    match event:
        case {"Code": _} | {"Start": {"CodeBlock": _}}:
            return True
    return False


def verbatim(text: str) -> Iterator[Span]:
    """What is code or a link, where a backslash would be seen."""
    for event, span in events(text):
        match event:
            case {"Code": _} | {"Start": {"CodeBlock": _}} | {"Start": {"Link": _}} | {"Start": {"Image": _}}:
                yield span
    yield from ((found["span"]["start"], found["span"]["end"]) for found in definitions(text).values())


def definitions(text: str) -> dict[str, Any]:
    return dict(pyromark.reference_definitions(text, options=OPTIONS))


def lost(text: str) -> set[int]:
    """Where something begins that would not be seen in what is rendered."""
    source, places, named = text.encode(), set[int](), set[str]()
    for event, (start, end) in events(text):
        match event:
            case {"InlineHtml": _} | {"Start": "HtmlBlock"}:
                places.add(indented(source, start))
            case {"InlineMath": formula} if not LIKE_FORMULA.search(formula):
                places |= {start, end - 1}
            case {"DisplayMath": formula} if not formula.strip():
                places |= {start, start + 1, end - 2, end - 1}
            case {"Start": {"Link": link}}:
                named.add(link["id"].casefold())
                if not is_link(link["dest_url"]) or source.startswith(b"[]", start):
                    places.add(start)
            case {"Start": {"Image": link}}:
                named.add(link["id"].casefold())
                if not is_link(link["dest_url"]) or source.startswith(b"![]", start):
                    places |= {start, start + 1}
    for label, found in definitions(text).items():
        if not is_link(found["dest"]) or label.casefold() not in named:
            places.add(indented(source, found["span"]["start"]))
    return places


def indented(source: bytes, start: int) -> int:
    """Where a block really begins, behind the spaces before it."""
    while source[start : start + 1] in (b" ", b"\t"):
        start += 1
    return start


def is_link(url: str) -> bool:
    """Whether Telegram makes a link of it, and it leads to no action of the app itself, as `tg:` does."""
    try:
        split = urlsplit(url)
    except ValueError:
        return False
    if split.scheme in ("http", "https"):
        return bool(HOST.fullmatch(split.netloc)) and not re.search(r"\s", url)
    return split.scheme == "mailto" and not re.search(r"\s", url)
