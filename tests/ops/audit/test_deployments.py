"""A tenant's files that are less strict than the template, in each way that matters, and changes that are allowed."""

import pytest

from bot.tenants.targets import render_template
from bot.tenants.tenant import SHELL_BY_PROFILE
from tests.ops.audit.audited_place import AuditedPlace
from tests.ops.audit.tenant_files import loosened, with_drop_in, write_tenant_files
from tests.ops.audit.test_checks import place

__all__ = ["place"]

COMPOSE = [
    ("read_only: true #", "read_only: false #", "read_only"),
    ("cap_drop: [ALL]", "cap_drop: [NET_RAW]", "cap_drop"),
    ("cap_drop: [ALL]", "cap_drop: [ALL]\n    cap_add: [SYS_ADMIN]", "cap_add"),
    ("cap_drop: [ALL]", "cap_drop: [ALL]\n    privileged: true", "privileged"),
    ("cap_drop: [ALL]", "cap_drop: [ALL]\n    pid: host", "pid"),
    ("cap_drop: [ALL]", "cap_drop: [ALL]\n    ports: ['80:80']", "ports"),
    ('["no-new-privileges:true"]', "[]", "security_opt: no-new-privileges"),
    (
        '["no-new-privileges:true"]',
        '["no-new-privileges:true", "seccomp=unconfined"]',
        "security_opt: seccomp:unconfined",
    ),
    ('user: "1000:1000"', 'user: "0:0"', "user"),
    ("networks: [own]", "network_mode: host", "network_mode"),
    ("pids_limit: 256", "x-pids_limit: 256", "pids_limit"),
    ("source: ./data,", "source: /var/run/docker.sock,", "volumes: /var/run/docker.sock"),
    ("source: ./data,", "source: ../other/data,", "volumes: ../other/data"),
]
UNITS = [
    ("NoNewPrivileges=yes\n", ""),
    ("CapabilityBoundingSet=\n", "CapabilityBoundingSet=CAP_SYS_ADMIN\n"),
    ("ProtectSystem=strict", "ProtectSystem=full"),
    ("SystemCallFilter=~@privileged @resources\n", ""),
    ("UMask=0077", "UMask=0022"),
]
MANIFESTS = [
    ("bot.yaml", "AccountToken: false", "AccountToken: true", "automountServiceAccountToken"),
    ("bot.yaml", "enableServiceLinks: false", "hostNetwork: true", "hostNetwork"),
    ("bot.yaml", "runAsNonRoot: true", "runAsNonRoot: false", "runAsNonRoot"),
    ("bot.yaml", "{type: RuntimeDefault}", "{type: Unconfined}", "seccompProfile"),
    ("bot.yaml", "allowPrivilegeEscalation: false", "privileged: true", "allowPrivilegeEscalation"),
    ("bot.yaml", "{drop: [ALL]}", "{drop: [ALL], add: [SYS_ADMIN]}", "capabilities"),
    ("bot.yaml", "readOnlyRootFilesystem: true", "readOnlyRootFilesystem: false", "readOnlyRootFilesystem"),
    ("bot.yaml", "emptyDir: {medium: Memory, sizeLimit: 64Mi}", "hostPath: {path: /tmp}", "hostPath"),
    ("bot.yaml", "memory: 512Mi, ", "", "limits"),
    ("namespace.yaml", "enforce: restricted", "enforce: baseline", "pod-security.kubernetes.io/enforce"),
    ("network.yaml", "[Ingress, Egress]", "[Ingress]", "NetworkPolicy"),
]


def found_parts(place: AuditedPlace, id: str) -> set[str]:
    """Return which parts a check finds less strict; no other check may find anything."""
    findings = place.findings()
    assert findings.keys() == {id}
    return {each.text.partition(": ")[2].rpartition(" is less strict")[0] for each in findings[id]}


@pytest.mark.parametrize("shell", ["", SHELL_BY_PROFILE])
@pytest.mark.parametrize("target", ["compose", "systemd", "kubernetes"])
def test_files_as_they_are_written_are_strict(place: AuditedPlace, target: str, shell: str) -> None:
    write_tenant_files(place, target, shell)
    assert place.findings() == {}


def test_what_a_shell_needs_is_loose_where_nobody_has_asked_for_one(place: AuditedPlace) -> None:
    write_tenant_files(place, "systemd")
    drop_in = render_template("systemd/shell.conf", {"name": "acme"})
    place.write("systemd/retinue@acme.service.d/shell.conf", drop_in)
    keys = {"RestrictNamespaces", "SystemCallFilter", "RestrictAddressFamilies", "ProcSubset"}
    assert found_parts(place, "A47") == keys


@pytest.mark.parametrize(("old", "new", "part"), COMPOSE)
def test_a_loose_part_of_a_compose_file_is_named(place: AuditedPlace, old: str, new: str, part: str) -> None:
    loosened("compose", "compose.yaml", old, new)(place)
    assert found_parts(place, "A46") == {f"bot: {part}", f"once: {part}"}


@pytest.mark.parametrize(("old", "new"), UNITS)
def test_a_loose_key_of_a_unit_is_named(place: AuditedPlace, old: str, new: str) -> None:
    loosened("systemd", "systemd/retinue@.service", old, new)(place)
    assert found_parts(place, "A47") == {old.partition("=")[0]}


def test_a_unit_of_root_is_named(place: AuditedPlace) -> None:
    loosened("systemd", "systemd/retinue@acme.service.d/tenant.conf", "User=retinue-1000", "User=root")(place)
    assert found_parts(place, "A47") == {"User"}


def test_a_drop_in_may_forbid_more_and_change_limits(place: AuditedPlace) -> None:
    with_drop_in("[Service]\nSystemCallFilter=~@mount\nMemoryMax=1G\nIPAddressAllow=127.0.0.1\n")(place)
    assert place.findings() == {}


@pytest.mark.parametrize(("name", "old", "new", "part"), MANIFESTS)
def test_a_loose_part_of_a_manifest_is_named(place: AuditedPlace, name: str, old: str, new: str, part: str) -> None:
    loosened("kubernetes", name, old, new)(place)
    assert part in found_parts(place, "A48")


def test_a_compose_file_of_ones_own_is_not_looked_at(place: AuditedPlace) -> None:
    place.write("compose.yaml", "services: {bot: {image: retinue, privileged: true}}")
    assert place.findings() == {}
