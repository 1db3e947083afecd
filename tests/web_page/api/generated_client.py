"""A client that is generated from the description of the API: schemathesis, in an environment of its own.

It sends what the description allows and what it does not, and holds each answer against it.
"""

import asyncio
import os
import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from bot.core.client_settings import ApiScope
from bot.core.messages import OutboundKind
from tests.support.bench import WORKERS, Bench
from tests.support.client_bench import running_for_clients
from tests.support.fakes import delegates
from tests.web_page.api.api_bench import TOKENS, add_api
from tests.web_page.conftest import serve_page

HOW = "python3 -m venv ~/.cache/retinue-tests/client && ~/.cache/retinue-tests/client/bin/pip install -r {lock}"
LOCK = Path("tests/web_page/client.lock")
REPORTS = 2_000  # as many as no run needs
CLIENT = "editor"


def find_program() -> str | None:
    """Return the program, where .ci/run installs it."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return shutil.which(
        "st", path=os.pathsep.join([os.environ["PATH"], str(cache / "retinue-tests" / "client" / "bin")])
    )


async def try_api(data: Path, program: str, options: Sequence[str]) -> tuple[int, str]:
    """Run the client against the API of a bot that runs, with all checks. Return its exit code and what it printed."""
    bench = Bench(data)
    bench.model.says("lead", delegates("researcher", "analyst"), "planned")
    for role in WORKERS:
        bench.model.says(role, *["found the mill"] * REPORTS)
    async with bench.run():
        bench.chat.hears("plan our offsite")
        await bench.chat.said(OutboundKind.REPLY)
    api = partial(add_api, bench, scopes={CLIENT: frozenset(ApiScope)}, most_wrong=REPORTS)
    async with running_for_clients(bench), serve_page(bench, add_api=api) as visitor:
        client = await asyncio.create_subprocess_exec(
            *(program, "run", f"{visitor.origin}/v1/openapi.json", "--checks", "all", "--no-color"),
            *("--header", f"Authorization: Bearer {TOKENS[CLIENT]}", *options),
            cwd=data,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        printed, _ = await client.communicate()
    return client.returncode or 0, printed.decode()
