"""Change one key of a front matter, and keep every other byte of the text: comments, order, line ends. The marks of
YAML's parser say where the key is, as line and column. The caller parses the new text before it is written to disk, so
an unforeseen form is refused and does not damage the file."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import yaml

from bot.config.groups import texts
from bot.config.roles import texts as role_texts
from bot.config.roles.frontmatter import FRONT_MATTER_PATTERN, FrontMatterError, StrictLoader, add_missing_quotes

LINE_PATTERN = re.compile(r"[^\r\n\x85\u2028\u2029]*(?:\r\n|[\r\n\x85\u2028\u2029]|\Z)")  # as YAML counts them
UNQUOTED_TEXT_PATTERN = re.compile(r"\w(?:[\w ,.()/@%+-]|:(?! ))*(?<![ :])", re.ASCII)  # what needs no quotes


@dataclass(frozen=True, slots=True)
class KeySpan:
    start: int
    end: int
    value: yaml.Node
    column: int


class FrontMatterEditor:
    """A text with a front matter. Raise FrontMatterError if the keys cannot be changed in place."""

    def __init__(self, text: str) -> None:
        self.opening, self.keys_text, self.closing = split_into_opening_keys_and_closing(text)
        self.line_end = "\r\n" if "\r\n" in text else "\n"
        self.lines = [line for line in LINE_PATTERN.findall(self.keys_text) if line]
        self.starts = [0, *accumulate(map(len, self.lines))]  # the offset of each line, and of the end
        composed = self.keys_text.replace("\r\n", "\n")
        try:
            root = compose_yaml(composed)
        except FrontMatterError:
            composed = add_missing_quotes(composed)  # as the reader does: the same number of lines, but some are longer
            root = compose_yaml(composed)
        self.composed = [line for line in LINE_PATTERN.findall(composed) if line]
        if root is not None and (not isinstance(root, yaml.MappingNode) or is_flow_collection(root)):
            raise FrontMatterError(texts.KEYS_NOT_ON_LINES, 2)
        self.keys = {key.value: self.find_key_span(key, value) for key, value in root.value} if root else {}

    @property
    def text(self) -> str:
        return self.opening + self.keys_text + self.closing

    def text_with_value(self, name: str, value: str) -> str:
        """Return the text with that key set to `value`, which is YAML. A missing key is added at the end."""
        key = self.keys.get(name)
        if key is None:
            column = next((each.column for each in self.keys.values()), 0)
            end = len(self.keys_text)
            return self.text_with_span_replaced(end, end, f"{' ' * column}{name}: {value}{self.line_end}")
        start, end = self.find_node_span(key.value)
        if start == end:
            return self.text_with_span_replaced(start, start, f" {value}")
        if not isinstance(key.value, yaml.ScalarNode) and not is_flow_collection(key.value):
            return self.text_with_span_replaced(key.start, key.end, f"{' ' * key.column}{name}: {value}{self.line_end}")
        return self.text_with_span_replaced(start, end, value)

    def text_without_key(self, name: str) -> str:
        key = self.keys.get(name)
        return self.text_with_span_replaced(key.start, key.end, "") if key else self.text

    def text_with_list_item(self, name: str, item: str) -> str:
        key = self.keys.get(name)
        items = key.value.value if key and isinstance(key.value, yaml.SequenceNode) else []
        if key is None or not items:
            return self.text_with_value(name, f"[{item}]")
        start, end = self.find_node_span(items[-1])
        if is_flow_collection(key.value):
            return self.text_with_span_replaced(end, end, f", {item}")
        line, begin = self.offset_of_line_end(end), self.starts[items[-1].start_mark.line]
        line_end = "" if self.keys_text[:line].endswith(("\n", "\r")) else self.line_end
        return self.text_with_span_replaced(line, line, f"{line_end}{self.keys_text[begin:start]}{item}{self.line_end}")

    def text_without_list_items(self, name: str, items: Sequence[str]) -> str:
        """Return the text without these items (in any case) in a key's list. An empty list of lines is removed."""
        key = self.keys.get(name)
        nodes = key.value.value if key and isinstance(key.value, yaml.SequenceNode) else []
        gone = [node for node in nodes if node.value.casefold() in {item.casefold() for item in items}]
        if not key or not gone:
            return self.text
        if len(gone) == len(nodes):
            return self.text_with_value(name, "[]") if is_flow_collection(key.value) else self.text_without_key(name)
        if not is_flow_collection(key.value):
            spans = [
                (self.starts[node.start_mark.line], self.offset_of_line_end(self.find_node_span(node)[1]))
                for node in gone
            ]
        else:
            spans = list(self.spans_to_remove_in_brackets(nodes, gone))
        front = self.keys_text
        for start, end in sorted(spans, reverse=True):
            front = front[:start] + front[end:]
        return self.opening + front + self.closing

    def spans_to_remove_in_brackets(self, nodes: list[yaml.Node], gone: list[yaml.Node]) -> Iterator[tuple[int, int]]:
        """Yield the spans to remove from [a, b, c]: each item with the comma between it and the rest."""
        is_first = True  # no item before it stays
        for number, node in enumerate(nodes):
            start, end = self.find_node_span(node)
            if node not in gone:
                is_first = False
            elif is_first and number + 1 < len(nodes):
                yield start, self.find_node_span(nodes[number + 1])[0]
            elif is_first:
                yield start, end
            else:
                before = self.find_node_span(nodes[number - 1])[1]
                # A comment there is about the item before. A trailing comma does no harm.
                has_comment = "#" in self.keys_text[before:start]
                yield (start if has_comment else before), end

    def text_with_span_replaced(self, start: int, end: int, text: str) -> str:
        return self.opening + self.keys_text[:start] + text + self.keys_text[end:] + self.closing

    def find_key_span(self, name: yaml.Node, value: yaml.Node) -> KeySpan:
        """Return the span of a key, including the comments below its last item."""
        column = name.start_mark.column
        end = self.offset_of_line_end(self.find_node_span(value)[1])
        deeper_comment = re.compile(rf" {{{column + 1},}}#.*(?:\n|\Z)")
        while comment := deeper_comment.match(self.keys_text, end):
            end = comment.end()
        return KeySpan(self.starts[name.start_mark.line], end, value, column)

    def find_node_span(self, node: yaml.Node) -> tuple[int, int]:
        """Return the offsets of a node's start and of its last word's end. In YAML's own marks, a list of lines ends
        where the next node begins."""
        last = node
        while not isinstance(last, yaml.ScalarNode) and not is_flow_collection(last) and last.value:
            last = last.value[-1]
            if isinstance(last, tuple):  # a key and its value
                last = last[1]
        return self.offset_of_mark(node.start_mark), self.offset_of_mark(last.end_mark)

    def offset_of_mark(self, mark: yaml.Mark) -> int:
        """Return the offset of a mark. In a line that got quotes to be read, only the start and the end are exact."""
        if mark.line >= len(self.lines):
            return self.starts[-1]
        begin = self.starts[mark.line]
        line, composed = (each[mark.line].rstrip("\r\n") for each in (self.lines, self.composed))
        is_end = line != composed and mark.column >= len(composed.rstrip())
        return begin + (len(line) if is_end else min(mark.column, len(line)))

    def offset_of_line_end(self, place: int) -> int:
        """Return the end of the line with this offset. An offset at the start of a line belongs to the line before."""
        return self.starts[bisect_left(self.starts, place)]


def split_into_opening_keys_and_closing(text: str) -> tuple[str, str, str]:
    """Return what is before the keys, the keys, and what is after them. If there is no front matter, make one."""
    found = FRONT_MATTER_PATTERN.match(text.replace("\r\n", "\n"))
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


def is_flow_collection(node: yaml.Node) -> bool:
    return isinstance(node, yaml.CollectionNode) and bool(node.flow_style)


def one_line_yaml_text(text: str) -> str:
    """Return the text on one line, in quotes if YAML needs them."""
    line = " ".join(text.split())
    return line if UNQUOTED_TEXT_PATTERN.fullmatch(line) else "'" + line.replace("'", "''") + "'"
