"""Kubernetes target: each tenant is a namespace, from plain manifests that kustomize combines."""

import json
import re
import shlex
import shutil
from base64 import b64encode
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from bot.core.errors import ConfigError
from bot.tenants.programs import run_checked, run_program
from bot.tenants.targets import Command, ValidatorVerdict, render_template, texts
from bot.tenants.targets.disk import parse_disk_size
from bot.tenants.tenant import CONFIG, CONTAINER_FOLDER, GROUP_INSTRUCTIONS, GROUPS, ROLES, SECRETS, WORKSPACE, Tenant

MANIFEST_FILES = ("kustomization.yaml", "namespace.yaml", "limits.yaml", "network.yaml", "bot.yaml")
BOT_POD_NAME, STATEFUL_SET, VOLUME_CLAIM_NAME = "retinue-0", "statefulset/retinue", "kept-retinue-0"
ONE_COMMAND_POD_NAME, VERSION_CHECK_POD_NAME = f"{BOT_POD_NAME}-once", f"{BOT_POD_NAME}-probe"
DEFAULT_STORAGE_SIZE = "2G"  # for a tenant without a limit: a claim always needs a size
# By config map: which of the tenant's files it holds
CONFIG_MAP_FILE_GLOBS = {CONFIG: CONFIG, ROLES: f"{ROLES}/*", GROUPS: f"{GROUPS}/*/*"}
# A config map holds 1 MiB, but `kubectl apply` also writes it as JSON into an annotation, which holds 256 KiB
MAX_CONFIG_MAP_BYTES = (256 << 10) - (8 << 10)  # less what its keys and labels take
SECCOMP_FILE = "seccomp.json"  # beside the manifests, for a tenant with a shell; each node needs it
PROFILE_ON_NODES = "retinue/shell.json"  # below the kubelet's own folder of profiles
KUBELET_PROFILES_FOLDER = Path("/var/lib/kubelet/seccomp")
ENGINES_PROFILE = "{type: RuntimeDefault}"
OWN_PROFILE = f"{{type: Localhost, localhostProfile: {PROFILE_ON_NODES}}}"
REQUEST_TIMEOUT_OPTION = "--request-timeout=30s"  # do not wait for an unreachable cluster


class Kubernetes:
    def render_artefacts(self, tenant: Tenant, secrets: Collection[str], files: Collection[str]) -> Mapping[str, str]:
        roles, groups = config_map_files_by_key(ROLES, files), config_map_files_by_key(GROUPS, files)
        # Only a group's workspace is on the volume. The files beside it are read-only.
        above = CONTAINER_FOLDER
        mount = "- {{name: groups, mountPath: {}/{}, subPath: {}, readOnly: true}}"
        mounts = [mount.format(above, path, key) for key, path in groups.items()]
        names = {Path(path).parent / WORKSPACE for path in groups.values() if Path(path).name == GROUP_INSTRUCTIONS}
        mounts += [f"- {{name: kept, mountPath: {above / each}, subPath: {each}}}" for each in sorted(names)]
        values = {
            "namespace": namespace_name(tenant),
            "name": tenant.name,
            "uid": tenant.uid,
            "image": json.dumps(tenant.release),
            "pull_policy": pull_policy(tenant.release),
            "storage": f"{parse_disk_size(tenant.disk or DEFAULT_STORAGE_SIZE) >> 20}Mi",
            "roles": json.dumps([f"{key}={path}" for key, path in roles.items()]),
            "groups": json.dumps([f"{key}={path}" for key, path in groups.items()]),
            "secrets": json.dumps([f"{SECRETS}/{each}" for each in sorted(secrets)]),
            "group_mounts": "\n".join(mounts),
            "seccomp": OWN_PROFILE if tenant.shell else ENGINES_PROFILE,
            "memory": "1Gi" if tenant.shell else "512Mi",
            "all_memory": "2Gi" if tenant.shell else "1Gi",
        }
        profile = {SECCOMP_FILE: render_template(SECCOMP_FILE, {})} if tenant.shell else {}
        return {**{name: render_template(f"kubernetes/{name}", values) for name in MANIFEST_FILES}, **profile}

    def run_validators(self, tenant: Tenant, folder: Path) -> Iterator[ValidatorVerdict]:
        said = []
        for name, pattern in CONFIG_MAP_FILE_GLOBS.items():
            size = sum(size_in_annotation(path.read_bytes()) for path in folder.glob(pattern) if path.is_file())
            if size > MAX_CONFIG_MAP_BYTES:
                said.append(texts.CONFIG_MAP_TOO_LARGE(name=name, size=size, most=MAX_CONFIG_MAP_BYTES))
        yield ValidatorVerdict("config maps", not said, "\n".join(said))
        if not shutil.which("kubectl"):
            yield ValidatorVerdict("kubectl kustomize", None, texts.NO_KUBECTL)
            return
        outcome = run_program(["kubectl", "kustomize", str(folder)])
        is_good = outcome.status == 0 and not outcome.err.strip()
        yield ValidatorVerdict("kubectl kustomize", is_good, outcome.err.strip())
        if is_good:
            yield validate_against_kubernetes_schemas([each for each in yaml.safe_load_all(outcome.out) if each])

    def commands_to_start_bot(self, tenant: Tenant) -> list[Command]:
        one = kubectl_command(tenant, "scale", STATEFUL_SET, "--replicas=1")
        return [["kubectl", "apply", "-k", str(tenant.folder)], one]

    def commands_to_stop_bot(self, tenant: Tenant) -> list[Command]:
        look = kubectl_command(tenant, "get", STATEFUL_SET, "--ignore-not-found", "-o", "name", REQUEST_TIMEOUT_OPTION)
        if not run_checked(look):
            return []
        gone = kubectl_command(tenant, "wait", "--for=delete", f"pod/{BOT_POD_NAME}", "--timeout=90s")
        return [kubectl_command(tenant, "scale", STATEFUL_SET, "--replicas=0"), gone]

    def is_running(self, tenant: Tenant) -> bool:
        shown = ["--ignore-not-found", "-o", "jsonpath={.status.phase}"]
        phase = run_checked(kubectl_command(tenant, "get", "pod", BOT_POD_NAME, *shown, REQUEST_TIMEOUT_OPTION))
        return phase in ("Pending", "Running", "Unknown")

    def retinue_command_while_running(self, tenant: Tenant, words: Sequence[str]) -> Command:
        return kubectl_command(tenant, "exec", "-i", BOT_POD_NAME, "-c", "bot", "--", "retinue", *words)

    def retinue_command_while_stopped(self, tenant: Tenant, words: Sequence[str]) -> Command:
        """Return a command that runs a pod like the bot's for one command, with that command's exit status."""
        spec = bot_pod_spec_for_command(tenant, ONE_COMMAND_POD_NAME, words, tenant.release)
        spec["volumes"].append({"name": "kept", "persistentVolumeClaim": {"claimName": VOLUME_CLAIM_NAME}})
        return command_to_run_pod(tenant, ONE_COMMAND_POD_NAME, tenant.release, spec)

    def release_version_command(self, tenant: Tenant, release: str) -> Command | None:
        """Return a command that runs the release in a second pod, without data: only one pod can mount the volume."""
        spec = bot_pod_spec_for_command(tenant, VERSION_CHECK_POD_NAME, ["--version"], release)
        del spec["volumes"], spec["containers"][0]["volumeMounts"]
        return command_to_run_pod(tenant, VERSION_CHECK_POD_NAME, release, spec)

    def logs_command(self, tenant: Tenant, *, follow: bool, lines: int) -> Command:
        following = ["--follow"] if follow else []
        return kubectl_command(tenant, "logs", BOT_POD_NAME, "-c", "bot", f"--tail={lines}", *following)

    def commands_to_remove_deployment(self, tenant: Tenant) -> list[Command]:
        """Return the command that deletes the namespace with everything in it, including the volume."""
        return [["kubectl", "delete", "namespace", namespace_name(tenant), "--ignore-not-found", "--timeout=5m"]]

    def operator_start_steps(self, tenant: Tenant) -> list[str]:
        ready = kubectl_command(tenant, "rollout", "status", STATEFUL_SET, "--timeout=5m")
        source, target = tenant.folder / SECCOMP_FILE, KUBELET_PROFILES_FOLDER / PROFILE_ON_NODES
        profile = [f"# {texts.PROFILE_ON_EACH_NODE(file=source, path=target)}"] if tenant.shell else []
        return [*profile, *map(shlex.join, self.commands_to_start_bot(tenant)), shlex.join(ready)]


def namespace_name(tenant: Tenant) -> str:
    return f"retinue-{tenant.name}"


def kubectl_command(tenant: Tenant, *words: str) -> Command:
    return ["kubectl", "--namespace", namespace_name(tenant), *words]


def pull_policy(image: str) -> str:
    """Return the pull policy. Raise ConfigError if nodes could not find the image, or if its tag could change."""
    name, _, digest = image.partition("@")
    if digest:  # it never changes
        return "IfNotPresent"
    tag = name.rpartition("/")[2].partition(":")[2]
    if image.startswith("sha256:") or tag in ("", "latest"):
        raise ConfigError(texts.IMAGE_NOT_IN_REGISTRY(image=image))
    return "Always"


def config_map_files_by_key(above: str, files: Collection[str]) -> Mapping[str, str]:
    """Return the files in folder `above` by config map key. Raise ConfigError for a name that no map can hold."""
    found = {path.removeprefix(f"{above}/").replace("/", "."): path for path in files if path.startswith(f"{above}/")}
    if bad := next((path for key, path in found.items() if not re.fullmatch(r"[-._a-zA-Z0-9]{1,253}", key)), None):
        raise ConfigError(texts.ODD_FILE_NAME(path=bad))
    return found


def size_in_annotation(content: bytes) -> int:
    """Return the bytes that a file of a config map takes as JSON: a text with escapes, all else in base64."""
    try:
        text = json.dumps(content.decode(), ensure_ascii=False)
    except UnicodeDecodeError:
        return len(b64encode(content))
    return len(text.encode()) + sum(5 * text.count(each) for each in "<>&")  # kubectl escapes them, as \u003c


def command_to_run_pod(tenant: Tenant, name: str, image: str, spec: dict[str, Any]) -> Command:
    """Return a command that runs a pod for one command, with that command's streams and exit status."""
    running = ["run", name, "--rm", "-i", "--quiet", "--restart=Never", "--pod-running-timeout=5m"]
    return kubectl_command(tenant, *running, f"--image={image}", f"--overrides={json.dumps({'spec': spec})}")


def bot_pod_spec_for_command(tenant: Tenant, name: str, words: Sequence[str], release: str) -> dict[str, Any]:
    """Return the bot's pod spec as kustomize renders it, with this command and release, without probes."""
    documents = yaml.safe_load_all(run_checked(["kubectl", "kustomize", str(tenant.folder)]))
    spec: dict[str, Any] = next(each for each in documents if each["kind"] == "StatefulSet")["spec"]["template"]["spec"]
    (bot,) = spec["containers"]
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        bot.pop(probe, None)
    bot.update(name=name, args=list(words), stdin=True, stdinOnce=True)
    bot.update(image=release, imagePullPolicy=pull_policy(release))
    return spec | {"restartPolicy": "Never"}


def validate_against_kubernetes_schemas(documents: Sequence[dict[str, Any]]) -> ValidatorVerdict:
    """Return the verdict on each document against Kubernetes' own schemas. An unknown key is an error."""
    by = "kubernetes-validate"
    if not shutil.which(by):
        return ValidatorVerdict(by, None, texts.INSTALL_KUBERNETES_VALIDATE)
    with TemporaryDirectory() as place:
        path = Path(place) / "rendered.yaml"
        shown = [each | {"data": {}} if each["kind"] == "Secret" else each for each in documents]
        path.write_text(yaml.safe_dump_all(shown))  # without the secrets: we write them to no file
        outcome = run_program([by, "--strict", str(path)])
    return ValidatorVerdict(by, outcome.status == 0, outcome.output if outcome.status else "")
