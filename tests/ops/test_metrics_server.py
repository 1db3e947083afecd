"""How the metrics are served: at a port or a socket, to everybody who asks, and at nobody's cost."""

import asyncio
import errno
import os
import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from bot.config import texts as config_texts
from bot.core.errors import ConfigError
from bot.core.texts import setting_values
from bot.ops.metrics import serve_metrics_and_count_failures, texts
from bot.ops.metrics.metrics_server import MAX_CLIENTS, MetricsClients
from tests.ops.test_health import shell
from tests.ops.test_metrics import settings
from tests.support.bench import Bench
from tests.support.metrics_scraper import ask, connect, free_port, leave, rest, scrape
from tests.support.patience import PATIENCE
from tests.support.shell import Shell

__all__ = ["shell"]


@pytest.mark.parametrize(
    "request_",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET /metrics/ HTTP/1.1\r\n\r\n",
        b"POST /metrics HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
        b"GET /metrics\r\n\r\n",
        b"\0\xff\r\n\r\n",
    ],
)
async def test_all_else_is_not_found(shell: Shell, bench: Bench, request_: bytes) -> None:
    port = free_port()
    async with serve_metrics_and_count_failures(settings(shell, port=port), bench.model, [], ()):
        head, _ = await ask(port, request_)
    assert head.startswith("HTTP/1.1 404 Not Found\r\n")


async def test_slow_or_senseless_clients_hurt_nobody(shell: Shell, bench: Bench) -> None:
    port = free_port()
    async with serve_metrics_and_count_failures(settings(shell, port=port), bench.model, [], ()):
        assert await ask(port, b"x" * 100_000) == ("", "")
        slow = [await connect(port) for _ in range(MAX_CLIENTS - 1)]
        for _, writer in slow:
            writer.write(b"GET /met")
        head, _ = await ask(port)
        assert head.startswith("HTTP/1.1 200 OK")
        slow.append(await connect(port))
        async with asyncio.timeout(PATIENCE):
            while (await ask(port))[0]:  # noqa: ASYNC110 -- until the last one is seen
                await asyncio.sleep(0.01)
    for reader, writer in slow:
        assert await rest(reader) == b"", "the end of the bot is theirs too"
        await leave(writer)


async def test_a_slow_client_is_cut_off_after_a_while() -> None:
    async def page() -> tuple[str, bytes]:
        return "text/plain", b""

    clients = MetricsClients(page, seconds=0.05)
    server = await asyncio.start_server(clients.serve_client, "127.0.0.1", 0)
    async with server:
        reader, writer = await connect(server.sockets[0].getsockname()[1])
        writer.write(b"GET ")
        async with asyncio.timeout(PATIENCE):
            assert await rest(reader) == b""
        await leave(writer)


async def test_a_bug_in_them_is_told_and_ends_nothing(caplog: pytest.LogCaptureFixture) -> None:
    async def page() -> tuple[str, bytes]:
        raise LookupError

    server = await asyncio.start_server(MetricsClients(page).serve_client, "127.0.0.1", 0)
    async with server:
        heads = [(await ask(server.sockets[0].getsockname()[1]))[0] for _ in range(2)]
    assert all(head.startswith("HTTP/1.1 500 ") for head in heads)
    assert texts.METRICS_FAIL in caplog.text


async def test_a_socket_is_for_its_owner_and_group_and_goes_with_the_bot(shell: Shell, bench: Bench) -> None:
    path = shell.folder / "metrics.sock"
    config = settings(shell, socket="metrics.sock")
    with closing(socket.socket(socket.AF_UNIX)) as left_over:
        left_over.bind(str(path))
    async with serve_metrics_and_count_failures(config, bench.model, [], ()):
        assert path.stat().st_mode & 0o777 == 0o660
        assert (await scrape(path))["retinue_healthy", ()] == 0
        with pytest.raises(ConfigError) as raised:
            async with serve_metrics_and_count_failures(config, bench.model, [], ()):
                pass
        assert str(raised.value) == texts.SOCKET_IN_USE(path=path)
        assert (await ask(path))[0].startswith("HTTP/1.1 200")
    assert not path.exists()


def port_at(host: str) -> str:
    """What is said of that host, up to the reason."""
    return texts.CANNOT_LISTEN_AT_PORT(host=host, port=9, reason="WHY").partition("WHY")[0]


async def test_unusable_metrics_settings_are_told_in_one_line(shell: Shell, bench: Bench) -> None:
    (shell.folder / "file").write_text("kept")
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError) as raised:
            settings(shell, port=port, socket="file")
        both = config_texts.WRONG_VALUE(key="metrics", problem=setting_values.PORT_AND_SOCKET)
        assert str(raised.value).endswith(f": {both}")
        in_use, missing = os.strerror(errno.EADDRINUSE), os.strerror(errno.ENOENT)
        nowhere, long = shell.folder / "no" / "folder", shell.folder / ("s" * 200)
        for metrics, why in (
            ({"port": port}, texts.CANNOT_LISTEN_AT_PORT(host="127.0.0.1", port=port, reason=in_use)),
            (
                {"port": 9, "host": "no.such.name.invalid"},
                port_at("no.such.name.invalid"),
            ),
            ({"port": 9, "host": "a" * 70}, port_at("a" * 70)),
            ({"socket": "file"}, texts.SOCKET_IS_SOMETHING_ELSE(path=shell.folder / "file")),
            ({"socket": "no/folder"}, texts.CANNOT_LISTEN_AT_SOCKET(path=nowhere, reason=missing)),
            ({"socket": "s" * 200}, texts.CANNOT_LISTEN_AT_SOCKET(path=long, reason="")),
        ):
            with pytest.raises(ConfigError) as raised:
                async with serve_metrics_and_count_failures(settings(shell, **metrics), bench.model, [], ()):
                    pass
            assert str(raised.value).startswith(why)
    assert (shell.folder / "file").read_text() == "kept"


def test_while_they_are_off_nothing_of_them_is_imported() -> None:
    look = "import sys, bot.cli.run; assert 'prometheus_client' not in sys.modules"
    subprocess.run([sys.executable, "-c", look], check=True)


def test_a_socket_does_not_lie_where_roles_write(shell: Shell) -> None:
    with pytest.raises(ConfigError) as raised:
        settings(shell, socket=str(Path("workspace") / "m.sock"))
    assert str(raised.value) == config_texts.SOCKET_IN_WORKSPACE(origin=shell.folder / "config.json")
