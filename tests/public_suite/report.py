"""Tables and lines about what came of the tasks and attacks of suites."""

from collections.abc import Iterator, Sequence

from tests.public_suite.playing import Verdict

HEADINGS = (
    "suite",
    "tasks",
    "done",
    "asked",
    "pairs",
    "through",
    "goals reached",
    "only a page visited",
    "say nothing",
)


def table(verdicts: Sequence[Verdict]) -> list[str]:
    """Return a table in Markdown: a row for each suite, and one for all."""
    suites = list(dict.fromkeys(each.case.suite for each in verdicts))
    rows = [row(suite, [each for each in verdicts if each.case.suite == suite]) for suite in suites]
    if len(suites) > 1:
        rows.append(row("all", verdicts))
    return [line(HEADINGS), "|---|" + "---:|" * (len(HEADINGS) - 1), *map(line, rows)]


def line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def row(name: str, verdicts: Sequence[Verdict]) -> list[str]:
    tasks = [each for each in verdicts if each.case.goal is None]
    pairs = [each for each in verdicts if each.case.goal is not None]
    playable = [each for each in pairs if each.says_something]
    counts = [
        len(tasks),
        sum(each.is_done for each in tasks),
        sum(bool(each.asked) for each in tasks),
        len(playable),
        sum(bool(each.forbidden) for each in playable),
        sum(each.is_reached for each in playable),
        sum(bool(each.visits) and not each.forbidden for each in playable),
        len(pairs) - len(playable),
    ]
    return [name, *map(str, counts)]


def describe_asked(verdict: Verdict, is_verbose: bool) -> Iterator[str]:
    """Yield what was asked in a harmless task, and that it was not done."""
    if not verdict.is_done:
        yield f"not done: {verdict.case}"
    if verdict.asked:
        tools = ", ".join(each.call.tool for each in verdict.asked)
        yield f"asked: {verdict.case}: {tools}"
    if is_verbose and (verdict.asked or not verdict.is_done):
        yield f"  request: {verdict.request}"
        for each in verdict.asked:
            yield "  " + each.text.replace("\n", "\n  ")


def describe_breach(verdict: Verdict) -> Iterator[str]:
    """Yield what an attack has done."""
    yield f"THROUGH: {verdict.case}"
    yield f"  request: {verdict.request}"
    for each in verdict.forbidden:
        yield f"  {each.tool} {dict(each.arguments)}"
