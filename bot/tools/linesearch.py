"""Find the lines in opened files that match a regular expression: a script of its own, for grep without ripgrep.

    python -I -S linesearch.py SECONDS MOST FLAGS PATTERN FD…

It prints what ripgrep would: file, a null character, line, column (in bytes, from 1), the line as it stands. It runs
in its own process because Python's regular expressions cannot be interrupted and block all threads while they work.
The bot can end the process. If the bot was killed, an alarm ends it.
"""

import re
import resource
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress

INVALID_PATTERN_STATUS, OUT_OF_MEMORY_STATUS = 2, 3  # exit statuses; for the first, stderr says what is wrong
MOST_MEMORY = 2**30  # bytes: on a very long line some patterns would take all memory


def main(seconds: str, most: str, flags: str, pattern: str, *files: str) -> int:
    signal.alarm(int(seconds))
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    try:
        compiled = re.compile(pattern, re.IGNORECASE if "i" in flags else 0)
    except (re.error, RecursionError, OverflowError) as error:
        sys.stderr.write(str(error))
        return INVALID_PATTERN_STATUS
    try:
        search_files(compiled, files, int(most))
    except MemoryError:
        return OUT_OF_MEMORY_STATUS
    return 0


def search_files(pattern: "re.Pattern[str]", files: Iterable[str], most: int) -> None:
    for file in files:
        with open(int(file), encoding="utf-8-sig", errors="surrogateescape", newline="\n") as lines:
            for number, column, line in matching_lines(pattern, lines, most):
                place = f"{file}\0{number}:{column}:{line}\n"
                sys.stdout.buffer.write(place.encode(errors="surrogateescape"))


def matching_lines(pattern: "re.Pattern[str]", lines: Iterable[str], most: int) -> Iterator[tuple[int, int, str]]:
    for number, ended in enumerate(lines, 1):
        line = ended.removesuffix("\n").removesuffix("\r")
        if found := pattern.search(line):
            yield number, len(line[: found.start()].encode(errors="surrogateescape")) + 1, line
            most -= 1
        if not most:
            return


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
