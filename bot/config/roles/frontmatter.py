"""Parse Markdown that begins with a few lines of strict YAML. Every value is a text, or a list or table of texts. The
rest of YAML is refused, because a role does not need it and it invites mistakes: aliases can grow a small file to
gigabytes, tags name Python's types, `no` means false, and keys may occur twice."""

import re
from contextlib import suppress
from typing import Any, NoReturn

import yaml

from bot.config.roles import texts

MAX_FILE_BYTES = 64 * 2**10  # bytes of a file
MAX_NESTING = 10  # levels of tables and lists; the hooks in Claude Code's files have seven
ONE_LINE_VALUE_PATTERN = re.compile(
    r"^(?P<key>[\w-]+):[ \t]+(?P<value>[^\s\"'\[{|>&*!#%@`][^\n]*?)[ \t]*$(?!\n[ \t]+\S)", re.MULTILINE
)
# A description that goes on over several lines, without quotes, up to the next key. Those that Claude Code has written
# hold examples, whose lines begin with these words.
LONG_DESCRIPTION_PATTERN = re.compile(
    r"^description:[ \t]+(?P<value>[^\s\"'\[{|>&*!#%@`].*?)\s*"
    r"(?=^(?!(?:context|user|assistant|commentary):)[\w-]+:|\Z)",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
FRONT_MATTER_PATTERN = re.compile(
    r"\ufeff?---[ \t]*\n(?P<front>.*?)^---[ \t]*(?:\n(?P<text>.*))?\Z", re.DOTALL | re.MULTILINE
)


class FrontMatterError(Exception):
    """A mistake in a front matter. `line` is its line in the file, if it is in one line."""

    def __init__(self, wrong: str, line: int | None = None) -> None:
        super().__init__(wrong)
        self.line = line


def parse_front_matter(text: str, *, needs_keys: bool = True) -> tuple[dict[str, Any], str]:
    """Return the front matter, and the text below it. Raise FrontMatterError if the front matter has a mistake."""
    found = FRONT_MATTER_PATTERN.match(text.replace("\r\n", "\n"))
    if found is None:
        if text.lstrip("\ufeff").startswith("---"):
            raise FrontMatterError(texts.FRONT_MATTER_OPEN)
        raise FrontMatterError(texts.NO_FRONT_MATTER)
    front = parse_yaml_or_mend_it(found["front"])
    if front is None and not needs_keys:
        front = {}
    if not isinstance(front, dict):
        raise FrontMatterError(texts.NO_KEYS, 2)
    return front, (found["text"] or "").strip()


def parse_yaml_or_mend_it(front: str) -> Any:
    """Return what the YAML says. Many people forget the quotes if a text contains `: `; its meaning is clear. Raise
    FrontMatterError for the text as it is, if it cannot be mended."""
    try:
        return parse_strict_yaml(front)
    except FrontMatterError as first:
        for mended in (add_missing_quotes(front), add_missing_quotes(quote_description(front))):
            with suppress(FrontMatterError):
                return parse_strict_yaml(mended)
        raise first


def add_missing_quotes(front: str) -> str:
    """Return the same lines, with quotes round each text of one line that contains `: `."""

    def quote_value(line: re.Match[str]) -> str:
        if not re.search(r":([ \t]|$)", line["value"]):
            return line[0]
        value = line["value"].replace("'", "''")
        return f"{line['key']}: '{value}'"

    return ONE_LINE_VALUE_PATTERN.sub(quote_value, front)


def quote_description(front: str) -> str:
    """Return the same text, with the description in quotes if it has several lines."""

    def quote(found: re.Match[str]) -> str:
        lines = " ".join(found["value"].split()).replace("'", "''")
        return f"description: '{lines}'\n" if "\n" in found["value"] else found[0]

    return LONG_DESCRIPTION_PATTERN.sub(quote, front, count=1)


def parse_strict_yaml(front: str) -> Any:
    try:
        return yaml.load(front, StrictLoader)  # it is a stricter SafeLoader
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = error.problem or error.context
        if "mapping values" in str(error.problem):
            wrong = texts.NOT_YAML_FOR_WANT_OF_QUOTES(problem=problem)
        else:
            wrong = texts.NOT_YAML(problem=problem)
        raise FrontMatterError(wrong, mark.line + 2 if mark else None) from None
    except yaml.reader.ReaderError:
        raise FrontMatterError(texts.FORBIDDEN_CHARACTER) from None


class StrictLoader(yaml.SafeLoader):
    yaml_implicit_resolvers = {}  # noqa: RUF012  # the library's own class variable; empty: every value is text
    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]  # the stubs leave it out
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise_front_matter_error(texts.NO_ANCHORS, event)
        if getattr(event, "tag", None):
            raise_front_matter_error(texts.NO_TAGS, event)
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise_front_matter_error(texts.TOO_DEEP, event)
        node: yaml.Node | None = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise_front_matter_error(texts.KEY_NOT_A_WORD, key)
            if key.value in keys:
                raise_front_matter_error(texts.KEY_TWICE(key=key.value), key)
            keys.add(key.value)
        return super().construct_mapping(node, deep)


def raise_front_matter_error(why: str, where: yaml.Event | yaml.Node) -> NoReturn:
    raise FrontMatterError(why, where.start_mark.line + 2 if where.start_mark else None)
