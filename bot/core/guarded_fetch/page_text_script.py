"""Print the visible text of a web page. This is a script of its own. It reads the page from stdin, as UTF-8.

    python -I page_text_script.py SECONDS < page.html

A malicious page may take any amount of time, because Python's parser of HTML is slow for some. So the caller of this
script ends it after SECONDS, and an alarm ends it if the caller was killed.
"""

import resource
import signal
import sys
from contextlib import suppress
from html.parser import HTMLParser

MAX_MEMORY_BYTES = 128 * 2**20
INVISIBLE = frozenset({"script", "style", "template", "noscript", "svg", "head"})
INLINE = frozenset({"a", "abbr", "b", "code", "em", "i", "mark", "small", "span", "strong", "sub", "sup", "time", "u"})


class VisibleText(HTMLParser):
    """Collect the text of a page: a line for each block, without scripts and styles. The title comes first."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self.hidden_depth = 0
        self.is_in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.is_in_title = tag == "title"
        if tag in INVISIBLE:
            self.hidden_depth += 1
        elif tag == "body":  # a head that was never closed ends here
            self.hidden_depth = 0
        if tag not in INLINE:
            self.pieces.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self.is_in_title = False
        if tag in INVISIBLE:
            self.hidden_depth = max(0, self.hidden_depth - 1)
        if tag not in INLINE:
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        if self.is_in_title or not self.hidden_depth:
            self.pieces.append(data)


def visible_text(page: str) -> str:
    parser = VisibleText()
    parser.feed(page)
    parser.close()
    lines = (" ".join(line.split()) for line in "".join(parser.pieces).splitlines())
    return "\n".join(line for line in lines if line)


def main(seconds: str) -> int:
    signal.alarm(int(seconds))
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    text = visible_text(sys.stdin.buffer.read().decode(errors="replace"))
    sys.stdout.buffer.write(text.encode(errors="replace"))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
