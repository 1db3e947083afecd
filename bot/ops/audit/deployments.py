"""Whether the files that run a tenant are as strict as `add-tenant` writes them. Another deployment has none here."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from bot.ops.audit import texts
from bot.ops.audit.subject import AuditedBot, Fault

TEMPLATES = "bot/tenants/templates"
TEMPLATE_UNIT = "retinue@.service"
SHELL_DROP_IN = "shell.conf"  # the template of what `add-tenant --shell` opens

# What confines a service of systemd, of the template's keys. Limits are not among them: an operator may change those.
SPACE_SEPARATED_CONFINING_KEYS = (
    "NoNewPrivileges CapabilityBoundingSet AmbientCapabilities RestrictSUIDSGID LockPersonality"
    " MemoryDenyWriteExecute SystemCallArchitectures SystemCallFilter ProtectSystem ProtectHome"
    " PrivateDevices PrivateMounts DevicePolicy PrivateUsers PrivateIPC KeyringMode ProtectClock"
    " ProtectHostname ProtectControlGroups ProtectKernelLogs ProtectKernelModules ProtectKernelTunables"
    " ProtectProc ProcSubset RestrictNamespaces RestrictRealtime RestrictAddressFamilies UMask"
)
CONFINING_KEYS = frozenset(SPACE_SEPARATED_CONFINING_KEYS.split())
HOST_NAMESPACE_KEYS = ("network_mode", "pid", "ipc", "userns_mode", "uts")
POD_HOST_KEYS = ("hostNetwork", "hostPID", "hostIPC")
ENFORCED_LABEL = "pod-security.kubernetes.io/enforce"


def find_loose_compose_file(bot: AuditedBot) -> Iterator[Fault]:
    path = bot.folder / "compose.yaml"
    for document in read_yaml_documents(path) if bot.tenant_record else ():
        services = document.get("services")
        for name, service in (services if isinstance(services, dict) else {}).items():
            for what in loose_parts_of_service(service if isinstance(service, dict) else {}):
                yield loose_fault(path, f"{name}: {what}")


def loose_parts_of_service(service: dict[str, Any]) -> Iterator[str]:
    if service.get("privileged"):
        yield "privileged"
    if "ALL" not in map(str, as_list(service.get("cap_drop"))):
        yield "cap_drop"
    options = [str(each).replace("=", ":") for each in as_list(service.get("security_opt"))]
    if not {"no-new-privileges:true", "no-new-privileges"} & set(options):
        yield "security_opt: no-new-privileges"
    yield from (f"security_opt: {each}" for each in options if each.endswith((":unconfined", ":disable")))
    if service.get("read_only") is not True:
        yield "read_only"
    if str(service.get("user", "0")).partition(":")[0] in ("", "0", "root"):
        yield "user"
    yield from (key for key in ("mem_limit", "pids_limit") if not service.get(key))
    yield from (key for key in ("cap_add", "devices", "ports", "group_add") if service.get(key))
    for key in HOST_NAMESPACE_KEYS:
        if str(service.get(key, "")).startswith(("host", "container:", "service:")):
            yield key
    for volume in as_list(service.get("volumes")):
        source = str(volume.get("source", "") if isinstance(volume, dict) else str(volume).partition(":")[0])
        if source.startswith(("/", "~", "..")) or "/.." in source:
            yield f"volumes: {source}"


def find_loose_units(bot: AuditedBot) -> Iterator[Fault]:
    template = bot.program_folder / TEMPLATES / "systemd" / TEMPLATE_UNIT
    if not bot.tenant_record or not template.is_file():
        return
    opened = [template.with_name(SHELL_DROP_IN)] if bot.tenant_record.get("shell") else []
    wanted = {key: value for key, value in read_unit([template, *opened]).items() if key in CONFINING_KEYS}
    name = bot.tenant_record.get("name", bot.folder.name)
    for folder in (bot.folder / "systemd", bot.units_folder):
        unit, drop_ins = folder / TEMPLATE_UNIT, folder / f"retinue@{name}.service.d"
        if not unit.is_file() or not drop_ins.is_dir():
            continue
        found = read_unit([unit, *sorted(drop_ins.glob("*.conf"))])
        for key, values in wanted.items():
            if not is_as_strict(values, found.get(key, [])):
                yield loose_fault(folder, key)
        if (found.get("User") or ["root"])[-1] in ("root", "0"):
            yield loose_fault(folder, "User")


def is_as_strict(wanted: Sequence[str], found: Sequence[str]) -> bool:
    """Return True if what a unit has for a key confines as much as the template: the same, and perhaps more that is
    forbidden (`~…`)."""
    return [each for each in found if each in wanted or not each.startswith("~")] == list(wanted)


def read_unit(paths: Iterable[Path]) -> dict[str, list[str]]:
    """Return the values of each key of the section `Service` as systemd joins these files: an empty value drops those
    before it."""
    values = defaultdict[str, list[str]](list)
    for path in paths:
        section = ""
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("["):
                section = line.strip("[] ")
            elif section == "Service" and "=" in line and line[0] not in "#;":
                key, _, value = line.partition("=")
                if value.strip():
                    values[key.strip()].append(value.strip())
                else:
                    values[key.strip()] = []
    return values


def find_loose_manifests(bot: AuditedBot) -> Iterator[Fault]:
    if not bot.tenant_record or not (bot.folder / "kustomization.yaml").is_file():
        return
    for path, what in loose_parts_of_manifests(bot.folder):
        yield loose_fault(path, what)


def loose_parts_of_manifests(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield each file of a tenant on Kubernetes and what is loose in it."""
    for document in read_yaml_documents(folder / "bot.yaml"):
        if document.get("kind") == "StatefulSet":
            pod = (document.get("spec") or {}).get("template", {}).get("spec") or {}
            yield from ((folder / "bot.yaml", what) for what in loose_parts_of_pod(pod))
    for document in read_yaml_documents(folder / "namespace.yaml"):
        if ((document.get("metadata") or {}).get("labels") or {}).get(ENFORCED_LABEL) != "restricted":
            yield folder / "namespace.yaml", ENFORCED_LABEL
    closing = {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    if not any(document.get("spec") == closing for document in read_yaml_documents(folder / "network.yaml")):
        yield folder / "network.yaml", "NetworkPolicy"


def loose_parts_of_pod(pod: dict[str, Any]) -> Iterator[str]:
    if pod.get("automountServiceAccountToken") is not False:
        yield "automountServiceAccountToken"
    yield from (key for key in POD_HOST_KEYS if pod.get(key))
    general = pod.get("securityContext") or {}
    if general.get("runAsNonRoot") is not True or not general.get("runAsUser"):
        yield "runAsNonRoot"
    if (general.get("seccompProfile") or {}).get("type") not in ("RuntimeDefault", "Localhost"):
        yield "seccompProfile"
    yield from ("hostPath" for volume in as_list(pod.get("volumes")) if "hostPath" in volume)
    for container in [*as_list(pod.get("containers")), *as_list(pod.get("initContainers"))]:
        own = container.get("securityContext") or {}
        capabilities = own.get("capabilities") or {}
        if own.get("allowPrivilegeEscalation") is not False or own.get("privileged"):
            yield "allowPrivilegeEscalation"
        if "ALL" not in as_list(capabilities.get("drop")) or capabilities.get("add"):
            yield "capabilities"
        if own.get("readOnlyRootFilesystem") is not True:
            yield "readOnlyRootFilesystem"
        if not ((container.get("resources") or {}).get("limits") or {}).get("memory"):
            yield "limits"


def loose_fault(path: Path, what: str) -> Fault:
    return Fault(text=texts.LESS_STRICT(path=path, what=what), remedy=texts.WRITE_AGAIN)


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def read_yaml_documents(path: Path) -> list[dict[str, Any]]:
    """Return the mappings of a YAML file; none if there is no such file, or it cannot be read."""
    import yaml  # here: few bots have such files

    try:
        return [each for each in yaml.safe_load_all(path.read_text(encoding="utf-8")) if isinstance(each, dict)]
    except (OSError, ValueError, yaml.YAMLError):
        return []
