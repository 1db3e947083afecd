"""Judge a JSON Schema, or a report against one: a script of its own that reads both from stdin, as JSON.

    echo '{"schema": "{\\"type\\": \\"object\\"}", "report": "[]"}' | python -I judge.py SECONDS

It prints, as JSON, the kind and detail of the flaw that it finds, or an empty kind, or why it cannot judge. texts.py,
which it cannot import, has the words for each kind. It fetches nothing: references lead into the schema itself or to
the published schemas. The bot can end the process. If the bot was killed, an alarm ends it.
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

MAX_MEMORY_BYTES = 128 * 2**20  # bytes; one judge runs at a time
MAX_FLAW_CHARACTERS = 300  # characters of a flaw: it may quote the report
CODE_FENCE = "```"


def main(seconds: str) -> int:
    signal.alarm(int(seconds))
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    asked = json.load(sys.stdin)
    try:
        kind, detail = find_schema_or_report_flaw(asked["schema"], asked.get("report"))
        verdict = {"flaw": kind, "detail": detail}
    except Unresolvable as error:
        verdict = {"unjudged": "no reference", "detail": error.ref}
    except RecursionError:
        verdict = {"unjudged": "circle", "detail": ""}
    except MemoryError:
        verdict = {"unjudged": "memory", "detail": ""}
    sys.stdout.write(json.dumps(verdict))
    return 0


class NotJsonNumber(ValueError):
    """A number such as NaN that Python accepts in JSON, but JSON itself does not."""


Flaw = tuple[str, str]  # kind and detail
NO_FLAW: Flaw = ("", "")


def find_schema_or_report_flaw(schema: str, report: str | None) -> Flaw:
    form, flaw = parse_strict_json_or_flaw(schema)
    if flaw != NO_FLAW:
        return flaw
    judge = validator_for(form, default=Draft202012Validator)
    try:
        judge.check_schema(form)
    except SchemaError as error:
        return "misfit", format_schema_error(error)
    if report is None:
        # With `$id`, only judging a report shows a reference that leads nowhere.
        return NO_FLAW if '"$id"' in schema else find_dangling_reference(form)
    value, flaw = parse_strict_json_or_flaw(strip_code_fence(report))
    if flaw != NO_FLAW:
        return flaw
    worst = best_match(judge(form, registry=REGISTRY).iter_errors(value))
    return ("misfit", format_schema_error(worst)) if worst else NO_FLAW


def find_dangling_reference(form: Any) -> Flaw:
    whole = Resource.from_contents(form, default_specification=DRAFT202012)
    resolver = REGISTRY.with_resource("", whole).resolver()
    for ref in iter_schema_references(form):
        try:
            resolver.lookup(ref)
        except Unresolvable:
            return "no reference", ref
    return NO_FLAW


def iter_schema_references(form: Any) -> Iterator[str]:
    if isinstance(form, dict):
        if isinstance(ref := form.get("$ref"), str):
            yield ref
        form = list(form.values())
    if isinstance(form, list):
        for each in form:
            yield from iter_schema_references(each)


def parse_strict_json_or_flaw(text: str) -> tuple[Any, Flaw]:
    """Return the value and no flaw, or None and the flaw of a text that is no JSON."""
    try:
        return json.loads(text, parse_constant=reject_number_constant), NO_FLAW
    except NotJsonNumber as error:
        return None, ("no number", str(error))
    except ValueError as error:
        return None, ("no JSON", str(error))


def reject_number_constant(name: str) -> None:
    raise NotJsonNumber(name)


def strip_code_fence(report: str) -> str:
    """Return the report without the code fence that models like to put around JSON."""
    lines = report.strip().splitlines()
    is_fenced = len(lines) > 2 and lines[0].startswith(CODE_FENCE) and lines[-1].strip() == CODE_FENCE
    return "\n".join(lines[1:-1]) if is_fenced else report


def format_schema_error(error: "ValidationError | SchemaError") -> str:
    """Say in one line where the error is and what is wrong."""
    message = " ".join(error.message.split())
    if len(message) > MAX_FLAW_CHARACTERS:  # the quote comes first, the reason last
        message = f"{message[: MAX_FLAW_CHARACTERS // 3]} … {message[-MAX_FLAW_CHARACTERS // 3 :]}"
    return f"{error.json_path}: {message}"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
