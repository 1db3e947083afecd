"""Judge a JSON Schema, or a report by one: a script, run by itself, that is told what to judge on stdin, as JSON.

    echo '{"schema": "{\\"type\\": \\"object\\"}", "report": "[]"}' | python -I judge.py SECONDS

It prints the flaw that it finds, or an empty one. It fetches nothing: references lead into the schema itself, or to
the published ones. Whoever has begun it can end it, and if nobody does (the bot was killed), an alarm does.
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
        found = flaw(asked["schema"], asked.get("report"))
    except Unresolvable as error:
        sys.stderr.write(f"its reference {error.ref!r} leads nowhere")
        return 2
    except RecursionError:
        sys.stderr.write("it goes round in a circle, or too deep")
        return 2
    except MemoryError:
        sys.stderr.write("it takes too much memory to check")
        return 2
    sys.stdout.write(json.dumps({"flaw": found}))
    return 0


def flaw(schema: str, report: str | None) -> str:
    try:
        form = parsed(schema)
    except ValueError as error:
        return f"it is no JSON: {error}"
    judge = validator_for(form, default=Draft202012Validator)
    try:
        judge.check_schema(form)
    except SchemaError as error:
        return told(error)
    if report is None:
        return "" if '"$id"' in schema else dangling(form)  # with ids of their own, only where it is used is known
    try:
        value = parsed(bare(report))
    except ValueError as error:
        return f"it is no JSON: {error}"
    worst = best_match(judge(form, registry=REGISTRY).iter_errors(value))
    return told(worst) if worst else ""


def dangling(form: Any) -> str:
    """Which reference of a schema leads nowhere."""
    whole = Resource.from_contents(form, default_specification=DRAFT202012)
    resolver = REGISTRY.with_resource("", whole).resolver()
    for ref in references(form):
        try:
            resolver.lookup(ref)
        except Unresolvable:
            return f"its reference {ref!r} leads nowhere"
    return ""


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
    raise ValueError(f"{name} is no number there")


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
