"""Print the visible text of a web page. This is a script of its own. It reads the page from stdin, as UTF-8.

    python -I page_text_script.py SECONDS < page.html

A malicious page may take any amount of time and memory. So the caller of this script ends it after SECONDS, and an
alarm ends it if the caller was killed.
"""

import resource
import signal
import sys
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))  # where `bot` is: this is no module of it

from bot.core.web_page import visible_text

MAX_MEMORY_BYTES = 128 * 2**20


def main(seconds: str) -> int:
    signal.alarm(int(seconds))
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    text = visible_text(sys.stdin.buffer.read().decode(errors="replace"))
    sys.stdout.buffer.write(text.encode(errors="replace"))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
