"""The sandbox: what a command in it sees, and why there is none."""

import os
import subprocess
from pathlib import Path

import pytest

from bot.core.sandbox import (
    BASE_ENVIRONMENT,
    PACKAGE_OF_PROGRAM,
    SandboxLimits,
    sandbox_fault,
    sandboxed_command,
    try_sandbox,
)
from bot.core.sandbox.listener import listener_fault
from bot.core.texts import operators

needs_sandbox = pytest.mark.skipif(sandbox_fault() is not None, reason=f"no sandbox here: {sandbox_fault()}")


def run_inside(script: str, folder: Path, **options: object) -> str:
    """Return what a script of bash says in a sandbox, on both streams."""
    command = sandboxed_command(["bash", "-c", script], folder=folder, **{"env": {}, **options})  # type: ignore[arg-type]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30)
    return done.stdout + done.stderr


@needs_sandbox
def test_a_program_works_in_its_folder(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("in")
    assert run_inside("pwd; cat in.txt > out.txt; ls", tmp_path) == "/work\nin.txt\nout.txt\n"
    assert (tmp_path / "out.txt").read_text() == "in"
    assert (tmp_path / "out.txt").stat().st_uid == os.getuid()


@needs_sandbox
def test_a_program_knows_only_the_environment_it_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_KEY", "s3cret")
    said = run_inside("env; tr '\\0' '\\n' < /proc/1/environ", tmp_path, env={"MINE": "1"})
    assert "s3cret" not in said
    assert "MINE=1" in said


@needs_sandbox
def test_a_secret_variable_stands_in_no_command_line(tmp_path: Path) -> None:
    command = sandboxed_command(["env"], folder=tmp_path, env={}, keeps_environment=True)
    done = subprocess.run(command, env={"API_KEY": "s3cret"}, capture_output=True, text=True, timeout=30)
    assert "API_KEY=s3cret" in done.stdout.split()
    assert "s3cret" not in " ".join(command)


@needs_sandbox
def test_paths_can_be_shown_hidden_and_read_only(tmp_path: Path) -> None:
    folder, other = tmp_path / "folder", tmp_path / "other"
    for path in (folder / "kept" / "a", folder / "secret" / "b", other / "c"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(path.name)
    script = f"echo x > kept/a; rm -r kept; cat kept/a secret/b {other}/c; touch {other}/d"
    said = run_inside(script, folder, read_only=[other], read_only_inside=["kept"], hidden=[folder / "secret"])
    assert said.startswith("ac")
    assert [path.read_text() for path in (folder / "kept" / "a", folder / "secret" / "b")] == ["a", "b"]
    assert not (other / "d").exists()


@needs_sandbox
def test_the_kernel_keeps_the_limits(tmp_path: Path) -> None:
    limits = SandboxLimits(seconds=0.4, file_megabytes=1, memory_megabytes=100, temporary_megabytes=1)
    said = run_inside(
        "head -c 2M /dev/zero > big; stat -c %s big; head -c 2M /dev/zero > /tmp/big; stat -c %s /tmp/big;"
        "python3 -c 'bytearray(10**9)' 2>&1 | tail -1; sleep 9; echo never",
        tmp_path,
        limits=limits,
    )
    assert said.split("\n")[:3] == ["1048576", "1048576", "MemoryError"]
    assert "never" not in said


def test_the_fault_names_a_program_that_is_missing(tmp_path: Path) -> None:
    fault = operators.SANDBOX_WITHOUT_PROGRAM(program="bwrap", package=PACKAGE_OF_PROGRAM["bwrap"])
    assert try_sandbox(str(tmp_path)) == (None, fault)


@needs_sandbox
def test_without_python_there_is_no_way_to_named_hosts(tmp_path: Path) -> None:
    fault = operators.SANDBOX_WITHOUT_PYTHON(program="python3")
    assert (listener_fault(str(tmp_path)), listener_fault(BASE_ENVIRONMENT["PATH"])) == (fault, None)


def test_the_fault_says_why_bubblewrap_does_not_start(tmp_path: Path) -> None:
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho bwrap: No permissions to create new namespace >&2\nexit 1\n")
    program.chmod(0o755)
    fault = try_sandbox_on(f"{tmp_path}:{os.environ['PATH']}")
    assert fault == operators.SANDBOX_REFUSED(reason="bwrap: No permissions to create new namespace")


def try_sandbox_on(path: str) -> str | None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", path)
        return sandbox_fault()
