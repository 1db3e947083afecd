"""Find the lines in opened files that match a regular expression: a script of its own, for grep without ripgrep.

    python -I -S python_line_search.py SECONDS MOST FLAGS PATTERN FD…

It prints what ripgrep would: file, a null character, line, column (in bytes, from 1), the text of the line. It has its
own process because nothing can interrupt a regular expression of Python, and all threads wait while one runs. The bot
can end the process. If the bot was killed, an alarm ends it."""

import re
import resource
import signal
import sys
from collections.abc import Iterable
from contextlib import suppress

INVALID_PATTERN_STATUS, OUT_OF_MEMORY_STATUS = 2, 3  # exit statuses; for the first, stderr says what is wrong
MAX_MEMORY_BYTES = 2**30  # bytes: on a very long line some patterns would take all memory


def main(seconds: str, most: str, flags: str, pattern: str, *files: str) -> int:
    signal.alarm(int(seconds))
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    try:
        compiled = re.compile(pattern, re.IGNORECASE if "i" in flags else 0)
    except (re.error, RecursionError, OverflowError) as error:
        sys.stderr.write(str(error))
        return INVALID_PATTERN_STATUS
    try:
        print_matching_lines(compiled, files, int(most))
    except MemoryError:
        return OUT_OF_MEMORY_STATUS
    return 0


def print_matching_lines(pattern: "re.Pattern[str]", files: Iterable[str], most: int) -> None:
    for file in files:
        left = most
        with open(int(file), encoding="utf-8-sig", errors="surrogateescape", newline="\n") as lines:
            for number, ended in enumerate(lines, 1):
                line = ended.removesuffix("\n").removesuffix("\r")
                if found := pattern.search(line):
                    column = len(line[: found.start()].encode(errors="surrogateescape")) + 1
                    place = f"{file}\0{number}:{column}:{line}\n"
                    sys.stdout.buffer.write(place.encode(errors="surrogateescape"))
                    left -= 1
                if not left:
                    break


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
