"""Play the month, and print what failed.

python -m tests.month              all 200 situations
python -m tests.month 14 31-40     these numbers; f3 is the third of the foreign list
python -m tests.month --language de
"""

from __future__ import annotations

import asyncio
import shutil
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import tests.month.play  # noqa: F401  # registers the situations
from tests.month.books import Books
from tests.month.clock import ShiftedClock
from tests.month.family import family_at
from tests.month.month import Month
from tests.month.registry import SITUATIONS, Situation
from tests.month.situations_list import FIRST_FOREIGN, read_lists
from tests.month.stage import Stage


def numbers_of(words: Sequence[str]) -> set[int]:
    found: set[int] = set()
    for word in words:
        first, _, last = word.lstrip("f").partition("-")
        shift = FIRST_FOREIGN - 1 if word.startswith("f") else 0
        found |= {shift + number for number in range(int(first), int(last.lstrip("f") or first) + 1)}
    return found


async def play(
    numbers: set[int], folder: Path, *, is_told: bool = True, language: str = "en"
) -> tuple[dict[int, Stage], Books]:
    """Play these situations, or all. Return what came of each, and the books of the whole."""
    lines, done = read_lists(), {}
    clock = ShiftedClock(folder / "clock")
    chosen = [each for number, each in SITUATIONS.items() if not numbers or number in numbers]

    def told(situation: Situation, stage: Stage, seconds: float) -> None:
        done[situation.number] = stage
        line = lines[situation.number]
        if is_told:
            state = "FAULT" if stage.faults else "ok"
            print(f"{stage.now:%d %b %H:%M} {line.name:>10} {line.kind:11} {seconds:5.1f} s {state:5} {line.title}")
            for fault in stage.faults:
                print(f"      {fault}", flush=True)

    async with AsyncExitStack() as closing:
        closing.callback(clock.close)
        family = await closing.enter_async_context(family_at(folder, clock, language))
        month = Month(family)
        clock.move_to(month.begin)
        month.has_voice = {each.voice for each in chosen} >= {True} and not any(each.voice is False for each in chosen)
        try:
            await month.start()
            await month.open()
            await month.play(chosen, told)
            await month.close(done)
        finally:
            if month.process and month.process.is_running:
                await month.process.end(9)
    return done, month.books


def report(done: dict[int, Stage], books: Books, seconds: float) -> bool:
    lines = read_lists()
    kinds, kills, faults = Counter[str](), Counter[str](), defaultdict[str, list[str]](list)
    for number, stage in done.items():
        kinds[lines[number].kind] += 1
        kills[lines[number].kind] += stage.has_killed
        if stage.faults:
            faults[lines[number].kind].append(lines[number].name)
    for number, stage in done.items():
        if stage.has_killed != lines[number].has_kill:
            stage.faults.append(f"its line says {lines[number].has_kill} of a kill")
    for number, stage in done.items():  # a mark that never came is known only later
        for fault in stage.faults:
            print(f"{lines[number].name}: {fault}")
    print(f"\n{'kind':12}{'situations':>12}{'with a kill':>13}  failed")
    for kind in kinds:
        print(f"{kind:12}{kinds[kind]:>12}{kills[kind]:>13}  {', '.join(faults[kind]) or '-'}")
    failed = sum(map(len, faults.values()))
    print(f"{'in all':12}{kinds.total():>12}{kills.total():>13}  {failed} failed, {seconds:.0f} s")
    print("\n".join(["", "In the whole month:", *(f"- {each}" for each in books.summary())]))
    missing = sorted(set(lines) - set(SITUATIONS))
    if missing:
        print(f"{len(missing)} lines of the lists have no function: {', '.join(lines[each].name for each in missing)}")
    return not failed and not missing


def main(words: Sequence[str]) -> int:
    language = "en"
    if "--language" in words:
        place = words.index("--language")
        language, words = words[place + 1], [*words[:place], *words[place + 2 :]]
    keep = "--keep" in words
    words = [each for each in words if each != "--keep"]
    began = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="month-"))
    try:
        done, books = asyncio.run(play(numbers_of(words), folder, language=language))
    finally:
        if keep:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    return 0 if report(done, books, time.monotonic() - began) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
