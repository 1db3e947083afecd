"""Judge a JSON Schema, or a report by one: a script, run by itself, that is told what to judge on stdin, as JSON.

    echo '{"schema": "{\\"type\\": \\"object\\"}", "report": "[]"}' | python -I judge.py SECONDS

It prints the kind of the flaw that it finds, or an empty one, or why it cannot judge; and the detail of it. (What they
mean is in texts.py, which a script that runs by itself cannot import.) It fetches nothing: references lead into the
schema itself, or to the published ones. Whoever has begun it can end it, and if nobody does (the bot was killed), an
alarm does.
"""

import json
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from jsonschema import Draft202012Validator, SchemaError
from jsonschema.exceptions import ValidationError, best_match
from jsonschema.validators import validator_for
from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # it has no types
from referencing import Resource
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

MOST_MEMORY = 128 * 2**20  # bytes; one judge runs at a time
LONGEST = 300  # characters of a flaw: it may quote what it is about
FENCE = "```"


def main(seconds: str) -> int:
    signal.alarm(int(seconds))
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    asked = json.load(sys.stdin)
    try:
        kind, detail = flaw(asked["schema"], asked.get("report"))
        verdict = {"flaw": kind, "detail": detail}
    except Unresolvable as error:
        verdict = {"unjudged": "no reference", "detail": error.ref}
    except RecursionError:
        verdict = {"unjudged": "circle", "detail": ""}
    except MemoryError:
        verdict = {"unjudged": "memory", "detail": ""}
    sys.stdout.write(json.dumps(verdict))
    return 0


class NoNumber(ValueError):
    """What Python takes for a number in JSON, and JSON does not."""


Flaw = tuple[str, str]  # its kind, and its detail
NO_FLAW: Flaw = ("", "")


def flaw(schema: str, report: str | None) -> Flaw:
    try:
        form = parsed(schema)
    except ValueError as error:
        return no_json(error)
    judge = validator_for(form, default=Draft202012Validator)
    try:
        judge.check_schema(form)
    except SchemaError as error:
        return "misfit", told(error)
    if report is None:
        return NO_FLAW if '"$id"' in schema else dangling(form)  # with ids of their own, only where it is used is known
    try:
        value = parsed(bare(report))
    except ValueError as error:
        return no_json(error)
    worst = best_match(judge(form, registry=REGISTRY).iter_errors(value))
    return ("misfit", told(worst)) if worst else NO_FLAW


def no_json(error: ValueError) -> Flaw:
    return "no number" if isinstance(error, NoNumber) else "no JSON", str(error)


def dangling(form: Any) -> Flaw:
    """Which reference of a schema leads nowhere."""
    whole = Resource.from_contents(form, default_specification=DRAFT202012)
    resolver = REGISTRY.with_resource("", whole).resolver()
    for ref in references(form):
        try:
            resolver.lookup(ref)
        except Unresolvable:
            return "no reference", ref
    return NO_FLAW


def references(form: Any) -> Iterator[str]:
    if isinstance(form, dict):
        if isinstance(ref := form.get("$ref"), str):
            yield ref
        form = list(form.values())
    if isinstance(form, list):
        for each in form:
            yield from references(each)


def parsed(text: str) -> Any:
    return json.loads(text, parse_constant=no_number)


def no_number(name: str) -> None:
    raise NoNumber(name)


def bare(report: str) -> str:
    """A report without the fence that models like to put round JSON."""
    lines = report.strip().splitlines()
    is_fenced = len(lines) > 2 and lines[0].startswith(FENCE) and lines[-1].strip() == FENCE
    return "\n".join(lines[1:-1]) if is_fenced else report


def told(error: "ValidationError | SchemaError") -> str:
    """Where it is, and what is wrong there, in one line."""
    message = " ".join(error.message.split())
    if len(message) > LONGEST:  # what it quotes comes first, and the reason last
        message = f"{message[: LONGEST // 3]} … {message[-LONGEST // 3 :]}"
    return f"{error.json_path}: {message}"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
