"""The files that run a tenant, as `add-tenant` writes them, in the folder of a place; and one change of them."""

from collections.abc import Callable
from pathlib import Path

from bot.tenants.targets import make_target
from bot.tenants.tenant import Tenant
from tests.ops.audit.audited_place import ORDINARY_USER, SECRETS, AuditedPlace

TENANT_NAME = "acme"
RELEASES = {
    "compose": "sha256:" + "1" * 64,
    "systemd": "/opt/retinue",
    "kubernetes": "registry.example/retinue@sha256:" + "1" * 64,
}


def write_tenant_files(place: AuditedPlace, target: str, shell: str = "") -> None:
    """Write the record and the files of a target."""
    tenant = Tenant(
        name=TENANT_NAME,
        target=target,
        uid=ORDINARY_USER,
        release=RELEASES[target],
        version="1.2.3",
        made_at="2026-11-28T00:00:00+00:00",
        folder=place.folder,
        shell=shell,
    )
    files = make_target(target).render_artefacts(tenant, sorted(SECRETS), ["groups/home/instructions.md"])
    for name, text in {"tenant.json": tenant.to_json(), **files}.items():
        place.write(name, text)


def loosened(target: str, name: str, old: str, new: str) -> Callable[[AuditedPlace], Callable[[], object]]:
    """Return a break that changes one file of a tenant. It is mended by writing the file again."""

    def break_it(place: AuditedPlace) -> Callable[[], object]:
        write_tenant_files(place, target)
        path: Path = place.folder / name
        before = path.read_text()
        assert old in before
        path.write_text(before.replace(old, new, 1))
        return lambda: path.write_text(before)

    return break_it


def with_drop_in(text: str) -> Callable[[AuditedPlace], Callable[[], object]]:
    """Return a break by a second drop-in of the installed unit."""

    def break_it(place: AuditedPlace) -> Callable[[], object]:
        write_tenant_files(place, "systemd")
        for path in (place.folder / "systemd").rglob("*"):
            if path.is_file():
                copy = place.units / path.relative_to(place.folder / "systemd")
                copy.parent.mkdir(exist_ok=True)
                copy.write_bytes(path.read_bytes())
        loose = place.units / f"retinue@{TENANT_NAME}.service.d" / "zz-own.conf"
        loose.write_text(text)
        return loose.unlink

    return break_it
