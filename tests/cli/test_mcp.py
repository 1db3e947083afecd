"""`retinue mcp` before it serves: who may connect. (tests/mcp_server/test_process.py runs it.)"""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.cli import texts
from bot.cli.mcp import mcp, tokens_of_clients
from bot.config import load
from bot.core.errors import ConfigError

ONE, OTHER = "1" * 32, "2" * 32


def config_with(folder: Path, **clients: Any) -> Path:
    path = folder / "config.json"
    path.write_text(json.dumps({"clients": clients}))
    return path


@pytest.mark.parametrize(
    ("clients", "fault"),
    [
        ({}, texts.NO_CLIENT_WITH_TOKEN),
        ({"editor": {}}, texts.NO_CLIENT_WITH_TOKEN),
        ({"editor": {"token": ONE}, "script": {"token": ONE}}, texts.CLIENTS_SHARE_TOKEN),
    ],
)
def test_over_http_each_client_needs_a_token_of_its_own(tmp_path: Path, clients: Any, fault: str) -> None:
    with pytest.raises(ConfigError, match=fault):
        tokens_of_clients(load(config_with(tmp_path, **clients), variables={}))


def test_a_client_without_a_token_cannot_connect_over_http(tmp_path: Path) -> None:
    loaded = load(config_with(tmp_path, editor={"token": ONE}, script={"token": OTHER}, local={}), variables={})
    assert tokens_of_clients(loaded) == {"editor": ONE, "script": OTHER}


def test_a_short_token_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"clients\.editor\.token"):
        load(config_with(tmp_path, editor={"token": ONE[1:]}), variables={})


def test_over_stdio_the_client_must_be_known(tmp_path: Path) -> None:
    path = config_with(tmp_path, editor={})
    with pytest.raises(ConfigError, match="there is no client 'other'; the clients are: local, editor"):
        mcp.main(["--config", str(path), "--client", "other"], standalone_mode=False)
