"""Build the image that tenants run from a checkout, with docker or podman, whichever answers."""

import os
import re
import shlex
import shutil
import subprocess
import tempfile
import tomllib
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.core.errors import ConfigError
from bot.core.program_names import git_revision
from bot.tenants import making_texts as texts
from bot.tenants import pip_settings

Tell = Callable[[str], None]  # called with each line of a build's output
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
    with tempfile.TemporaryDirectory(prefix="retinue-build-") as folder, pip_build_secrets(Path(folder), tell) as given:
        id_file = Path(folder) / "id"
        command = [*program, "build", "--file", str(checkout / CONTAINERFILE), "--iidfile", str(id_file), *given]
        command += build_options(program, checkout, base)
        said = run_build([*command, str(checkout)], tell)
        if said is not None:
            raise ConfigError(describe_build_failure(said, program))
        return read_image_id(id_file)


def find_engine() -> list[str]:
    """Return the command of the engine that answers. Raise ConfigError with each engine's answer if none does."""
    refusals = []
    for program in engine_candidates():
        if shutil.which(program[0]) is None:
            refusals.append(texts.NOT_INSTALLED(program=program[0]))
        elif (refusal := probe_engine([*program, "info"])) is not None:
            refusals.append(refusal)
        else:
            return program
    raise ConfigError(texts.NO_ENGINE(reasons="; ".join(refusals)))


def engine_candidates() -> Iterator[list[str]]:
    """Yield the commands to try: docker, then podman.

    Each program honours its own variable. Podman may also listen at the address in DOCKER_HOST.
    """
    yield ["docker"]
    address = os.environ.get("DOCKER_HOST")
    yield ["podman"] if os.environ.get("CONTAINER_HOST") or not address else ["podman", "--url", address]


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


def build_options(program: list[str], checkout: Path, base: str) -> list[str]:
    """Return the build options for labels and names. Only Docker's format can hold a health check."""
    project = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    number, revision = project["version"], git_revision(checkout)
    name = f"retinue:{number}" + (f"-{revision}" if revision else "")
    found = ["--tag", name, "--build-arg", f"VERSION={number}", "--build-arg", f"REVISION={revision}"]
    if base:
        found += ["--build-arg", f"BASE={base}"]
    return found + (["--format", "docker"] if program[0] == "podman" else ["--progress", "plain"])


@contextmanager
def pip_build_secrets(folder: Path, tell: Tell) -> Iterator[list[str]]:
    """Yield build options that pass pip's settings as secrets: an index may need a name and a password."""
    known = pip_settings.read_pip_settings()
    if known is None:
        tell(texts.NO_PIP)
    found = known or {}
    trusted = pip_settings.find_certificates(found)
    given = []
    if text := pip_settings.format_pip_conf(found, has_certificates=trusted is not None):
        file = folder / "pip.conf"
        file.touch(mode=0o600)
        file.write_text(text, encoding="utf-8")
        given += ["--secret", f"id=pip.conf,src={file}"]
        tell(texts.AS_PIP_DOES)
    if trusted:
        given += ["--secret", f"id=certificates.pem,src={trusted}"]
    yield given


def run_build(command: list[str], tell: Tell) -> list[str] | None:
    """Run the build and report each line as it comes. Return the last lines if it failed, else None."""
    tell(shlex.join(command))
    last: deque[str] = deque(maxlen=40)
    variables = {**os.environ, "DOCKER_BUILDKIT": "1"}
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=variables,
    ) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                last.append(line.rstrip())
                tell(line.rstrip())
        except BaseException:
            process.terminate()
            raise
    return list(last) if process.returncode else None


def describe_build_failure(said: list[str], program: list[str]) -> str:
    if any(NO_SPACE.search(line) for line in said):
        return texts.BUILD_DISK_FULL(program=shlex.join(program))
    last = " | ".join([line for line in said if line][-LAST_LINES:])
    return texts.BUILD_FAILED(reason=last) if last else str(texts.BUILD_FAILED_SILENTLY)


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
