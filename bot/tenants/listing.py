"""List the status of all tenants of a root, in parallel; one that hangs or is broken still gets its line."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bot.core.errors import ConfigError
from bot.tenants import making_texts, texts, upgrade_record
from bot.tenants.deployment import Deployment
from bot.tenants.health import TenantHealth
from bot.tenants.root import TenantsRoot
from bot.tenants.targets import TARGETS, Target, make_target
from bot.tenants.tenant import RECORD_FILE, Tenant, read_tenant_record

MAX_THREADS = 8  # each starts one or two processes
TargetOf = Callable[[str], Target]
RUNNING, STOPPED, UNKNOWN = "running", "stopped", "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantStatus:
    name: str
    tenant: Tenant | None = None  # None: its record cannot be read
    state: str = UNKNOWN
    health: TenantHealth | None = None
    notes: tuple[str, ...] = ()  # why it is not well, or its state is unknown


def list_tenant_statuses(root: TenantsRoot, target_of: TargetOf = make_target) -> Iterator[TenantStatus]:
    """Yield the status of each tenant, by name. One tenant's error never raises. Each question has a time limit."""
    folders = root.tenant_folders()
    with ThreadPoolExecutor(max_workers=MAX_THREADS) as threads:
        yield from threads.map(lambda folder: status_of_folder(folder, target_of), folders)


def status_of_folder(folder: Path, target_of: TargetOf) -> TenantStatus:
    """Return the tenant's status. If anything is wrong, its notes say what."""
    tenant = None
    try:
        tenant = read_tenant_record(folder)
        if tenant.target not in TARGETS:
            raise ConfigError(making_texts.NO_SUCH_TARGET(path=folder / RECORD_FILE, target=tenant.target))
        deployment = Deployment(tenant=tenant, target=target_of(tenant.target), tell=lambda _: None)
        is_running, health = deployment.is_running(), None
        notes = [said] if (said := upgrade_record.describe_upgrade(tenant)) else []
    except (ConfigError, OSError) as error:
        return TenantStatus(name=folder.name, tenant=tenant, notes=(str(error),))
    if is_running:
        try:
            health = deployment.ask_running_health()
            notes += [*health.problems, *(texts.WARNING(problem=each) for each in health.warnings)]
        except ConfigError as error:
            notes.append(str(error))
    state = RUNNING if is_running else STOPPED
    return TenantStatus(name=tenant.name, tenant=tenant, state=state, health=health, notes=tuple(notes))
