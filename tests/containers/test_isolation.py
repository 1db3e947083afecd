"""Three tenants side by side in containers: each answers, and none can reach another, nor change what it is."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from statistics import quantiles
from typing import Any

import pytest
import pytest_asyncio

from tests.containers import inside, limits, noise
from tests.containers.engine import Engine
from tests.containers.tenants import KINDS, Deployed, three
from tests.support.patience import PATIENCE

pytestmark = pytest.mark.asyncio(loop_scope="module")

MIB = 1 << 20
PORT = 8_000  # where each listens, so that there is something to reach
LISTEN = ("python", "-m", "http.server", str(PORT), "--bind", "0.0.0.0", "--directory", "/tmp")
REACH = f"import socket, sys; socket.create_connection((sys.argv[1], {PORT}), 5).close()"
# Podman's own filter lets every process make one (Docker's does not). What could be done there is tried as well.
ALLOWED = (inside.USER_NAMESPACE,)
NOISE_SECONDS = 3.0
ATTEMPTS = 3
GRACE_SECONDS = 0.5  # other tests run beside: scripts/torture tenants asserts noise.MOST itself
STOP_SECONDS = 45.0  # what the compose file gives it


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def tenants(
    engine: Engine, image: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[dict[str, Deployed]]:
    async with three(engine, image, tmp_path_factory.mktemp("machine") / "tenants") as found:
        await asyncio.gather(*(each.start() for each in found.values()))
        yield found


@pytest.fixture(scope="module")
def acorn(tenants: dict[str, Deployed]) -> Deployed:
    return tenants["acorn"]


async def test_each_answers_its_owner_and_nobody_else(tenants: dict[str, Deployed]) -> None:
    for name, tenant in tenants.items():
        for platform in KINDS[name]:
            await tenant.answers(platform)
    for tenant in tenants.values():
        assert len(tenant.claude.requests) == tenant.asked


async def test_its_health_is_asked_and_good(tenants: dict[str, Deployed], engine: Engine) -> None:
    for tenant in tenants.values():
        command = ["podman", "--url", engine.variables["DOCKER_HOST"], "healthcheck", "run", tenant.container]
        await asyncio.to_thread(engine.done, command)
        assert (await tenant.inspected())["State"]["Health"]["Status"] == "healthy"


async def test_only_what_its_channels_need_is_loaded(tenants: dict[str, Deployed]) -> None:
    for name, tenant in tenants.items():
        loaded = await tenant.inside("sh", "-c", "cat /proc/[0-9]*/maps")
        assert "/site-packages/orjson/" in loaded, "the SDK of Claude, so that something was seen"
        assert ("/audioop." in loaded) == ("discord" in KINDS[name]), "what Discord's library alone imports"


async def test_no_attempt_on_another_or_on_what_it_is_succeeds(
    tenants: dict[str, Deployed], acorn: Deployed, engine: Engine, table: list[str]
) -> None:
    victims = [tenant for tenant in tenants.values() if tenant is not acorn]
    addresses = {tenant.container: await address_of(tenant) for tenant in tenants.values()}
    for tenant in tenants.values():
        await listening(tenant, engine, addresses[tenant.container])
    await acorn.inside("python", "-c", REACH, addresses[acorn.container])  # so it is no fault of the question
    wanted = {
        "groups": ["others", "network", "own", "rights"],
        "paths": [str(path) for tenant in victims for path in parts_of(tenant)],
        "folders": [str(tenant.tenant.folder) for tenant in victims],
        "canaries": [each[::-1] for tenant in victims for each in tenant.canaries],
        "processes": [(await tenant.inspected())["State"]["Pid"] for tenant in victims],
        "ports": [[addresses[tenant.container], PORT] for tenant in victims],
        "names": [name for tenant in victims for name in (tenant.container, f"retinue-{tenant.tenant.name}", "bot")],
        "engine": engine.variables["DOCKER_HOST"].removeprefix("unix://"),
        "disk": device(os.stat(acorn.tenant.folder).st_dev),
    }
    # What is not read by accident can be read at all: the search finds the tenant's own note, its own key.
    own = await tried(acorn, wanted | {"groups": ["others"], "canaries": [each[::-1] for each in acorn.canaries]})
    assert [how for _, what, how in own if what.startswith("find another's secret or note")] == [""]
    attempts = await tried(acorn, wanted)
    table += [f"{len(attempts)} attempts from inside {acorn.tenant.name}, beside {', '.join(KINDS)}:", *rows(attempts)]
    assert len(attempts) > 100
    assert [what for _, what, how in attempts if not how and what not in ALLOWED] == []


async def test_each_limit_holds_or_is_said_not_to(acorn: Deployed, table: list[str]) -> None:
    host = (await acorn.inspected())["HostConfig"]
    most = {"pids": host["PidsLimit"], "memory": host["Memory"], "tmp": 64 * MIB, "cpus": host["NanoCpus"] / 10**9}
    assert most["pids"] == 256
    assert most["memory"] == 512 * MIB
    got = json.loads(await acorn.inside("python", "-c", source(limits), json.dumps(most)))
    holds = {
        "pids": (got["pids"] < most["pids"], f"{got['pids']} processes were started, of at most {most['pids']}"),
        "memory": (got["memory"] != "all", f"a process that took {2 * most['memory'] // MIB} MiB was {got['memory']}"),
        "tmp": (got["tmp"] <= most["tmp"], f"{got['tmp'] // MIB} MiB fit into /tmp, of {most['tmp'] // MIB}"),
        "cpus": (got["cpus"] < most["cpus"] * 1.4, f"{got['cpus']:.2f} processors, of {most['cpus']:g}"),
    }
    for name, (is_held, told) in holds.items():
        table.append(f"limit of {name}: {told}" if is_held else f"not enforced by this kernel: {name}: {told}")
    assert holds["tmp"][0], "that is no matter of the kernel"
    state = (await acorn.inspected())["State"]
    assert state["Running"]
    assert not state["OOMKilled"] or holds["memory"][0]
    await acorn.answers("telegram")


async def test_one_that_spins_and_forks_without_end_does_not_slow_the_others(
    tenants: dict[str, Deployed], acorn: Deployed, table: list[str]
) -> None:
    others = [tenant for tenant in tenants.values() if tenant is not acorn]
    for _ in range(ATTEMPTS):  # other tests may keep the machine busy in one of them
        before = quantiles(await noise.waits(others, NOISE_SECONDS), n=20)[-1]
        async with noise.noisy(acorn, [noise.BOMB]):
            beside = quantiles(await noise.waits(others, NOISE_SECONDS), n=20)[-1]
        await acorn.answers("telegram")
        times = f"{beside / before:.2f} times the {before:.3f} s before"
        table.append(f"beside one that spins and forks: p95 {beside:.3f} s, {times}")
        if beside <= 3 * noise.MOST * before + GRACE_SECONDS:
            return
    raise AssertionError(table[-ATTEMPTS:])


async def test_it_stops_in_time_and_well_and_goes_on_afterwards(tenants: dict[str, Deployed], acorn: Deployed) -> None:
    async with asyncio.timeout(STOP_SECONDS):
        await acorn.compose("stop")
    assert (await acorn.inspected())["State"]["ExitCode"] == 0
    await acorn.start("start")
    await acorn.answers("telegram")


async def tried(tenant: Deployed, wanted: dict[str, Any]) -> list[tuple[str, str, str]]:
    """The group, what was tried, and how it was refused."""
    told = json.loads(await tenant.inside("python", "-c", source(inside), json.dumps(wanted)))
    return [(group, what, how) for group, what, how in told]


def source(module: Any) -> str:
    return Path(module.__file__).read_text()


def rows(attempts: list[tuple[str, str, str]]) -> list[str]:
    """Each once, though it was tried in several places."""
    return list(dict.fromkeys(f"  {group:8}{how or 'NOT REFUSED':16}{what}" for group, what, how in attempts))


def parts_of(tenant: Deployed) -> list[Path]:
    folder = tenant.tenant.folder
    names = ["config.json", "tenant.json", "compose.yaml", "data/bot.db", "workspace/note.txt", "roles"]
    paths = [folder, *(folder / name for name in names), *(folder / "secrets").iterdir()]
    assert all(path.exists() for path in paths), "what is not there is no proof"
    return paths


async def address_of(tenant: Deployed) -> str:
    [network] = (await tenant.inspected())["NetworkSettings"]["Networks"].values()
    return str(network["IPAddress"])


async def listening(tenant: Deployed, engine: Engine, address: str) -> None:
    """Something of the tenant's listens, and everybody who is let in there reaches it."""
    url = engine.variables["DOCKER_HOST"]
    command = ["podman", "--url", url, "exec", "--detach", tenant.container, *LISTEN]
    await asyncio.to_thread(engine.done, command)
    reach = engine.cell.enter(["python3", "-c", REACH, address])
    async with asyncio.timeout(PATIENCE):
        while (await asyncio.to_thread(engine.run, reach)).returncode:  # noqa: ASYNC110 -- it has nobody to tell
            await asyncio.sleep(0.1)


def device(number: int) -> list[int]:
    return [os.major(number), os.minor(number)]
