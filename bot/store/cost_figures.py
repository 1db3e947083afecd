"""What was spent by the whole tenant: by day, and by role, model, chat and person in a period."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class DayFigure:
    day: date
    cost: Micros
    tokens: int  # as token caps count them


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedFigure:
    name: str
    cost: Micros
    requests: int


def list_days_with_costs(db: Connection, since: date) -> list[DayFigure]:
    """Return the days on which something was spent, from `since` on, in order."""
    sql = "SELECT day, cost, tokens FROM spending WHERE chat = ? AND day >= ? ORDER BY day"
    rows = db.fetch_rows(sql, TENANT_SPENDING_SCOPE, since)
    return [DayFigure(day=date.fromisoformat(row[0]), cost=Micros(row[1]), tokens=row[2]) for row in rows]


def list_costs_by(db: Connection, column: CostColumn, since: date, most: int) -> list[NamedFigure]:
    """Return the dearest roles, models, chats or people from `since` on. Deleted conversations do not count."""
    sql = (
        f"SELECT {COLUMN_SQLS[column]} AS name, ifnull(sum(requests.cost), 0) AS cost, count(*) AS requests"
        " FROM requests JOIN turns ON turns.id = turn WHERE day >= ? GROUP BY 1 ORDER BY cost DESC, name LIMIT ?"
    )
    return [dataclass_from_row(NamedFigure, row) for row in db.fetch_rows(sql, since, most)]
