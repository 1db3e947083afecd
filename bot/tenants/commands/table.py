"""Print the output of `list-tenants`: a table that pipes can read, or one JSON object per tenant."""

import json
from datetime import UTC, datetime

import click

from bot.core.printable import escape_unprintable
from bot.tenants.commands import texts
from bot.tenants.commands.deployments import echo_escaped
from bot.tenants.listing import TenantStatus, list_tenant_statuses
from bot.tenants.root import TenantsRoot

COLUMN_HEADS = ("NAME", "TARGET", "STATE", "HEALTH", "LAST MESSAGE", "TODAY", "VERSION", "UID")
NO_VALUE = "-"


def print_tenants(root: TenantsRoot, *, is_json: bool) -> None:
    found = list(list_tenant_statuses(root))
    if is_json:
        for line in found:
            click.echo(json.dumps(tenant_as_json(line)))
        return
    if not found:
        echo_escaped(texts.NO_TENANTS(root=root.path))
        return
    rows = [COLUMN_HEADS, *(tenant_cells(line) for line in found)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMN_HEADS))]
    for row in rows:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    for line in found:
        for note in line.notes:
            echo_escaped(texts.NOTE(name=line.name, note=note))


def tenant_cells(line: TenantStatus) -> tuple[str, ...]:
    tenant, health = line.tenant, line.health
    values = (
        line.name,
        tenant.target if tenant else NO_VALUE,
        line.state,
        describe_wellness(line),
        format_age(health.last_message_at) if health else NO_VALUE,
        format_spending(line),
        running_version(line),
        str(tenant.uid) if tenant else NO_VALUE,
    )
    return tuple(escape_unprintable(value) for value in values)


def describe_wellness(line: TenantStatus) -> str:
    if line.health is None:
        return NO_VALUE if line.state == "stopped" else "unknown"
    return ("warning" if line.health.warnings else "well") if line.health.is_well else "unwell"


def running_version(line: TenantStatus) -> str:
    """Return the version that the running bot reports, else the recorded one."""
    said = line.health.version if line.health else ""
    return said or (line.tenant.version if line.tenant else NO_VALUE)


def format_spending(line: TenantStatus) -> str:
    health = line.health
    if health is None or health.spent_usd is None or health.limit_usd is None:
        return NO_VALUE
    return texts.SPENT(spent=health.spent_usd, limit=health.limit_usd)


def format_age(at: datetime | None) -> str:
    if at is None:
        return NO_VALUE
    seconds = max(0, int((datetime.now(UTC) - at).total_seconds()))
    if seconds >= 86_400:
        return texts.DAYS_AGO(count=seconds // 86_400)
    if seconds >= 3_600:
        return texts.HOURS_AGO(count=seconds // 3_600)
    if seconds >= 60:
        return texts.MINUTES_AGO(count=seconds // 60)
    return texts.SECONDS_AGO(count=seconds)


def tenant_as_json(line: TenantStatus) -> dict[str, object]:
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
        "version": running_version(line) if tenant else None,
        "release": tenant.release if tenant else None,
        "uid": tenant.uid if tenant else None,
    }
