"""`retinue web` as an operator types it."""

import asyncio
import json
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from bot.cli.web import kept_files_of
from bot.config import load
from bot.core.messages import Address
from bot.core.outgoing_files import OUTGOING_FOLDER_NAME
from bot.tools.workspace_scope import chat_folder
from bot.web_page import texts
from tests.support.patience import PATIENCE
from tests.support.shell import Shell

MAKES_SERVER = """
import sys
from pathlib import Path
from bot.cli.web import make_server
from bot.config import load
loaded = load(Path(sys.argv[1]))
make_server(loaded, loaded.config.data_dir)
print(*sys.modules)
"""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port


async def read_link(process: asyncio.subprocess.Process) -> str:
    assert process.stdout
    async with asyncio.timeout(PATIENCE):
        while line := (await process.stdout.readline()).decode():
            if found := re.search(r"http://\S+/login\?code=\S+", line):
                return found[0]
    raise AssertionError("no link was printed")


async def log_in(client: httpx.AsyncClient, link: str) -> int:
    """Do what the button does, and return the status of the first page."""
    code, origin = link.partition("?code=")[2], link.partition("/login")[0]
    await client.post(f"{origin}/login", data={"code": code}, headers={"origin": origin})
    return (await client.get(f"{origin}/")).status_code


async def test_the_page_is_served_until_ctrl_c_and_links_log_in_once(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.config(web_page={"port": free_port()})
    async with shell.begun("web") as process, httpx.AsyncClient(timeout=PATIENCE) as client:
        link = await read_link(process)
        assert await log_in(client, link) == 200
        client.cookies.clear()
        assert await log_in(client, link) == 303
        another = re.search(r"http://\S+", (await shell.retinue("web", "login")).out)
        assert another
        assert await log_in(client, another[0]) == 200
        assert (await shell.retinue("web", "logout")).out.strip() == texts.LOGGED_OUT()
        assert (await client.get(link.partition("/login")[0])).status_code == 303
        process.send_signal(signal.SIGINT)
        async with asyncio.timeout(PATIENCE):
            _, err = await process.communicate()
        assert b"Traceback" not in err


async def test_a_client_with_a_scope_has_an_api_beside_the_page(tmp_path: Path) -> None:
    shell, token = Shell(tmp_path), "1" * 32
    shell.config(web_page={"port": free_port()}, clients={"tool": {"token": token, "scopes": ["health"]}})
    async with shell.begun("web") as process, httpx.AsyncClient(timeout=PATIENCE) as http:
        origin = (await read_link(process)).partition("/login")[0]
        bearer = {"authorization": f"Bearer {token}"}
        health = await http.get(f"{origin}/v1/health", headers=bearer)
        assert (health.status_code, health.json()["is_running"]) == (200, False)
        assert (await http.get(f"{origin}/v1/usage", headers=bearer)).status_code == 403


def test_the_api_is_not_loaded_if_no_client_has_a_scope(tmp_path: Path) -> None:
    path = Shell(tmp_path).config(clients={"tool": {"token": "1" * 32}})
    command = [sys.executable, "-c", MAKES_SERVER, str(path)]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "bot.web_page.application" in loaded
    assert "bot.web_page.api" not in loaded


async def test_a_port_in_use_is_one_line(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        shell.config(web_page={"port": port})
        said = await shell.retinue("web")
    assert said.status == 2
    assert said.err.strip().endswith(texts.PORT_TAKEN(host="127.0.0.1", port=port, reason="Address already in use"))


@pytest.mark.parametrize(
    ("address", "first"), [(None, "http://127.0.0.1:8700"), ("https://bot.example/", "https://bot.example")]
)
async def test_a_link_has_the_address_by_which_browsers_come(tmp_path: Path, address: str | None, first: str) -> None:
    shell = Shell(tmp_path)
    shell.config(web_page={"public_address": address})
    assert f"{first}/login?code=" in (await shell.retinue("web", "login")).out


def test_files_lie_where_their_rows_and_the_settings_say(tmp_path: Path) -> None:
    group = tmp_path / "groups" / "garden"
    group.mkdir(parents=True)
    (group / "instructions.md").write_text("---\naddress: telegram:5\ndescription: plants\n---\nYou know plants.")
    workspace = group / "workspace"
    workspace.mkdir()
    file = tmp_path / "config.json"
    model = {"api_key": "sk-ant-stand-in"}
    file.write_text(
        json.dumps({"swarm": {"groups_dir": "groups"}, "workspace": "desk", "data_dir": "data", "model": model})
    )
    file.chmod(0o600)
    files, chat = kept_files_of(load(file), tmp_path / "data"), Address(channel="telegram", chat="5")
    assert files.outgoing == tmp_path / "data" / OUTGOING_FOLDER_NAME
    assert files.find_folder("workspace", chat) == tmp_path / "desk"
    assert files.find_folder("chat", chat) == chat_folder(tmp_path / "desk", chat)
    assert files.find_folder("group:garden", chat) == workspace
    assert files.find_folder("group:nothing", chat) is None
