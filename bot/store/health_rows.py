"""How the channels and the models are doing, for `retinue health` and `retinue doctor`, which are other processes.

The name of a model's row, and of an MCP server's, contains a space. No channel's name does.
"""

from dataclasses import dataclass
from datetime import datetime

from bot.store.connection import Connection
from bot.store.row_mapping import dataclass_from_row

MODEL_ROW_NAME_PREFIX = "model "  # how the name of a model's row begins
MCP_ROW_NAME_PREFIX = "mcp "  # how that of an MCP server's row begins


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthRow:
    name: str
    good_at: datetime | None  # the last good poll, or acknowledged heartbeat
    fault: str  # empty: none
    fault_since: datetime | None


def save_channel_health(
    db: Connection, name: str, good_at: datetime | None, fault: str, fault_since: datetime | None
) -> None:
    """Write down how a channel is doing. If `good_at` is None, the former moment stays."""
    db.execute(
        "INSERT INTO channels (name, good_at, fault, fault_since) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE"
        " SET good_at = ifnull(excluded.good_at, good_at), fault = excluded.fault, fault_since = excluded.fault_since",
        (name, good_at, fault, fault_since),
    )


def list_health_rows(db: Connection) -> list[HealthRow]:
    return [dataclass_from_row(HealthRow, row) for row in db.fetch_rows("SELECT * FROM channels ORDER BY name")]


def save_model_fault(db: Connection, model: str, fault: str, now: datetime) -> datetime:
    """Write down why a model does not answer. Return when it began to fail, for this or another reason."""
    row = db.fetch_row(
        "INSERT INTO channels (name, fault, fault_since) VALUES (?, ?, ?) ON CONFLICT DO UPDATE"
        " SET fault = excluded.fault, fault_since = ifnull(fault_since, excluded.fault_since) RETURNING fault_since",
        f"{MODEL_ROW_NAME_PREFIX}{model}",
        fault,
        now,
    )
    assert row
    return datetime.fromisoformat(row["fault_since"])


def longest_model_fault_began_at(db: Connection) -> str:
    """Return when the model that has failed longest began to fail, in ISO 8601; empty if all models answer."""
    row = db.fetch_row("SELECT min(fault_since) AS since FROM channels WHERE name LIKE ?", f"{MODEL_ROW_NAME_PREFIX}%")
    return str(row["since"] or "") if row else ""


def clear_model_fault(db: Connection, model: str) -> None:
    """Forget a model's fault, because it has answered."""
    db.execute("DELETE FROM channels WHERE name = ?", (f"{MODEL_ROW_NAME_PREFIX}{model}",))


def clear_model_fault_texts(db: Connection) -> None:
    """Forget the texts of all models' faults after a start: the operator may have fixed them. The moment when each
    model began to fail stays, so that nobody is told of the same fault twice."""
    db.execute("UPDATE channels SET fault = '' WHERE name LIKE ?", (f"{MODEL_ROW_NAME_PREFIX}%",))


def list_failing_models(db: Connection) -> list[str]:
    """Return the models that have not answered since they began to fail, even if that was before this start."""
    rows = db.fetch_rows("SELECT name FROM channels WHERE name LIKE ?", f"{MODEL_ROW_NAME_PREFIX}%")
    return [row["name"].removeprefix(MODEL_ROW_NAME_PREFIX) for row in rows]


def list_model_fault_texts(db: Connection) -> list[str]:
    """Return what is wrong with the models now: each fault once, since several models may have the same."""
    sql = "SELECT DISTINCT fault FROM channels WHERE name LIKE ? AND fault != ''"
    return [row["fault"] for row in db.fetch_rows(sql, f"{MODEL_ROW_NAME_PREFIX}%")]


def save_mcp_fault(db: Connection, server: str, fault: str, now: datetime) -> None:
    """Write down why an MCP server cannot be used, or that it can be."""
    good_at, since = (None, now) if fault else (now, None)
    save_channel_health(db, f"{MCP_ROW_NAME_PREFIX}{server}", good_at, fault, since)


def list_mcp_health(db: Connection) -> dict[str, HealthRow]:
    """Return how each MCP server was doing when that was last written, by its name."""
    rows = db.fetch_rows("SELECT * FROM channels WHERE name LIKE ? ORDER BY name", f"{MCP_ROW_NAME_PREFIX}%")
    return {row["name"].removeprefix(MCP_ROW_NAME_PREFIX): dataclass_from_row(HealthRow, row) for row in rows}


def clear_mcp_health(db: Connection) -> None:
    """Forget how the MCP servers were doing: they are connected again."""
    db.execute("DELETE FROM channels WHERE name LIKE ?", (f"{MCP_ROW_NAME_PREFIX}%",))
