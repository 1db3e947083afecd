"""What a bot loads for the web: nothing heavy before a page is read or a search is made."""

import subprocess
import sys

LOADED = """
import sys
from bot.config import Config
from bot.assembly import make_web_tools
tools = make_web_tools(Config.model_validate(SETTINGS))
print(sorted(tool.name for tool in tools), sorted(sys.modules.keys() & {"trafilatura", "bs4", "aiohttp"}))
"""


def loads(settings: str) -> str:
    code = LOADED.replace("SETTINGS", settings)
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True
    ).stdout


def test_tools_that_run_here_load_no_parser() -> None:
    settings = '{"web": {"run_here": "always"}}'
    assert loads(settings) == "['web_fetch'] []\n"
