"""A noisy neighbour: one tenant uses up all that it can, and the answers of the others are timed.

`scripts/torture tenants`, with the names of noises or none for all. The exit status is 1 where the others' 95th
percentile is more than twice what it was before. What a tenant costs that nobody disturbs is printed first.
"""

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from statistics import quantiles

from tests.containers import needs
from tests.containers.engine import Engine, Store, running
from tests.containers.tenants import CROWD, KINDS, START_SECONDS, Deployed, three

SECONDS, PER_SECOND = 20.0, 4.0  # of each tenant, and on each of its platforms
MOST = 2.0
IDLE_SECONDS = 10.0
MB = 10**6
WARM_SECONDS = 2.0  # until a noise is at its loudest
SPIN = "import os\nfor _ in range(3): os.fork()\nwhile True: pass"
# Each of its processes counts as well: this spins, too.
BOMB = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"
FILL = """
import os
path, piece = os.path.join({folder!r}, "filling"), b"x" * (1 << 20)
while True:
    try:
        with open(path, "wb", buffering=0) as file:
            for _ in range({mib}):
                file.write(piece)
            os.fsync(file.fileno())
    except OSError:
        pass
"""
RESIDENT = """
import os, re
from pathlib import Path
status = [path.read_text() for path in Path("/proc").glob("[0-9]*/status") if path.parent.name != str(os.getpid())]
print(sum(int(size) for text in status for size in re.findall(r"VmRSS:\\s+(\\d+) kB", text)))
"""
MEMORY = """
import os
while True:
    if os.fork() == 0:
        taken = [b"x" * (1 << 20) for _ in range(4096)]
    os.wait()
"""
WRITE = FILL.format(folder="/tenant/data", mib=2048)
# What is promised is checked; the rest is shown. A disk is shared, and a kernel counts buffered writes only with the
# second kind of control groups; and where hundreds of processes are short of memory, it is the kernel that is at work.
PROMISED = {
    "spins its processors": [SPIN],
    "forks without end": [BOMB],
    "fills its /tmp, over and over": [FILL.format(folder="/tmp", mib=1024)],
    "takes memory until it is killed, over and over": [MEMORY],
}
SHOWN = {
    # The forks last: once they have all processes, no other program gets in.
    "all of these at once": [SPIN, FILL.format(folder="/tmp", mib=1024), MEMORY, BOMB],
    "writes 2 GiB to its data, over and over": [WRITE],
}
NOISES = PROMISED | SHOWN


async def waits(tenants: list[Deployed], seconds: float) -> list[float]:
    """How long each message waited for its answer, of a steady stream from many people."""
    asked: list[asyncio.Task[float]] = []
    began, number = time.monotonic(), 0
    async with asyncio.TaskGroup() as asking:
        while (passed := time.monotonic() - began) < seconds:
            while number <= passed * PER_SECOND:
                person = number % CROWD
                places = [(tenant, on) for tenant in tenants for on in KINDS[tenant.tenant.name]]
                asked += [asking.create_task(tenant.answers(on, person), name="asking") for tenant, on in places]
                number += 1
            await asyncio.sleep(0.02)
    return [each.result() for each in asked]


@asynccontextmanager
async def noisy(tenant: Deployed, programs: list[str]) -> AsyncIterator[None]:
    """The tenant's container runs these; all that it runs is ended on leaving, by starting the container again."""
    url = tenant.engine.variables["DOCKER_HOST"]
    for program in programs:
        command = ["podman", "--url", url, "exec", "--detach", tenant.container, "python", "-c", program]
        await asyncio.to_thread(partial(tenant.engine.run, command, seconds=START_SECONDS))
    await asyncio.sleep(WARM_SECONDS)
    try:
        yield
    finally:
        await tenant.compose("kill")
        (tenant.tenant.folder / "data" / "filling").unlink(missing_ok=True)
        await tenant.start("start")


async def figures(engine: Engine, image: str, tenants: dict[str, Deployed]) -> None:
    """Print what a tenant costs that nobody else disturbs: one is started after the other."""
    [told] = json.loads(engine.done(["podman", "--url", engine.variables["DOCKER_HOST"], "inspect", image]))
    base = needs.base().stat().st_size
    print(f"the image: {told['Size'] / MB:.0f} MB, {base / MB:.0f} MB of them its base", flush=True)
    for name, tenant in tenants.items():
        began = time.monotonic()
        await tenant.start()
        up = time.monotonic() - began
        await asyncio.sleep(IDLE_SECONDS)
        idle = await resident(tenant)
        await tenant.compose("down")
        began = time.monotonic()
        await tenant.start()
        await tenant.answers(KINDS[name][0])
        answered = time.monotonic() - began
        told = f"{idle:.0f} MiB resident when idle, {await resident(tenant):.0f} after an answer"
        print(f"{' and '.join(KINDS[name])}: up in {up:.1f} s, first answer in {answered:.1f} s; {told}", flush=True)


async def resident(tenant: Deployed) -> float:
    """MiB of all processes in its container, except the one that asks."""
    return float(await tenant.inside("python", "-c", RESIDENT)) / 1024


async def measured(tenants: dict[str, Deployed], names: list[str], seconds: float) -> bool:
    """Print a row for each noise; whether all of them are within what is promised."""
    loud, *others = tenants.values()
    await waits([loud, *others], WARM_SECONDS)  # what was never done before takes longer once
    is_well = True
    for name in names:
        before = row("nothing", await waits(others, seconds), None)  # just before: what else the machine does changes
        async with noisy(loud, NOISES[name]):
            p95 = row(name, await waits(others, seconds), before)
            is_well = is_well and (name in SHOWN or p95 <= MOST * before)
        seconds_to_answer = await loud.answers("telegram")
        print(f"    afterwards it answers its own owner again, {seconds_to_answer:.1f} s after its start", flush=True)
    return is_well


def row(name: str, found: list[float], before: float | None) -> float:
    """Print one; its 95th percentile in seconds."""
    p50, p95 = quantiles(found, n=100)[49], quantiles(found, n=100)[94]
    times = f", {p95 / before:.2f} times that before" if before else ""
    print(f"one {name}: {len(found)} answers of the others, p50 {p50:.3f} s, p95 {p95:.3f} s{times}", flush=True)
    return p95


async def main(*names: str) -> int:
    """The exit status; SystemExit where nothing can be tried."""
    if unknown := [name for name in names if name not in NOISES]:
        sys.exit(f"there is no noise {unknown[0]!r}; there are {', '.join(NOISES)}")
    if lacking := needs.lacking():
        sys.exit(f"no containers here: {lacking}")
    with tempfile.TemporaryDirectory(prefix="retinue-noise-") as folder:
        store = Store(Path(folder) / "engine")
        store.folder.mkdir()
        store.write()
        print("building the image", flush=True)
        image = store.image()
        with running(store) as engine:
            return await beside(engine, image, Path(folder), list(names or NOISES))


async def beside(engine: Engine, image: str, folder: Path, names: list[str]) -> int:
    async with three(engine, image, folder / "tenants") as tenants:
        await figures(engine, image, tenants)
        return 0 if await measured(tenants, names, SECONDS) else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main(*sys.argv[1:])))
