"""Parse a bot's `retinue health --json` with care: the bot may have another version, or lie."""

import json
import math
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from bot.core.errors import ConfigError
from bot.tenants import texts
from bot.tenants.long_commands import explain_failure
from bot.tenants.targets.programs import Outcome

MAX_SHOWN_CHARACTERS = 300  # characters, of each text and of an unexpected answer
MAX_TEXTS = 20  # texts


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantMarks:
    """Positions in the stored rows. If two marks are equal, no message came in or went out in between."""

    step: int  # of the migrations; 0: there is no database yet
    received: int | None  # the number of the newest message; None: this version cannot read that step's rows
    said: int | None
    unsent: int | None

    def has_same_messages(self, other: "TenantMarks") -> bool:
        mine, others = ((each.received, each.said, each.unsent) for each in (self, other))
        return None not in mine and mine == others


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantHealth:
    is_well: bool
    problems: tuple[str, ...]
    warnings: tuple[str, ...]
    is_alive: bool  # a process holds its data
    version: str
    last_message_at: datetime | None
    spent_usd: float | None
    limit_usd: float | None
    marks: TenantMarks | None  # None: unknown to the bot


def parse_health(outcome: Outcome) -> TenantHealth:
    """Return the health from the command's output. Raise ConfigError if the output is not a health answer."""
    try:
        values = json.loads(outcome.out.strip().rpartition("\n")[2])
        budget, at = values.get("budget") or {}, values.get("last_message_at")
        last = datetime.fromisoformat(at) if at else None
        if last and not last.tzinfo:
            last = last.replace(tzinfo=UTC)
        return TenantHealth(
            is_well=values["healthy"] is True,
            problems=shorten_texts(values["problems"]),
            warnings=shorten_texts(values.get("warnings") or ()),
            is_alive=bool(values.get("process")),
            version=str(values.get("version") or "")[:MAX_SHOWN_CHARACTERS],
            last_message_at=last,
            spent_usd=parse_finite_number(budget.get("spent_usd")),
            limit_usd=parse_finite_number(budget.get("limit_usd")),
            marks=parse_row_marks(values.get("rows")),
        )
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        said = explain_failure(outcome.output.splitlines())[-MAX_SHOWN_CHARACTERS:] or texts.SAID_NOTHING
        raise ConfigError(texts.HEALTH_UNKNOWN(reason=said)) from None


def shorten_texts(values: Any) -> tuple[str, ...]:
    """Return the first texts, each shortened: the bot may say anything."""
    return tuple(str(each)[:MAX_SHOWN_CHARACTERS] for each in tuple(values)[:MAX_TEXTS])


def parse_finite_number(value: Any) -> float | None:
    """Return the number. Raise ValueError or TypeError if it is infinite or none at all."""
    found = None if value is None else float(value)
    if found is not None and not math.isfinite(found):
        raise ValueError
    return found


def parse_row_marks(values: Any) -> TenantMarks | None:
    """Return the marks, or None if there are none. Raise TypeError if one is not a whole number."""
    if values is None:
        return None
    found = TenantMarks(**values)
    numbers = [each for each in (found.received, found.said, found.unsent) if each is not None]
    if any(type(each) is not int for each in (found.step, *numbers)):
        raise TypeError
    return found
