"""What was spent by the whole tenant: by day, and by role, model, chat and person in a period.

Tokens are counted as token caps count them: without those that were read from the cache."""

from dataclasses import dataclass
from datetime import date
from typing import Literal

from bot.core.prices import Micros
from bot.store.connection import Connection
from bot.store.ledger import TENANT_SPENDING_SCOPE
from bot.store.row_mapping import dataclass_from_row

CostColumn = Literal["role", "model", "chat", "person"]
COLUMN_SQLS: dict[CostColumn, str] = {
    "role": "turns.role",
    "model": "requests.model",
    "chat": "requests.chat",
    "person": "turns.asker",
}
# `usage` is a `Usage` as JSON; if another model answered in the place of some that declined, theirs is in `declined`.
COUNTED_TOKENS = ("input", "output", "cache_write_5m", "cache_write_1h")
TOKENS_SQL = " + ".join(
    f"ifnull(usage ->> '$.{above}{name}', 0)" for above in ("", "declined.") for name in COUNTED_TOKENS
)
EXPECTED_SQL = "ifnull(usage ->> '$.expected_cache_read', 0) + ifnull(usage ->> '$.declined.expected_cache_read', 0)"


@dataclass(frozen=True, slots=True, kw_only=True)
class DayFigure:
    day: date
    cost: Micros
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedFigure:
    name: str
    cost: Micros
    tokens: int
    requests: int


def list_days_with_costs(db: Connection, since: date) -> list[DayFigure]:
    """Return the days on which something was spent, from `since` on, in order."""
    sql = "SELECT day, cost, tokens FROM spending WHERE chat = ? AND day >= ? ORDER BY day"
    rows = db.fetch_rows(sql, TENANT_SPENDING_SCOPE, since)
    return [DayFigure(day=date.fromisoformat(row[0]), cost=Micros(row[1]), tokens=row[2]) for row in rows]


def list_costs_by(db: Connection, column: CostColumn, since: date, most: int) -> list[NamedFigure]:
    """Return the dearest roles, models, chats or people from `since` on. Deleted conversations do not count."""
    sql = (
        f"SELECT {COLUMN_SQLS[column]} AS name, ifnull(sum(requests.cost), 0) AS cost,"
        f" ifnull(sum({TOKENS_SQL} - ({EXPECTED_SQL})), 0) AS tokens, count(*) AS requests"
        " FROM requests JOIN turns ON turns.id = turn WHERE day >= ? GROUP BY 1 ORDER BY cost DESC, name LIMIT ?"
    )
    return [dataclass_from_row(NamedFigure, row) for row in db.fetch_rows(sql, since, most)]
