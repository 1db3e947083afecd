"""Change one key of a front matter, and leave every other byte of the text as it is: comments, order, line ends.

It is found by the marks that YAML's parser leaves, as lines and columns. What is written here is read again before it
is put on the disk, so a form that nobody has thought of is refused and not garbled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import yaml

from bot.config.groups import texts
from bot.config.roles import texts as role_texts
from bot.config.roles.frontmatter import FRONT_MATTER, FrontMatterError, StrictLoader, add_missing_quotes

LINES = re.compile(r"[^\r\n\x85\u2028\u2029]*(?:\r\n|[\r\n\x85\u2028\u2029]|\Z)")  # as YAML counts them
UNQUOTED = re.compile(r"\w(?:[\w ,.()/@%+-]|:(?! ))*(?<![ :])", re.ASCII)  # what needs no quotes


@dataclass(frozen=True, slots=True)
class KeySpan:
    """Where a key stands in a front matter: from the beginning of its line to the end of its last; and its value."""

    start: int
    end: int
    value: yaml.Node
    column: int


class FrontMatterEditor:
    """A front matter, as it lies in its text. Raise FrontMatterError if its keys cannot be changed in it."""

    def __init__(self, text: str) -> None:
        self.opening, self.keys_text, self.closing = split_front_matter(text)
        self.line_end = "\r\n" if "\r\n" in text else "\n"
        self.lines = [line for line in LINES.findall(self.keys_text) if line]
        composed = self.keys_text.replace("\r\n", "\n")
        try:
            root = compose_yaml(composed)
        except FrontMatterError:
            composed = add_missing_quotes(composed)  # as it is read: its lines are as many, and some of them longer
            root = compose_yaml(composed)
        self.composed = [line for line in LINES.findall(composed) if line]
        if root is not None and (not isinstance(root, yaml.MappingNode) or is_in_brackets(root)):
            raise FrontMatterError(texts.KEYS_NOT_ON_LINES, 2)
        self.keys = {key.value: self.find_key_span(key, value) for key, value in root.value} if root else {}

    @property
    def text(self) -> str:
        """As it is."""
        return self.opening + self.keys_text + self.closing

    def with_value(self, name: str, value: str) -> str:
        """Return the text with that key set to `value` (YAML). A missing key is added at the end."""
        key = self.keys.get(name)
        if key is None:
            column = next((each.column for each in self.keys.values()), 0)
            return self.splice(
                len(self.keys_text), len(self.keys_text), f"{' ' * column}{name}: {value}{self.line_end}"
            )
        start, end = self.node_span(key.value)
        if start == end:
            return self.splice(start, start, f" {value}")
        if not isinstance(key.value, yaml.ScalarNode) and not is_in_brackets(key.value):
            return self.splice(key.start, key.end, f"{' ' * key.column}{name}: {value}{self.line_end}")
        return self.splice(start, end, value)

    def without_key(self, name: str) -> str:
        """Return the text without that key and its lines."""
        key = self.keys.get(name)
        return self.splice(key.start, key.end, "") if key else self.text

    def with_item(self, name: str, item: str) -> str:
        """Return the text with one more item in the list of that key."""
        key = self.keys.get(name)
        items = key.value.value if key and isinstance(key.value, yaml.SequenceNode) else []
        if key is None or not items:
            return self.with_value(name, f"[{item}]")
        start, end = self.node_span(items[-1])
        if is_in_brackets(key.value):
            return self.splice(end, end, f", {item}")
        line, begin = self.end_of_line(end), self.line_start(items[-1].start_mark.line)
        line_end = "" if self.keys_text[:line].endswith(("\n", "\r")) else self.line_end
        return self.splice(line, line, f"{line_end}{self.keys_text[begin:start]}{item}{self.line_end}")

    def without_items(self, name: str, items: Sequence[str]) -> str:
        """Return the text without these items in that key's list, in any case. An emptied list of lines is removed
        whole."""
        key = self.keys.get(name)
        nodes = key.value.value if key and isinstance(key.value, yaml.SequenceNode) else []
        gone = [node for node in nodes if node.value.casefold() in {item.casefold() for item in items}]
        if not key or not gone:
            return self.text
        if len(gone) == len(nodes):
            return self.with_value(name, "[]") if is_in_brackets(key.value) else self.without_key(name)
        if not is_in_brackets(key.value):
            spans = [
                (self.line_start(node.start_mark.line), self.end_of_line(self.node_span(node)[1])) for node in gone
            ]
        else:
            spans = list(self.spans_with_commas(nodes, gone))
        front = self.keys_text
        for start, end in sorted(spans, reverse=True):
            front = front[:start] + front[end:]
        return self.opening + front + self.closing

    def spans_with_commas(self, nodes: Sequence[yaml.Node], gone: Sequence[yaml.Node]) -> Iterator[tuple[int, int]]:
        """Yield what to take out of [a, b, c]: each item with the comma that separates it from what stays."""
        is_first = True  # whether nothing stays before it
        for number, node in enumerate(nodes):
            start, end = self.node_span(node)
            if node not in gone:
                is_first = False
            elif is_first and number + 1 < len(nodes):
                yield start, self.node_span(nodes[number + 1])[0]
            elif is_first:
                yield start, end
            else:
                before = self.node_span(nodes[number - 1])[1]
                # A comment there is about the item before, and a last comma is no harm.
                has_comment = "#" in self.keys_text[before:start]
                yield (start if has_comment else before), end

    def splice(self, start: int, end: int, text: str) -> str:
        return self.opening + self.keys_text[:start] + text + self.keys_text[end:] + self.closing

    def find_key_span(self, name: yaml.Node, value: yaml.Node) -> KeySpan:
        """Return where a key stands, with the comments below its last item."""
        column = name.start_mark.column
        end = self.end_of_line(self.node_span(value)[1])
        deeper_comment = re.compile(rf" {{{column + 1},}}#.*(?:\n|\Z)")
        while comment := deeper_comment.match(self.keys_text, end):
            end = comment.end()
        return KeySpan(self.line_start(name.start_mark.line), end, value, column)

    def node_span(self, node: yaml.Node) -> tuple[int, int]:
        """Return where a node begins and ends. YAML lets a list or a table of lines reach to whatever comes next, so
        such a node ends where its last word does."""
        last = node
        while not isinstance(last, yaml.ScalarNode) and not is_in_brackets(last) and last.value:
            last = last.value[-1]
            if isinstance(last, tuple):  # a key and its value
                last = last[1]
        return self.offset_of_mark(node.start_mark), self.offset_of_mark(last.end_mark)

    def offset_of_mark(self, mark: yaml.Mark) -> int:
        """Return where a mark is. In a line that was quoted to be read, only its beginning and its end are known."""
        begin = self.line_start(mark.line)
        if mark.line >= len(self.lines):
            return begin
        line, composed = (each[mark.line].rstrip("\r\n") for each in (self.lines, self.composed))
        is_end = line != composed and mark.column >= len(composed.rstrip())
        return begin + (len(line) if is_end else min(mark.column, len(line)))

    def line_start(self, line: int) -> int:
        return sum(map(len, self.lines[:line]))

    def end_of_line(self, place: int) -> int:
        """Return the end of the line that contains this place. A place at the start of a line belongs to the line
        before."""
        begin = 0
        for line in self.lines:
            if place <= begin:
                return begin
            begin += len(line)
        return begin


def split_front_matter(text: str) -> tuple[str, str, str]:
    """Return what is before the keys, the keys, and what is after them. If there is no front matter, make one."""
    found = FRONT_MATTER.match(text.replace("\r\n", "\n"))
    if found is None:
        if text.lstrip("\ufeff").startswith("---"):
            raise FrontMatterError(role_texts.FRONT_MATTER_OPEN)
        mark, line_end = ("\ufeff" if text.startswith("\ufeff") else ""), ("\r\n" if "\r\n" in text else "\n")
        return f"{mark}---{line_end}", "", f"---{line_end}{line_end}{text.removeprefix(mark)}"
    lines = text.split("\n")
    count = found["front"].count("\n")
    head, front = lines[0] + "\n", "".join(line + "\n" for line in lines[1 : 1 + count])
    return head, front, text[len(head) + len(front) :]


def compose_yaml(front: str) -> yaml.Node | None:
    try:
        node: yaml.Node | None = yaml.compose(front, StrictLoader)
    except yaml.YAMLError:
        raise FrontMatterError(texts.NOT_YAML) from None
    return node


def is_in_brackets(node: yaml.Node) -> bool:
    """Return True if the node is a list or table in brackets."""
    return isinstance(node, yaml.CollectionNode) and bool(node.flow_style)


def quote_for_yaml(text: str) -> str:
    """Return a text of one line, in quotes if it needs any."""
    line = " ".join(text.split())
    return line if UNQUOTED.fullmatch(line) else "'" + line.replace("'", "''") + "'"
