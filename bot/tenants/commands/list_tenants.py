"""`scripts/list-tenants`: list every tenant with its state and its cost.

The list is a table that pipes can read, or one JSON object per tenant.
"""

import json
from datetime import UTC, datetime
from pathlib import Path

import click

from bot.core.printable import escape_unprintable
from bot.ops import logs
from bot.tenants.commands import texts
from bot.tenants.commands.deployments import echo_escaped
from bot.tenants.commands.options import HELP_OPTIONS, root_option
from bot.tenants.listing import STOPPED, TenantStatus, list_tenant_statuses
from bot.tenants.root import TenantsRoot

COLUMN_HEADS = ("NAME", "TARGET", "STATE", "HEALTH", "LAST MESSAGE", "TODAY", "VERSION", "UID")
NO_VALUE = "-"


@click.command(context_settings=HELP_OPTIONS)
@root_option
@click.option("--json", "is_json", is_flag=True, help="Print it as JSON, an object per line.")
def command(root: Path, is_json: bool) -> None:
    """List the tenants: what they run on, how they are, when somebody last wrote, and what today has cost."""
    logs.silence_logs()
    machine = TenantsRoot(root)
    found = list(list_tenant_statuses(machine))
    if is_json:
        for line in found:
            click.echo(json.dumps(tenant_as_json(line)))
        return
    if not found:
        echo_escaped(texts.NO_TENANTS(root=machine.path))
        return
    rows = [COLUMN_HEADS, *(tenant_cells(line) for line in found)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMN_HEADS))]
    for row in rows:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    for line in found:
        for note in line.notes:
            echo_escaped(texts.NOTE(name=line.name, note=note))


def tenant_cells(line: TenantStatus) -> tuple[str, ...]:
    """Return the line's row in the table, a cell for each of COLUMN_HEADS."""
    tenant, health = line.tenant, line.health
    wellness, age, spending = NO_VALUE if line.state == STOPPED else "unknown", NO_VALUE, NO_VALUE
    if health:
        wellness = ("warning" if health.warnings else "well") if health.is_well else "unwell"
        age = format_age(health.last_message_at)
        if health.spent_usd is not None and health.limit_usd is not None:
            spending = texts.SPENT(spent=health.spent_usd, limit=health.limit_usd)
    target, uid = (tenant.target, str(tenant.uid)) if tenant else (NO_VALUE, NO_VALUE)
    values = (line.name, target, line.state, wellness, age, spending, running_version(line), uid)
    return tuple(escape_unprintable(value) for value in values)


def running_version(line: TenantStatus) -> str:
    """Return the version that the running bot reports, else the recorded one."""
    said = line.health.version if line.health else ""
    return said or (line.tenant.version if line.tenant else NO_VALUE)


def format_age(at: datetime | None) -> str:
    """Return how long ago that was, in its largest unit."""
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
    """Return the line as `--json` prints it."""
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
