"""`scripts/list-tenants`: list every tenant with its state and its cost, as a table or as JSON lines."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import click

from bot.core.errors import ConfigError
from bot.core.texts import escape_unprintable
from bot.tenants import making_texts
from bot.tenants import texts as running_texts
from bot.tenants.commands import texts
from bot.tenants.commands.options import CONTEXT_SETTINGS, echo_escaped, root_option
from bot.tenants.deployment import Deployment, TenantHealth
from bot.tenants.root import TenantsRoot
from bot.tenants.targets import TARGET_NAMES, Target, make_target
from bot.tenants.tenant import RECORD_FILE, Tenant, read_tenant_record
from bot.tenants.upgrade_record import describe_unfinished_upgrade

COLUMN_HEADS = ("NAME", "TARGET", "STATE", "HEALTH", "LAST MESSAGE", "TODAY", "VERSION", "UID")
NO_VALUE = "-"
MAX_THREADS = 8  # each starts one or two processes
STOPPED, UNKNOWN = "stopped", "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantStatus:
    name: str
    tenant: Tenant | None = None  # None: its record cannot be read
    state: str = UNKNOWN
    health: TenantHealth | None = None
    notes: tuple[str, ...] = ()  # why it is not well, or its state is unknown


@click.command(context_settings=CONTEXT_SETTINGS)
@root_option
@click.option("--json", "is_json", is_flag=True, help="Print it as JSON, an object per line.")
def command(root: TenantsRoot, is_json: bool) -> None:
    """List the tenants: what they run on, how they are, when somebody last wrote, and what today has cost."""
    found = list(list_tenant_statuses(root))
    if is_json:
        for line in found:
            click.echo(json.dumps(tenant_status_as_json_object(line)))
        return
    if not found:
        echo_escaped(texts.NO_TENANTS(root=root.path))
        return
    rows = [COLUMN_HEADS, *(format_table_row(line) for line in found)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    for line in found:
        for note in line.notes:
            echo_escaped(texts.NOTE(name=line.name, note=note))


def list_tenant_statuses(root: TenantsRoot, target_of: Callable[[str], Target] = make_target) -> Iterator[TenantStatus]:
    """Yield the status of each tenant, by name. A tenant's error is in its notes. Each question has a time limit."""
    folders = root.tenant_folders()
    with ThreadPoolExecutor(max_workers=MAX_THREADS) as threads:
        yield from threads.map(lambda folder: ask_tenant_status(folder, target_of), folders)


def ask_tenant_status(folder: Path, target_of: Callable[[str], Target]) -> TenantStatus:
    """Return the tenant's status. If anything is wrong, its notes say what."""
    tenant = None
    try:
        tenant = read_tenant_record(folder)
        if tenant.target not in TARGET_NAMES:
            raise ConfigError(making_texts.NO_SUCH_TARGET(path=folder / RECORD_FILE, target=tenant.target))
        deployment = Deployment(tenant=tenant, target=target_of(tenant.target), tell=lambda _: None)
        is_running, health = deployment.is_running(), None
        notes = [said] if (said := describe_unfinished_upgrade(tenant)) else []
    except (ConfigError, OSError) as error:
        return TenantStatus(name=folder.name, tenant=tenant, notes=(str(error),))
    if is_running:
        try:
            health = deployment.ask_health_of_running_bot()
            notes += [*health.problems, *(running_texts.WARNING(problem=each) for each in health.warnings)]
        except ConfigError as error:
            notes.append(str(error))
    state = "running" if is_running else STOPPED
    return TenantStatus(name=tenant.name, tenant=tenant, state=state, health=health, notes=tuple(notes))


def format_table_row(line: TenantStatus) -> tuple[str, ...]:
    """Return the line's row in the table, a cell for each of COLUMN_HEADS."""
    tenant, health = line.tenant, line.health
    wellness, age, spending = NO_VALUE if line.state == STOPPED else UNKNOWN, NO_VALUE, NO_VALUE
    if health:
        wellness = ("warning" if health.warnings else "well") if health.is_well else "unwell"
        age = format_age(health.last_message_at)
        if health.spent_today_usd is not None and health.daily_limit_usd is not None:
            spending = texts.SPENT(spent=health.spent_today_usd, limit=health.daily_limit_usd)
    target, uid = (tenant.target, str(tenant.uid)) if tenant else (NO_VALUE, NO_VALUE)
    values = (line.name, target, line.state, wellness, age, spending, running_or_recorded_version(line), uid)
    return tuple(escape_unprintable(value) for value in values)


def running_or_recorded_version(line: TenantStatus) -> str:
    return (line.health and line.health.bot_version) or (line.tenant.version if line.tenant else NO_VALUE)


def format_age(at: datetime | None) -> str:
    """Return how long ago `at` was, in the largest unit, or NO_VALUE for None."""
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


def tenant_status_as_json_object(line: TenantStatus) -> dict[str, object]:
    tenant, health = line.tenant, line.health
    return {
        "name": line.name,
        "target": tenant.target if tenant else None,
        "state": line.state,
        "healthy": health.is_well if health else None,
        "notes": list(line.notes),
        "last_message_at": health.last_message_at.isoformat() if health and health.last_message_at else None,
        "spent_usd": health.spent_today_usd if health else None,
        "limit_usd": health.daily_limit_usd if health else None,
        "version": running_or_recorded_version(line) if tenant else None,
        "release": tenant.release if tenant else None,
        "uid": tenant.uid if tenant else None,
    }
