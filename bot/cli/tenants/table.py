"""What `list-tenants` prints: a table that pipes can take, or a JSON object per tenant."""

import json
from datetime import UTC, datetime

import click

from bot.cli import one_line
from bot.cli.tenants import texts
from bot.cli.tenants.chosen import say
from bot.tenants.listing import Line, lines
from bot.tenants.root import Root

HEADS = ("NAME", "TARGET", "STATE", "HEALTH", "LAST MESSAGE", "TODAY", "VERSION", "UID")
NONE = "-"


def show(root: Root, *, is_json: bool) -> None:
    found = list(lines(root))
    if is_json:
        for line in found:
            click.echo(json.dumps(as_json(line)))
        return
    if not found:
        say(texts.NO_TENANTS(root=root.path))
        return
    rows = [HEADS, *(cells(line) for line in found)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADS))]
    for row in rows:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    for line in found:
        for note in line.notes:
            say(texts.NOTE(name=line.name, note=note))


def cells(line: Line) -> tuple[str, ...]:
    tenant, health = line.tenant, line.health
    values = (
        line.name,
        tenant.target if tenant else NONE,
        line.state,
        wellness(line),
        age(health.last_message_at) if health else NONE,
        money(line),
        version(line),
        str(tenant.uid) if tenant else NONE,
    )
    return tuple(one_line(value) for value in values)


def wellness(line: Line) -> str:
    if line.health is None:
        return NONE if line.state == "stopped" else "unknown"
    return ("warning" if line.health.warnings else "well") if line.health.is_well else "unwell"


def version(line: Line) -> str:
    """That which runs, as it says itself."""
    said = line.health.version if line.health else ""
    return said or (line.tenant.version if line.tenant else NONE)


def money(line: Line) -> str:
    health = line.health
    if health is None or health.spent_usd is None or health.limit_usd is None:
        return NONE
    return texts.SPENT(spent=health.spent_usd, limit=health.limit_usd)


def age(at: datetime | None) -> str:
    if at is None:
        return NONE
    seconds = max(0, int((datetime.now(UTC) - at).total_seconds()))
    if seconds >= 86_400:
        return texts.DAYS_AGO(count=seconds // 86_400)
    if seconds >= 3_600:
        return texts.HOURS_AGO(count=seconds // 3_600)
    if seconds >= 60:
        return texts.MINUTES_AGO(count=seconds // 60)
    return texts.SECONDS_AGO(count=seconds)


def as_json(line: Line) -> dict[str, object]:
    tenant, health = line.tenant, line.health
    return {
        "name": line.name,
        "target": tenant.target if tenant else None,
        "state": line.state,
        "healthy": health.is_well if health else None,
        "notes": list(line.notes),
        "last_message_at": health.last_message_at.isoformat() if health and health.last_message_at else None,
        "spent_usd": health.spent_usd if health else None,
        "limit_usd": health.limit_usd if health else None,
        "version": version(line) if tenant else None,
        "release": tenant.release if tenant else None,
        "uid": tenant.uid if tenant else None,
    }
