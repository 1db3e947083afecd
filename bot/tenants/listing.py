"""How all tenants of a root are: each is asked by itself, side by side, and one that hangs or is broken is a line."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bot.errors import ConfigError
from bot.tenants import making_texts, texts, unfinished
from bot.tenants.deployment import Deployment
from bot.tenants.health import Health
from bot.tenants.root import Root
from bot.tenants.targets import TARGETS, Target, target
from bot.tenants.tenant import FILE, Tenant, read

AT_ONCE = 8  # each is a process or two
TargetOf = Callable[[str], Target]
RUNNING, STOPPED, UNKNOWN = "running", "stopped", "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    name: str
    tenant: Tenant | None = None  # None: its record cannot be read
    state: str = UNKNOWN
    health: Health | None = None
    notes: tuple[str, ...] = ()  # why it is not well, or not known


def lines(root: Root, target_of: TargetOf = target) -> Iterator[Line]:
    """By name. Nothing is raised for one of them; each question has a time limit."""
    folders = root.of_tenants()
    with ThreadPoolExecutor(max_workers=AT_ONCE) as threads:
        yield from threads.map(lambda folder: line(folder, target_of), folders)


def line(folder: Path, target_of: TargetOf) -> Line:
    tenant = None
    try:
        tenant = read(folder)
        if tenant.target not in TARGETS:
            raise ConfigError(making_texts.NO_SUCH_TARGET(path=folder / FILE, target=tenant.target))
        return looked(Deployment(tenant=tenant, target=target_of(tenant.target), tell=lambda _: None))
    except (ConfigError, OSError) as error:
        return Line(name=folder.name, tenant=tenant, notes=(str(error),))


def looked(deployment: Deployment) -> Line:
    tenant, notes, health = deployment.tenant, [], None
    is_running = deployment.is_running()
    if said := unfinished.says(tenant):
        notes.append(said)
    if is_running:
        try:
            health = deployment.health_beside()
            notes += [*health.problems, *(texts.WARNING(problem=each) for each in health.warnings)]
        except ConfigError as error:
            notes.append(str(error))
    return Line(
        name=tenant.name,
        tenant=tenant,
        state=RUNNING if is_running else STOPPED,
        health=health,
        notes=tuple(notes),
    )
