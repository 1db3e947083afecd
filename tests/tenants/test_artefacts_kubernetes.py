"""What a tenant is under Kubernetes, as kustomize and Kubernetes' own schemas read it, and the commands that run it."""

import ipaddress
import json
import re
import shutil
import subprocess
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.core.errors import ConfigError
from bot.tenants.creation import make_tenant, refresh_files_and_owners
from bot.tenants.root import TenantsRoot
from bot.tenants.targets import texts
from bot.tenants.targets.kubernetes import Kubernetes
from bot.tenants.tenant import Tenant
from tests.support.wording import like, says
from tests.tenants.papers import COOK, PNG, blueprint, content
from tests.tenants.validators import change, have, tenant, verdict, written

IMAGE = "registry.example/retinue@sha256:" + "1" * 64
FILES = {"roles/cook.md": "You cook.", "roles/sea-man.md": "You sail.", "groups/team/instructions.md": "Be brief."}

needs_kubectl = pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed")


def acme(folder: Path, **fields: Any) -> Tenant:
    return tenant(folder / "acme", "kubernetes", **{"release": IMAGE, **fields})


def rendered(of: Tenant) -> dict[str, Any]:
    """All documents by kind and name, without the mark of what is in them."""
    said = subprocess.run(["kubectl", "kustomize", of.folder], capture_output=True, text=True, check=True)
    found = {}
    for document in yaml.safe_load_all(said.stdout):
        name = document["metadata"]["name"]
        is_generated = document["kind"] in ("ConfigMap", "Secret")
        found[f"{document['kind']}/{name.rpartition('-')[0] if is_generated else name}"] = document
    return found


def pod(of: Tenant) -> dict[str, Any]:
    spec: dict[str, Any] = rendered(of)["StatefulSet/retinue"]["spec"]["template"]["spec"]
    return spec


@pytest.mark.parametrize("files", [FILES, {}])
@pytest.mark.parametrize("secrets", [("model__api_key",), ()])
def test_the_written_files_pass_kustomize_and_the_schemas(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], secrets: tuple[str, ...]
) -> None:
    have("kubectl", "kubernetes-validate", environment=monkeypatch)
    of = written(Kubernetes(), acme(tmp_path), files, secrets)
    assert [(each.is_good, each.text) for each in Kubernetes().run_validators(of, of.folder)] == [(True, "")] * 3


@pytest.mark.parametrize(
    ("file", "before", "after", "by"),
    [
        ("bot.yaml", "readOnlyRootFilesystem", "readOnlyRootFileSystem", "validate"),
        ("bot.yaml", "runAsUser: 20001", "runAsUser: acme", "validate"),
        ("network.yaml", "podSelector: {}", "podSelectors: {}", "validate"),
        ("limits.yaml", "  hard:", "  hardly:", "validate"),
        ("kustomization.yaml", "secretGenerator", "secretsGenerator", "kustomize"),
        ("kustomization.yaml", "config.json", "confg.json", "kustomize"),
    ],
)
def test_each_mistake_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, before: str, after: str, by: str
) -> None:
    have("kubectl", "kubernetes-validate", environment=monkeypatch)
    of = written(Kubernetes(), acme(tmp_path), FILES)
    change(of.folder / file, before, after)
    assert verdict(Kubernetes(), of, by).is_good is False


@needs_kubectl
def test_the_pod_sees_the_shape_that_every_tenant_has(tmp_path: Path) -> None:
    of = written(Kubernetes(), acme(tmp_path), FILES)
    found = rendered(of)
    (bot,) = pod(of)["containers"]
    mounts = {
        each["mountPath"]: (each["name"], each.get("subPath"), each.get("readOnly")) for each in bot["volumeMounts"]
    }
    assert mounts == {
        "/tenant/config.json": ("config", "config.json", True),
        "/tenant/roles": ("roles", None, True),
        "/tenant/secrets": ("secrets", None, True),
        "/tenant/groups/team/workspace": ("kept", "groups/team/workspace", None),
        "/tenant/groups/team/instructions.md": ("groups", "team.instructions.md", True),
        "/tenant/workspace": ("kept", "workspace", None),
        "/tenant/data": ("kept", "data", None),
        "/tmp": ("tmp", None, None),
    }
    assert found["ConfigMap/roles"]["data"] == {"cook.md": "You cook.", "sea-man.md": "You sail."}
    assert found["ConfigMap/groups"]["data"] == {"team.instructions.md": "Be brief."}
    assert set(found["Secret/secrets"]["data"]) == {"channels__telegram__token", "model__api_key"}


@needs_kubectl
def test_the_pod_keeps_to_the_strictest_rules(tmp_path: Path) -> None:
    of = written(Kubernetes(), acme(tmp_path))
    labels = rendered(of)["Namespace/retinue-acme"]["metadata"]["labels"]
    assert labels["pod-security.kubernetes.io/enforce"] == "restricted"
    spec = pod(of)
    (bot,) = spec["containers"]
    assert spec["securityContext"] == {
        "runAsNonRoot": True,
        **dict.fromkeys(["runAsUser", "runAsGroup", "fsGroup"], 20_001),
        "fsGroupChangePolicy": "OnRootMismatch",
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    assert bot["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
    }
    assert spec["automountServiceAccountToken"] is False
    kinds = {kind for volume in spec["volumes"] for kind in volume if kind != "name"}
    assert kinds == {"configMap", "secret", "emptyDir"}  # nothing of the node


@needs_kubectl
@pytest.mark.parametrize(("disk", "size"), [("", "2048Mi"), ("256M", "256Mi"), ("1T", "1048576Mi")])
def test_its_disk_is_one_claim_of_that_size_and_there_is_no_second(tmp_path: Path, disk: str, size: str) -> None:
    found = rendered(written(Kubernetes(), acme(tmp_path, disk=disk)))
    (claim,) = found["StatefulSet/retinue"]["spec"]["volumeClaimTemplates"]
    assert claim["spec"] == {"accessModes": ["ReadWriteOncePod"], "resources": {"requests": {"storage": size}}}
    hard = found["ResourceQuota/quota"]["spec"]["hard"]
    assert (hard["persistentvolumeclaims"], hard["requests.storage"], hard["services"]) == ("1", size, "0")


@needs_kubectl
def test_nobody_may_call_it_and_it_may_call_names_and_https_outside(tmp_path: Path) -> None:
    found = rendered(written(Kubernetes(), acme(tmp_path)))
    assert found["NetworkPolicy/nothing"]["spec"] == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    names, https = found["NetworkPolicy/names-and-https"]["spec"]["egress"]
    assert {each["port"] for each in names["ports"]} == {53}
    assert [each["port"] for each in https["ports"]] == [443]
    blocks = [each["ipBlock"] for each in https["to"]]

    def reached(address: str) -> bool:
        at = ipaddress.ip_address(address)
        fitting = [each for each in blocks if at in ipaddress.ip_network(each["cidr"])]
        return any(not any(at in ipaddress.ip_network(out) for out in each["except"]) for each in fitting)

    assert all(map(reached, ["149.154.167.220", "160.79.104.10", "2001:67c:4e8:f004::9"]))
    private = ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "127.0.0.1", "169.254.169.254"]
    assert not any(map(reached, [*private, "224.0.0.1", "255.255.255.255", "::1", "fd00:ec2::254", "fe80::1"]))


@pytest.mark.parametrize(
    "image",
    ["sha256:" + "1" * 64, "retinue", "retinue:latest", "registry.example:5000/retinue", "a.b/c/retinue:latest"],
)
def test_an_image_that_a_node_could_not_find_or_find_changed_is_refused(tmp_path: Path, image: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(texts.IMAGE_NOT_IN_REGISTRY(image=image))):
        Kubernetes().render_artefacts(acme(tmp_path, release=image), [], [])


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        (IMAGE, "IfNotPresent"),
        ("r.example:5000/retinue:1.2", "Always"),
        ("r.example/retinue:1.2@sha256:0", "IfNotPresent"),
    ],
)
def test_an_image_with_a_digest_is_pulled_once(tmp_path: Path, image: str, policy: str) -> None:
    text = Kubernetes().render_artefacts(acme(tmp_path, release=image), [], [])["bot.yaml"]
    assert f"imagePullPolicy: {policy}\n" in text


def test_a_file_name_that_no_config_map_has_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=re.escape(texts.ODD_FILE_NAME(path="roles/Köchin.md"))):
        Kubernetes().render_artefacts(acme(tmp_path), [], ["roles/Köchin.md"])


@pytest.mark.parametrize(
    ("content", "size"),
    [(b"x" * 63_000, 63_002), (b"<" * 10_500 + b'"', 63_004), (b"\xff" * 47_250, 63_000)],
    ids=["text", "escapes", "pictures"],
)
def test_more_than_kubectl_can_write_into_a_config_map_is_told(tmp_path: Path, content: bytes, size: int) -> None:
    of = written(Kubernetes(), acme(tmp_path))
    for number in range(4):
        (of.folder / "roles" / f"{number}").write_bytes(content)
    assert verdict(Kubernetes(), of, "config maps").is_good is True
    (of.folder / "roles" / "4").write_bytes(content)
    found = verdict(Kubernetes(), of, "config maps")
    assert found.is_good is False
    assert says(found.text, texts.CONFIG_MAP_TOO_LARGE, name="roles", size=5 * size)


@needs_kubectl
def test_a_command_while_the_bot_is_stopped_has_all_that_the_bot_has(tmp_path: Path) -> None:
    of = written(Kubernetes(), acme(tmp_path), FILES)
    command = Kubernetes().retinue_command_while_stopped(of, ["restore", "-"])
    assert command[:5] == ["kubectl", "--namespace", "retinue-acme", "run", "retinue-0-once"]
    spec = json.loads(next(word.partition("=")[2] for word in command if word.startswith("--overrides=")))["spec"]
    as_the_bot = pod(of)
    (bot,), (once,) = as_the_bot["containers"], spec["containers"]
    assert (once["args"], once["stdin"], once["stdinOnce"]) == (["restore", "-"], True, True)
    assert once["name"] == "retinue-0-once"  # by this name kubectl finds the streams it is to pass on
    assert not [key for key in once if key.endswith("Probe")]
    for key in ("image", "command", "env", "securityContext", "resources", "volumeMounts"):
        assert once[key] == bot[key]
    kept = {"name": "kept", "persistentVolumeClaim": {"claimName": "kept-retinue-0"}}
    assert spec["volumes"] == [*as_the_bot["volumes"], kept]
    assert (spec["securityContext"], spec["restartPolicy"]) == (as_the_bot["securityContext"], "Never")


@needs_kubectl
def test_a_new_release_is_tried_beside_the_bot_with_nothing_of_the_tenants(tmp_path: Path) -> None:
    of, new = written(Kubernetes(), acme(tmp_path), FILES), "registry.example/retinue@sha256:" + "2" * 64
    command = Kubernetes().release_version_command(of, new)
    assert command
    assert command[:5] == ["kubectl", "--namespace", "retinue-acme", "run", "retinue-0-probe"]
    assert f"--image={new}" in command
    spec = json.loads(next(word.partition("=")[2] for word in command if word.startswith("--overrides=")))["spec"]
    (bot,), (probe,) = pod(of)["containers"], spec["containers"]
    assert (probe["name"], probe["image"], probe["args"]) == ("retinue-0-probe", new, ["--version"])
    assert not {"volumeMounts", "startupProbe", "livenessProbe"} & probe.keys()
    assert not {"volumes"} & spec.keys()
    assert (probe["securityContext"], spec["restartPolicy"]) == (bot["securityContext"], "Never")
    quota = rendered(of)["ResourceQuota/quota"]["spec"]["hard"]
    for what in ("requests", "limits"):
        for resource, amount in probe["resources"][what].items():
            assert amount_of(amount) + amount_of(bot["resources"][what][resource]) <= amount_of(
                quota[f"{what}.{resource}"]
            )


@needs_kubectl
def test_a_release_that_could_change_is_refused_before_it_is_tried(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=like(texts.IMAGE_NOT_IN_REGISTRY)):
        Kubernetes().release_version_command(written(Kubernetes(), acme(tmp_path)), "registry.example/retinue:latest")


def amount_of(quantity: str) -> float:
    """A quantity as Kubernetes writes them: `50m`, `512Mi`, `1`."""
    number = quantity.rstrip("mMGi")
    return float(number) * {"": 1.0, "m": 0.001, "Mi": 2.0**20, "Gi": 2.0**30}[quantity.removeprefix(number)]


def test_it_runs_while_it_has_a_pod_and_is_stopped_by_having_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kubectl, of = tmp_path / "kubectl", acme(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    for phase, is_running in {"Running": True, "Pending": True, "": False, "Succeeded": False}.items():
        kubectl.write_text(f"#!/bin/sh\nprintf %s '{phase}'\n")
        kubectl.chmod(0o755)
        assert Kubernetes().is_running(of) is is_running
    kubectl.write_text("#!/bin/sh\n")
    assert Kubernetes().commands_to_stop_bot(of) == []
    kubectl.write_text("#!/bin/sh\necho statefulset.apps/retinue\n")
    assert [command[3] for command in Kubernetes().commands_to_stop_bot(of)] == ["scale", "wait"]
    kubectl.write_text("#!/bin/sh\necho 'the server was refused' >&2\nexit 1\n")
    with pytest.raises(ConfigError, match="the server was refused"):
        Kubernetes().is_running(of)


def test_the_commands_name_its_namespace(tmp_path: Path) -> None:
    of = acme(tmp_path)
    own = ["kubectl", "--namespace", "retinue-acme"]
    assert Kubernetes().commands_to_start_bot(of) == [
        ["kubectl", "apply", "-k", str(of.folder)],
        [*own, "scale", "statefulset/retinue", "--replicas=1"],
    ]
    inside = [*own, "exec", "-i", "retinue-0", "-c", "bot", "--", "retinue", "health"]
    assert Kubernetes().retinue_command_while_running(of, ["health"]) == inside
    assert Kubernetes().logs_command(of, follow=False, lines=9) == [*own, "logs", "retinue-0", "-c", "bot", "--tail=9"]
    (gone,) = Kubernetes().commands_to_remove_deployment(of)
    assert gone[:4] == ["kubectl", "delete", "namespace", "retinue-acme"]


@needs_kubectl
def test_role_and_group_files_reach_the_cluster_when_made_and_when_changed(tmp_path: Path) -> None:
    root = TenantsRoot(tmp_path / "srv")
    of, _ = make_tenant(
        root,
        blueprint(target="kubernetes", release=IMAGE, role_files={"cook.md": COOK, "cook.png": PNG}),
        Kubernetes(),
        content,
    )
    roles = rendered(of)["ConfigMap/roles"]
    assert (roles["data"], set(roles["binaryData"])) == ({"cook.md": COOK}, {"cook.png"})
    assert b64decode(roles["binaryData"]["cook.png"]) == PNG
    (of.folder / "roles" / "waiter.jpg").write_bytes(b"\xff\xd8\xff")
    (of.folder / "roles" / "waiter.md").write_text("You serve.")
    (of.folder / "groups" / "team").mkdir()
    (of.folder / "groups" / "team" / "instructions.md").write_text("Be brief.")
    changed, _ = refresh_files_and_owners(root, of, Kubernetes(), content)
    assert changed == ["bot.yaml", "kustomization.yaml"]
    found = rendered(of)
    assert set(found["ConfigMap/roles"]["data"]) == {"cook.md", "waiter.md"}
    assert set(found["ConfigMap/roles"]["binaryData"]) == {"cook.png", "waiter.jpg"}
    assert set(found["ConfigMap/groups"]["data"]) == {"team.instructions.md"}
