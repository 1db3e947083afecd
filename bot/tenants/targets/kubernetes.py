"""Kubernetes: each tenant is a namespace, from plain manifests that kustomize puts together."""

import json
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import yaml

from bot.config import Config
from bot.errors import ConfigError
from bot.tenants.targets import Command, Verdict, texts
from bot.tenants.targets.disk import bytes_of
from bot.tenants.targets.manifests import Files, group_mounts, keys, too_large
from bot.tenants.targets.programs import is_there, run
from bot.tenants.targets.templates import rendered
from bot.tenants.tenant import GROUPS, ROLES, SECRETS, Tenant

FILES = ("kustomization.yaml", "namespace.yaml", "limits.yaml", "network.yaml", "bot.yaml")
POD, SET, CLAIM = "retinue-0", "statefulset/retinue", "kept-retinue-0"
ONCE, PROBE = f"{POD}-once", f"{POD}-probe"
STORAGE = "2G"  # where no limit is given: a claim has a size in any case
ANSWER = "--request-timeout=30s"  # nothing waits for a cluster that is away


class Kubernetes:
    name: ClassVar[str] = "kubernetes"

    def artefacts(
        self, tenant: Tenant, config: Config, secrets: Collection[str], files: Collection[str]
    ) -> Mapping[str, str]:
        roles, groups = keys(ROLES, files), keys(GROUPS, files)
        values = {
            "namespace": namespace(tenant),
            "name": tenant.name,
            "uid": tenant.uid,
            "image": json.dumps(tenant.release),
            "pull_policy": pull_policy(tenant.release),
            "storage": f"{bytes_of(tenant.disk or STORAGE) >> 20}Mi",
            "roles": sources(roles),
            "groups": sources(groups),
            "secrets": json.dumps([f"{SECRETS}/{each}" for each in sorted(secrets)]),
            "group_mounts": "\n".join(group_mounts(groups)),
        }
        return {name: rendered(f"kubernetes/{name}", values) for name in FILES}

    def check(self, tenant: Tenant, folder: Path) -> Iterator[Verdict]:
        said = "\n".join(too_large(folder))
        yield Verdict(by="config maps", is_good=not said, text=said)
        by = "kubectl kustomize"
        if not is_there("kubectl"):
            yield Verdict(by=by, is_good=None, text=texts.NO_KUBECTL)
            return
        outcome = run(["kubectl", "kustomize", str(folder)])
        is_good = outcome.status == 0 and not outcome.err.strip()
        yield Verdict(by=by, is_good=is_good, text=outcome.err.strip())
        if is_good:
            yield validated([each for each in yaml.safe_load_all(outcome.out) if each])

    def start(self, tenant: Tenant) -> list[Command]:
        one = of(tenant, "scale", SET, "--replicas=1")
        return [["kubectl", "apply", "-k", str(tenant.folder)], one]

    def stop(self, tenant: Tenant) -> list[Command]:
        if not asked(of(tenant, "get", SET, "--ignore-not-found", "-o", "name", ANSWER)):
            return []
        gone = of(tenant, "wait", "--for=delete", f"pod/{POD}", "--timeout=90s")
        return [of(tenant, "scale", SET, "--replicas=0"), gone]

    def is_running(self, tenant: Tenant) -> bool:
        phase = asked(of(tenant, "get", "pod", POD, "--ignore-not-found", "-o", "jsonpath={.status.phase}", ANSWER))
        return phase in ("Pending", "Running", "Unknown")

    def inside(self, tenant: Tenant, words: Sequence[str]) -> Command:
        return of(tenant, "exec", "-i", POD, "-c", "bot", "--", "retinue", *words)

    def once(self, tenant: Tenant, words: Sequence[str]) -> Command:
        """A pod like the bot's, for as long as the command takes; its status is the command's own."""
        spec = like_the_bot(tenant, ONCE, words, tenant.release)
        spec["volumes"].append({"name": "kept", "persistentVolumeClaim": {"claimName": CLAIM}})
        return attached(tenant, ONCE, tenant.release, spec)

    def probe(self, tenant: Tenant, release: str) -> Command | None:
        """A pod beside the bot's, for which the quota has room. It has nothing of the tenant's, and not its volume,
        which one pod alone can have."""
        spec = like_the_bot(tenant, PROBE, ["--version"], release)
        del spec["volumes"], spec["containers"][0]["volumeMounts"]
        return attached(tenant, PROBE, release, spec)

    def logs(self, tenant: Tenant, *, follow: bool, lines: int) -> Command:
        following = ["--follow"] if follow else []
        return of(tenant, "logs", POD, "-c", "bot", f"--tail={lines}", *following)

    def remove(self, tenant: Tenant) -> list[Command]:
        """The namespace, and so all that is in it, the volume too."""
        return [["kubectl", "delete", "namespace", namespace(tenant), "--ignore-not-found", "--timeout=5m"]]

    def next_steps(self, tenant: Tenant) -> list[str]:
        ready = of(tenant, "rollout", "status", SET, "--timeout=5m")
        return [*map(shlex.join, self.start(tenant)), shlex.join(ready)]


def namespace(tenant: Tenant) -> str:
    return f"retinue-{tenant.name}"


def of(tenant: Tenant, *words: str) -> Command:
    return ["kubectl", "--namespace", namespace(tenant), *words]


def asked(command: Command) -> str:
    outcome = run(command)
    if outcome.status:
        raise ConfigError(texts.FAILED(command=shlex.join(command), reason=outcome.said))
    return outcome.out.strip()


def pull_policy(image: str) -> str:
    """What has a digest never changes. Raises ConfigError for an image that a node could not find, or find changed."""
    name, _, digest = image.partition("@")
    if digest:
        return "IfNotPresent"
    tag = name.rpartition("/")[2].partition(":")[2]
    if image.startswith("sha256:") or tag in ("", "latest"):
        raise ConfigError(texts.IMAGE_NOT_IN_REGISTRY(image=image))
    return "Always"


def sources(files: Files) -> str:
    """What kustomize's generators take: the key that a file gets, and where it is."""
    return json.dumps([f"{key}={path}" for key, path in files.items()])


def attached(tenant: Tenant, name: str, image: str, spec: dict[str, Any]) -> Command:
    """Run a pod for as long as its command takes; its streams and its status are the command's own."""
    running = ["run", name, "--rm", "-i", "--quiet", "--restart=Never", "--pod-running-timeout=5m"]
    return of(tenant, *running, f"--image={image}", f"--overrides={json.dumps({'spec': spec})}")


def like_the_bot(tenant: Tenant, name: str, words: Sequence[str], release: str) -> dict[str, Any]:
    """The bot's pod as kustomize renders it, with this command, of that release, and nothing that watches it."""
    documents = yaml.safe_load_all(asked(["kubectl", "kustomize", str(tenant.folder)]))
    spec: dict[str, Any] = next(each for each in documents if each["kind"] == "StatefulSet")["spec"]["template"]["spec"]
    (bot,) = spec["containers"]
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        bot.pop(probe, None)
    bot.update(name=name, args=list(words), stdin=True, stdinOnce=True)
    bot.update(image=release, imagePullPolicy=pull_policy(release))
    return spec | {"restartPolicy": "Never"}


def validated(documents: Sequence[dict[str, Any]]) -> Verdict:
    """Each document against Kubernetes' own schemas, in which a key that nobody knows is an error."""
    by = "kubernetes-validate"
    if not is_there(by):
        return Verdict(by=by, is_good=None, text=texts.INSTALL_KUBERNETES_VALIDATE)
    with TemporaryDirectory() as place:
        path = Path(place) / "rendered.yaml"
        shown = [each | {"data": {}} if each["kind"] == "Secret" else each for each in documents]
        path.write_text(yaml.safe_dump_all(shown))  # without the secrets, which belong in no file of ours
        outcome = run([by, "--strict", str(path)])
    return Verdict(by=by, is_good=outcome.status == 0, text=outcome.said if outcome.status else "")
