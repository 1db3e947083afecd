"""Format log records without the tenant's secrets and without anything that a person wrote.

Three rules ensure that, for the plain and the JSON format:

- Our own messages are shown as they are: our code puts ids and kinds into them, but no texts of people.
- A library's record shows only its template. Its arguments are left out, because they may hold any text.
- An exception shows its kind and its traceback. Its text is shown only if the bot or the system wrote it.

Secrets are removed from all of this, in all the spellings that are kept from people (`bot/core/secret_search.py`).
"""

import json
import logging
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from traceback import format_tb

from bot.core.errors import BotError, RetryableModelFailure, ToolError, TurnError
from bot.core.exits import remove_secrets
from bot.core.secret_search import SecretIndex, is_long_enough
from bot.core.texts import escape_unprintable
from bot.ops import texts

LINE_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
OWN_LOGGERS = ("bot", "channels", "__main__")
EXTRA_FIELDS = ("turn", "channel", "model")  # what our own records pass as `extra`
PYTHON_WARNING_PATTERN = re.compile(r".+?:\d+(?=: (\w+):)")  # Python's format: file, line, kind, text
NEVER_RETRIEVED = "exception was never retrieved"
ASYNCIO_MESSAGE_PREFIXES = (f"Task {NEVER_RETRIEVED}", f"Future {NEVER_RETRIEVED}", "Exception in callback")
REDACTED_MARK = "…"
MAX_EXCEPTION_CAUSES = 8  # shown for one exception, each the cause of the one before
MAX_EXCEPTION_GROUP_MEMBERS = 8  # shown for one exception group


class RedactingFormatter(logging.Formatter):
    """Format a record for people: one line, and below it the indented lines of a traceback."""

    def __init__(self, secrets: Iterable[str]) -> None:
        super().__init__(LINE_FORMAT)
        known = sorted(set(filter(None, secrets)), key=len, reverse=True)
        self.index = SecretIndex({"": known})
        self.short_secrets = [secret for secret in known if not is_long_enough(secret)]  # these only as they are

    def format(self, record: logging.LogRecord) -> str:
        head = f"{self.formatTime(record)} {record.levelname} {record.name}: {self.redact(loggable_message(record))}"
        raised = self.redacted_exception_lines(record)
        return "\n".join(map(escape_unprintable, (head, *(f"  {line}" for line in raised))))

    def redact(self, text: str) -> str:
        text = remove_secrets(text, self.index, mark=REDACTED_MARK).text
        for secret in self.short_secrets:
            text = text.replace(secret, REDACTED_MARK)
        return text

    def redacted_exception_lines(self, record: logging.LogRecord) -> list[str]:
        error = record.exc_info[1] if record.exc_info else None
        return self.redact("\n".join(format_exception_chain(error))).splitlines() if error else []


class RedactingJsonFormatter(RedactingFormatter):
    """Format a record as one JSON object on a line of ASCII. It has `time` (ISO 8601, UTC), `level`, `logger` and
    `message`. It may have `exception` and the EXTRA_FIELDS."""

    def format(self, record: logging.LogRecord) -> str:
        said = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": loggable_message(record),
            **{name: str(value) for name in EXTRA_FIELDS if (value := getattr(record, name, None)) is not None},
        }
        clean = {name: escape_surrogates(self.redact(text)) for name, text in said.items()}
        if raised := self.redacted_exception_lines(record):
            clean["exception"] = escape_surrogates("\n".join(raised))
        return json.dumps(clean, ensure_ascii=True)


def loggable_message(record: logging.LogRecord) -> str:
    """Return the record's message without the parts that may hold people's words."""
    said, arguments = str(record.msg), record.args
    if record.name.partition(".")[0] in OWN_LOGGERS:
        if isinstance(arguments, tuple):
            arguments = tuple(loggable_exception_text(it) if isinstance(it, BaseException) else it for it in arguments)
        try:
            return said % arguments if arguments else said
        except (TypeError, ValueError, KeyError):  # our template is wrong
            return texts.TEMPLATE_IS_WRONG(template=said, path=record.pathname, line=record.lineno)
    if record.name == "py.warnings" and (found := PYTHON_WARNING_PATTERN.match(record.getMessage())):
        return texts.WARNING_OF_PYTHON(kind=found[1], place=found[0])
    if record.name == "asyncio" and (known := next(filter(said.startswith, ASYNCIO_MESSAGE_PREFIXES), "")):
        return known
    if arguments and said != "%s":
        return said
    return texts.LIBRARY_LOGS(function=record.funcName, module=record.module, line=record.lineno)


def format_exception_chain(error: BaseException, depth: int = 0) -> Iterator[str]:
    """Yield the lines of an exception and of at most MAX_EXCEPTION_CAUSES causes: the first first, as Python does."""
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None and depth < MAX_EXCEPTION_CAUSES:
        yield from format_exception_chain(before, depth + 1)
        yield texts.AND_THEN
    for frame in format_tb(error.__traceback__):
        yield from frame.splitlines()
    kind, text = type(error).__name__, loggable_exception_text(error)
    yield kind if text == kind else f"{kind}: {text}"
    if isinstance(error, BaseExceptionGroup) and depth < MAX_EXCEPTION_CAUSES:
        for each in error.exceptions[:MAX_EXCEPTION_GROUP_MEMBERS]:
            yield from (f"  | {line}" for line in format_exception_chain(each, depth + 1))


def loggable_exception_text(error: BaseException) -> str:
    """Return the part of the exception's text that may be logged."""
    kind = type(error).__name__
    match error:
        case ToolError() | TurnError() | RetryableModelFailure():  # their text may repeat a person's words
            return kind
        case BotError():
            return str(error)
        case OSError(strerror=str(why)):
            return why
        case OSError() | AttributeError() | ImportError() | NameError():  # their text names parts of the program
            return " ".join(str(error).split()) or kind
    return str(getattr(error, "sqlite_errorname", "")) or kind  # other texts may hold a person's words


def escape_surrogates(text: str) -> str:
    """Replace each lone surrogate by its number, because UTF-8 cannot encode it."""
    return text.encode("utf-8", "backslashreplace").decode()
