"""`retinue mcp` before it serves: who may connect. (tests/mcp_server/test_process.py runs it.)"""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.cli import texts
from bot.cli.mcp import mcp, prepare_http
from bot.config import load
from bot.core.errors import ConfigError
from bot.ops.control.delegations import RunningBot

ONE = "1" * 32


def config_with(folder: Path, **clients: Any) -> Path:
    path = folder / "config.json"
    path.write_text(json.dumps({"clients": clients}))
    return path


@pytest.mark.parametrize("clients", [{}, {"editor": {}}])
def test_over_http_some_client_needs_a_token(tmp_path: Path, clients: Any) -> None:
    with pytest.raises(ConfigError, match=texts.NO_CLIENT_WITH_TOKEN):
        _ = prepare_http(load(config_with(tmp_path, **clients), variables={}), RunningBot(tmp_path, "1"))


def test_a_short_token_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"clients\.editor\.token"):
        load(config_with(tmp_path, editor={"token": ONE[1:]}), variables={})


def test_over_stdio_the_client_must_be_known(tmp_path: Path) -> None:
    path = config_with(tmp_path, editor={})
    with pytest.raises(ConfigError, match="there is no client 'other'; the clients are: local, editor"):
        mcp.main(["--config", str(path), "--client", "other"], standalone_mode=False)
