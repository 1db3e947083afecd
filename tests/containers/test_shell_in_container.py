"""A tenant with a shell: bubblewrap starts in its container without any capability, and only where it may."""

import json
from pathlib import Path

import pytest

from bot.tenants.targets import TEMPLATES_FOLDER
from bot.tenants.targets.compose import SECCOMP_FILE
from bot.tools import texts
from tests.containers import named_hosts
from tests.containers.engine import Engine
from tests.containers.tenants import deployed

RUN = """
import asyncio, pathlib, sys, types
from bot.core.sandbox import sandbox_fault
from bot.core.settings import ShellSettings
from bot.tools.shell import shell_tools
print(sandbox_fault())
[tool] = shell_tools(ShellSettings(enabled=True, memory_megabytes=200), [])(pathlib.Path(sys.argv[1]))
status = open("/proc/self/status").read().splitlines()
print(*[line.split()[-1] for line in status if line.startswith(("CapEff", "NoNewPrivs", "Seccomp:"))])
context = types.SimpleNamespace(report_progress=lambda text: None)
print(asyncio.run(tool.run(context, {"command": sys.argv[2]})))
"""
WITHOUT_CAPABILITIES = "0000000000000000 1 2"
ATTEMPTS = """
cat note.txt; echo; echo written > made.txt
ls /tenant /proc/1 2>&1; cat /tenant/config.json 2>&1; unshare -U true 2>&1; mount -t tmpfs x /tmp 2>&1
(exec 3<>/dev/tcp/127.0.0.1/9) 2>&1 | tail -1
python3 -c "print(open('/proc/1/environ').read())" 2>&1 | tail -1
"""
WALLS = (
    *("--network", "none", "--read-only", "--cap-drop", "ALL", "--user", "4711:4711", "--memory", "1g"),
    *("--security-opt", "no-new-privileges", "--pids-limit", "256", "--tmpfs", "/tmp:rw,mode=1777"),
)


def run_with(engine: Engine, image: str, profile: Path, script: str = RUN) -> list[str]:
    """Return what a script prints that runs a command of the shell, in a container with a list of kernel calls."""
    options = ["--security-opt", f"seccomp={profile}", "--entrypoint", "python", image]
    done = engine.podman("run", "--rm", *WALLS, *options, "-c", script, "/tmp", "id -u; echo done")
    return f"{done.stdout}{done.stderr}".splitlines()


def test_bubblewrap_starts_with_the_profile_and_without_capabilities(
    engine: Engine, image: str, table: list[str]
) -> None:
    said = run_with(engine, image, TEMPLATES_FOLDER / SECCOMP_FILE)
    table.append(f"shell in a container with {SECCOMP_FILE}: {said}")
    assert said[:2] == ["None", WITHOUT_CAPABILITIES]
    assert said[3:] == ["1000", "done"]


@pytest.mark.parametrize("number", range(4))
def test_bubblewrap_needs_each_call_that_the_profile_opens(
    engine: Engine, image: str, tmp_path: Path, number: int
) -> None:
    profile = json.loads((TEMPLATES_FOLDER / SECCOMP_FILE).read_text())
    opened = [rule for rule in profile["syscalls"] if rule["comment"].startswith("OPENED")]
    assert len(opened) == 4
    profile["syscalls"].remove(opened[number])
    (tmp_path / SECCOMP_FILE).write_text(json.dumps(profile))
    assert run_with(engine, image, tmp_path / SECCOMP_FILE)[0].startswith("bubblewrap cannot start a sandbox here")


def test_a_command_in_a_container_reaches_the_named_host_and_no_other(
    engine: Engine, image: str, table: list[str]
) -> None:
    said = run_with(engine, image, TEMPLATES_FOLDER / SECCOMP_FILE, Path(named_hosts.__file__).read_text())
    table.append(f"named hosts in a container with {SECCOMP_FILE}: {said}")
    status, refused, *answers = said[:5]  # then what the log says
    assert status.startswith("exit status 0 ")
    assert refused.startswith(texts.HOSTS_REFUSED(places="other.example")[:20])
    assert answers == [
        "named.example a page",
        "other.example failed: HTTP Error 403: Forbidden",
        "127.0.0.1 failed: <urlopen error [Errno 111] Connection refused>",
    ]


async def test_a_tenant_with_a_shell_runs_commands_in_its_container(
    engine: Engine, image: str, tmp_path: Path, table: list[str]
) -> None:
    async with deployed(engine, image, tmp_path / "srv", "acorn", "--shell") as there:
        await there.start()
        await there.answers("telegram")
        fault, rights, *said = (await there.inside("python", "-c", RUN, "/tenant/workspace", ATTEMPTS)).splitlines()
        assert (fault, rights) == ("None", WITHOUT_CAPABILITIES)
        assert said[0].startswith("exit status")
        assert said[1] == "note-of-acorn-for-itself-alone"
        made = engine.cell.seen(there.tenant.folder / "workspace" / "made.txt")
        assert made.read_text() == "written\n"
        assert "No such file or directory" in said[2]
        assert all("sk-ant" not in line for line in said)
        assert "shell: on" in await there.inside("sh", "-c", "retinue doctor || true")
        table.append(f"shell of a tenant: {said}")
