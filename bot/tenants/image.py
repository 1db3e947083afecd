"""Build the image that tenants run from a checkout, with docker or podman, whichever answers."""

import os
import re
import shlex
import shutil
import subprocess
import tempfile
import tomllib
from collections import deque
from pathlib import Path

from bot.core import durable_files
from bot.core.errors import ConfigError
from bot.core.program_names import git_revision
from bot.tenants import Tell, pip_settings
from bot.tenants import making_texts as texts

CONTAINERFILE = Path("scripts") / "deploy" / "Containerfile"
IMAGE_ID = re.compile("sha256:[0-9a-f]{64}")
PROBE_SECONDS = 20.0  # an engine answers at once or not at all
LAST_LINES = 4  # of a failed build, repeated in the error
NO_SPACE = re.compile("no space left on device|disk quota exceeded", re.IGNORECASE)


def build_image(checkout: Path, tell: Tell, *, base: str = "") -> str:
    """Build the image and return its id, as sha256:…. This takes a minute or two, or little time if nothing changed.

    `base` replaces the public image that the Containerfile names. Raise ConfigError if no engine answers, or if the
    build fails.
    """
    if not (checkout / CONTAINERFILE).is_file():
        raise ConfigError(texts.NO_CHECKOUT(path=checkout / CONTAINERFILE))
    program = find_engine()
    project = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    number, revision = project["version"], git_revision(checkout)
    name = f"retinue:{number}" + (f"-{revision}" if revision else "")
    options = ["--tag", name, "--build-arg", f"VERSION={number}", "--build-arg", f"REVISION={revision}"]
    if base:
        options += ["--build-arg", f"BASE={base}"]
    # Only Docker's format can hold a health check.
    options += ["--format", "docker"] if program[0] == "podman" else ["--progress", "plain"]
    with tempfile.TemporaryDirectory(prefix="retinue-build-") as folder:
        id_file, secrets = Path(folder) / "id", write_pip_secrets(Path(folder), tell)
        command = [*program, "build", "--file", str(checkout / CONTAINERFILE), "--iidfile", str(id_file)]
        run_build([*command, *secrets, *options, str(checkout)], program, tell)
        return read_image_id(id_file)


def find_engine() -> list[str]:
    """Return the command of the engine that answers: docker, or else podman.

    Each program honours its own variable. Podman may also listen at the address in DOCKER_HOST. Raise ConfigError with
    each engine's answer if none answers.
    """
    address, refusals = os.environ.get("DOCKER_HOST"), []
    podman = ["podman"] if os.environ.get("CONTAINER_HOST") or not address else ["podman", "--url", address]
    for program in (["docker"], podman):
        if shutil.which(program[0]) is None:
            refusals.append(texts.NOT_INSTALLED(program=program[0]))
        elif (refusal := probe_engine([*program, "info"])) is not None:
            refusals.append(refusal)
        else:
            return program
    raise ConfigError(texts.NO_ENGINE(reasons="; ".join(refusals)))


def probe_engine(command: list[str]) -> str | None:
    """Return one line on why the engine does not answer, or None if it answers."""
    try:
        asked = subprocess.run(command, capture_output=True, text=True, timeout=PROBE_SECONDS, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return texts.NO_ANSWER_IN_TIME(program=command[0], seconds=PROBE_SECONDS)
    except OSError as error:
        return texts.ENGINE_REFUSED(program=command[0], reason=error.strerror)
    if not asked.returncode:
        return None
    lines = [line.strip() for line in f"{asked.stdout}\n{asked.stderr}".splitlines() if line.strip()]
    if not lines:
        return texts.DOES_NOT_ANSWER(program=command[0])
    return texts.ENGINE_REFUSED(program=command[0], reason=lines[-1])


def write_pip_secrets(folder: Path, tell: Tell) -> list[str]:
    """Write pip's settings to `folder`, and return build options that pass them as secrets.

    They are secrets, because an index may need a name and a password.
    """
    known = pip_settings.read_pip_settings()
    if known is None:
        tell(texts.NO_PIP)
    found = known or {}
    trusted = pip_settings.find_certificates(found)
    given = []
    if text := pip_settings.format_pip_conf(found, has_certificates=trusted is not None):
        file = folder / "pip.conf"
        durable_files.write_new_file(file, text, mode=0o600)
        given += ["--secret", f"id=pip.conf,src={file}"]
        tell(texts.AS_PIP_DOES)
    if trusted:
        given += ["--secret", f"id=certificates.pem,src={trusted}"]
    return given


def run_build(command: list[str], program: list[str], tell: Tell) -> None:
    """Run the build and report each line as it comes. Raise ConfigError if it fails, with its last lines."""
    tell(shlex.join(command))
    last = deque[str](maxlen=40)
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env={**os.environ, "DOCKER_BUILDKIT": "1"},
    ) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                last.append(line.rstrip())
                tell(line.rstrip())
        except BaseException:
            process.terminate()
            raise
    if not process.returncode:
        return
    if any(NO_SPACE.search(line) for line in last):
        raise ConfigError(texts.BUILD_DISK_FULL(program=shlex.join(program)))
    said = " | ".join([line for line in last if line][-LAST_LINES:])
    raise ConfigError(texts.BUILD_FAILED(reason=said) if said else texts.BUILD_FAILED_SILENTLY)


def read_image_id(file: Path) -> str:
    """Return the image id in `file`. Some Podman releases omit the `sha256:` prefix.

    Raise ConfigError if there is no valid id.
    """
    try:
        found = file.read_text(encoding="ascii").strip()
    except OSError as error:
        raise ConfigError(texts.NO_IMAGE_ID(error=error.strerror)) from None
    found = found if ":" in found else f"sha256:{found}"
    if not IMAGE_ID.fullmatch(found):
        raise ConfigError(texts.ODD_IMAGE_ID(id=found))
    return found
