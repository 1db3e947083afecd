"""Choose what a tenant runs: an image or a checkout. Build the image with docker, or else with podman."""

import ast
import os
import re
import shlex
import shutil
import sys
import tempfile
import tomllib
from collections import deque
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from bot.core import durable_files
from bot.core.errors import ConfigError
from bot.core.program_names import IS_CHECKOUT, PROJECT_FOLDER, git_revision, script_command
from bot.tenants import TellOperator
from bot.tenants import making_texts as texts
from bot.tenants.programs import run_and_report_lines, run_checked, run_program

IMAGE_ID_PATTERN = re.compile("sha256:[0-9a-f]{64}")
IMAGE_REFERENCE_PATTERN = re.compile(  # as in registries: host and path, then a tag or a digest or both
    r"[a-z0-9]+(?:[._-][a-z0-9]+)*(?::\d{1,5})?(?:/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*"
    r"(?::[\w][\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?",
    re.ASCII,
)
CONTAINERFILE = Path("scripts") / "deploy" / "Containerfile"
ENGINE_PROBE_TIMEOUT_SECONDS = 20.0  # an engine answers at once or not at all
LAST_BUILD_LINES_SHOWN = 4  # of a failed build, repeated in the error
DISK_FULL_PATTERN = re.compile("no space left on device|disk quota exceeded", re.IGNORECASE)
# The settings of pip that say where packages come from; the others mean something else inside a build.
PIP_SETTINGS = ("index-url", "extra-index-url", "trusted-host", "proxy", "timeout", "default-timeout", "retries")
PIP_CONFIG_SECTIONS = ("global", "install", ":env:")  # a later section wins
CERTIFICATE_VARIABLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")  # pip also finds certificates here
CERTIFICATES_PATH_IN_BUILD = Path("/run/secrets/certificates.pem")  # where the Containerfile mounts them


def check_image_for_target(target: str, image: str | None) -> None:
    """Raise ConfigError if the target cannot run the named image, or needs one and none is named."""
    if target == "systemd" and image is not None:
        raise ConfigError(texts.SYSTEMD_RUNS_NO_IMAGE)
    if target == "kubernetes" and image is None:
        raise ConfigError(texts.IMAGE_MISSING(command=script_command("build-image")))
    if target == "systemd" and not IS_CHECKOUT:
        raise ConfigError(texts.SYSTEMD_NEEDS_CHECKOUT)
    if image is not None and not (IMAGE_ID_PATTERN.fullmatch(image) or IMAGE_REFERENCE_PATTERN.fullmatch(image)):
        raise ConfigError(texts.NO_IMAGE(image=image))


@cache  # so that an image is built only once, for all tenants
def choose_or_build_release_for_target(target: str, image: str | None, tell: TellOperator) -> str:
    """Return this checkout for systemd, else the named image, else a newly built one. Raise ConfigError on failure."""
    check_image_for_target(target, image)
    if target == "systemd":
        return str(PROJECT_FOLDER)
    return build_image(PROJECT_FOLDER, tell) if image is None else image


def build_image(checkout: Path, tell: TellOperator, *, base: str = "") -> str:
    """Build the image, on another `base` if one is given. Return its id, as sha256:…. Raise ConfigError on failure."""
    if not (checkout / CONTAINERFILE).is_file():
        raise ConfigError(texts.NO_CHECKOUT(path=checkout / CONTAINERFILE))
    program = find_container_engine()
    project = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    number, revision = project["version"], git_revision(checkout)
    name = f"retinue:{number}" + (f"-{revision}" if revision else "")
    options = ["--tag", name, "--build-arg", f"VERSION={number}", "--build-arg", f"REVISION={revision}"]
    if base:
        options += ["--build-arg", f"BASE={base}"]
    # Only Docker's format can hold a health check.
    options += ["--format", "docker"] if program[0] == "podman" else ["--progress", "plain"]
    with tempfile.TemporaryDirectory(prefix="retinue-build-") as folder:
        id_file, secrets = Path(folder) / "id", prepare_pip_secret_options(Path(folder), tell)
        command = [*program, "build", "--file", str(checkout / CONTAINERFILE), "--iidfile", str(id_file)]
        run_image_build([*command, *secrets, *options, str(checkout)], program, tell)
        return read_image_id(id_file)


def find_container_engine() -> list[str]:
    """Return the command of the engine that answers: docker, or else podman. Raise ConfigError with both reasons."""
    # Each program honours its own variable. Podman may also listen at the address in DOCKER_HOST.
    address, refusals = os.environ.get("DOCKER_HOST"), []
    podman = ["podman"] if os.environ.get("CONTAINER_HOST") or not address else ["podman", "--url", address]
    for program in (["docker"], podman):
        if shutil.which(program[0]) is None:
            refusals.append(texts.NOT_INSTALLED(program=program[0]))
            continue
        try:
            run_checked([*program, "info"], seconds=ENGINE_PROBE_TIMEOUT_SECONDS)
            return program
        except ConfigError as error:
            refusals.append(str(error))
    raise ConfigError(texts.NO_ENGINE(reasons="; ".join(refusals)))


def is_engine_podman() -> bool:
    """Return True if Podman answers, also in Docker's place. Compose cannot give its containers a list of calls."""
    try:
        return "podman" in run_checked([*find_container_engine(), "version"]).casefold()
    except ConfigError:
        return False


def prepare_pip_secret_options(folder: Path, tell: TellOperator) -> list[str]:
    """Write pip's settings to `folder`. Return build options that pass them as secrets: they may hold a password."""
    found, given = read_pip_settings(tell), []
    trusted = find_pip_ca_file(found)
    if text := format_pip_conf(found, has_certificates=trusted is not None):
        file = folder / "pip.conf"
        durable_files.write_new_file(file, text, mode=0o600)
        given += ["--secret", f"id=pip.conf,src={file}"]
        tell(texts.AS_PIP_DOES)
    if trusted:
        given += ["--secret", f"id=certificates.pem,src={trusted}"]
    return given


def read_pip_settings(tell: TellOperator) -> dict[str, str]:
    """Return pip's settings by name. Without pip, tell the operator and return none. Raise ConfigError if pip hangs."""
    asked, found = run_program([sys.executable, "-m", "pip", "config", "list"]), dict[str, str]()
    if asked.status:
        tell(texts.NO_PIP)
        return found
    for section in PIP_CONFIG_SECTIONS:
        for line in asked.out.splitlines():
            key, _, value = line.partition("=")
            if key.startswith(f"{section}."):
                found[key.removeprefix(f"{section}.")] = str(ast.literal_eval(value))
    return found


def find_pip_ca_file(found: Mapping[str, str], variables: Mapping[str, str] = os.environ) -> Path | None:
    """Return the certificate file that pip trusts here, or None if pip uses its own."""
    named = found.get("cert") or next((variables[name] for name in CERTIFICATE_VARIABLES if variables.get(name)), None)
    path = Path(named).expanduser() if named else None
    return path if path and path.is_file() else None


def format_pip_conf(found: Mapping[str, str], *, has_certificates: bool) -> str:
    """Return a pip.conf for the build, or an empty string. Skip file: indexes, which the build cannot see."""
    lines = []
    for name in PIP_SETTINGS:
        words = [word for word in found.get(name, "").split() if not word.startswith("file:")]
        if words:
            lines.append(f"{name} = {' '.join(words)}")
    if has_certificates:
        lines.append(f"cert = {CERTIFICATES_PATH_IN_BUILD}")
    return "\n".join(["[global]", *lines, ""]) if lines else ""


def run_image_build(command: list[str], program: list[str], tell: TellOperator) -> None:
    """Run the build and report each line as it comes. If it fails, raise ConfigError with its last lines."""
    last = deque[str](maxlen=40)

    def keep_and_tell(line: str) -> None:
        last.append(line)
        tell(line)

    tell(shlex.join(command))
    if not run_and_report_lines(command, keep_and_tell):
        return
    if any(DISK_FULL_PATTERN.search(line) for line in last):
        raise ConfigError(texts.BUILD_DISK_FULL(program=shlex.join(program)))
    said = " | ".join([line for line in last if line][-LAST_BUILD_LINES_SHOWN:])
    raise ConfigError(texts.BUILD_FAILED(reason=said) if said else texts.BUILD_FAILED_SILENTLY)


def read_image_id(file: Path) -> str:
    """Return the image id in `file`; some Podman releases omit `sha256:`. Raise ConfigError if there is no valid id."""
    try:
        found = file.read_text(encoding="ascii").strip()
    except OSError as error:
        raise ConfigError(texts.NO_IMAGE_ID(error=error.strerror)) from None
    found = found if ":" in found else f"sha256:{found}"
    if not IMAGE_ID_PATTERN.fullmatch(found):
        raise ConfigError(texts.ODD_IMAGE_ID(id=found))
    return found
