"""A part of the machine for containers: networks, mounts and processes of its own, which all go when its first does.

So nothing is left behind on the machine, however a test ends: no bridge, no rule of a firewall, no mount, no process.
One wire leads out: to an address of the machine, where the stand-ins listen, and to nothing else.
"""

import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

from tests.support.patience import PATIENCE

# It dies with this process, and all in it with it; and the first process buries what others leave behind.
OWN = ["setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
MEMORY = "/dev/shm"  # of each namespace its own, with the shortest of paths
READY = f"""
mount -t tmpfs tmpfs /run && mkdir -p /run/lock /run/netns /var/lib/cni
mount -t tmpfs tmpfs {MEMORY} && mount -t tmpfs tmpfs /var/lib/cni
ip link set lo up
echo ready
exec catatonit -- "$@"
"""
CGROUPS = Path("/sys/fs/cgroup")
PARENT = "libpod_parent"  # podman's, and never removed by it


@dataclass(frozen=True, slots=True)
class Cell:
    first: int  # the number of its first process, as the machine counts
    address: str  # of the machine, as seen from inside

    def enter(self, command: Sequence[str]) -> list[str]:
        """The command, to be run inside."""
        return ["nsenter", "--target", str(self.first), "--mount", "--net", "--pid", *command]

    def seen(self, path: Path) -> Path:
        """What lies at that path inside, by a path of the machine: its mounts are its own."""
        return Path(f"/proc/{self.first}/root{path}")


@contextmanager
def cell(*command: str, folder: Path, variables: dict[str, str]) -> Iterator[Cell]:
    """What that command runs in; it is killed when left, with all that is inside. Its words go to folder/said."""
    before = parents()
    with (folder / "said").open("ab") as said:
        outer = subprocess.Popen(
            [*OWN, "--net", "sh", "-euc", READY, "sh", *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=said,
            env=variables,
            cwd=folder,
        )
        try:
            assert outer.stdout is not None
            if outer.stdout.readline() != b"ready\n":
                raise RuntimeError(f"no cell for containers: {(folder / 'said').read_text()}")
            first = int(Path(f"/proc/{outer.pid}/task/{outer.pid}/children").read_text().split()[0])
            yield Cell(first, wire(first, number=outer.pid))
        finally:
            outer.kill()
            outer.communicate()
            remove(parents() - before)


def wire(first: int, number: int) -> str:
    """Lead one wire inside; the address of its outer end. These addresses are set aside for tests of networks."""
    first_of_four = f"198.18.{number // 64 % 256}.{number % 64 * 4}"
    ours, theirs = (str(ip_address(first_of_four) + each) for each in (1, 2))
    name = f"rtn{number}"
    run("ip", "link", "add", name, "type", "veth", "peer", "name", "outside", "netns", str(first))
    run("ip", "address", "add", f"{ours}/30", "dev", name)
    run("ip", "link", "set", name, "up")
    inside = ["nsenter", "--target", str(first), "--net", "ip"]
    run(*inside, "address", "add", f"{theirs}/30", "dev", "outside")
    run(*inside, "link", "set", "outside", "up")
    run(*inside, "route", "add", "default", "via", ours)
    return ours


def parents() -> set[Path]:
    return {path for path in [*CGROUPS.glob(f"*/{PARENT}"), CGROUPS / PARENT] if path.is_dir()}


def remove(cgroups: set[Path]) -> None:
    """Those of the containers that were killed; the kernel takes a moment until they are empty."""
    until = time.monotonic() + PATIENCE
    while cgroups and time.monotonic() < until:
        for path in [below for top in cgroups for below in sorted(folders(top), reverse=True)]:
            try:
                path.rmdir()
            except OSError:
                continue
        cgroups = {top for top in cgroups if top.is_dir()}
        time.sleep(0.05)


def folders(top: Path) -> Iterator[Path]:
    for path, _, _ in os.walk(top):
        yield Path(path)


def run(*command: str) -> None:
    said = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    if said.returncode:
        raise RuntimeError(f"{' '.join(command)}: {said.stderr}")
