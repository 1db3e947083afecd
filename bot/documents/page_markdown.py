"""The Markdown of a fetched web page: its main text where that can be found, with headings, tables and links."""

import asyncio
from pathlib import Path

from bot.core.bounded_process import SINGLE_SCRIPT_EXECUTOR, ScriptFailed, run_script
from bot.core.errors import FetchError
from bot.core.guarded_fetch import shorten_address, texts

PAGE_MARKDOWN_SCRIPT_PATH = Path(__file__).with_name("page_markdown_script.py")
PAGE_MARKDOWN_TIMEOUT_SECONDS = 15


async def convert_page_to_markdown(page: str, address: str) -> str:
    """Return a web page as Markdown, its title first. Raise FetchError if it takes too much time or memory."""
    loop = asyncio.get_running_loop()
    try:
        return await loop.run_in_executor(SINGLE_SCRIPT_EXECUTOR, run_page_markdown_script, page, address)
    except ScriptFailed as failed:
        raise FetchError(texts.PAGE_UNREADABLE(address=shorten_address(address), reason=failed)) from None


def run_page_markdown_script(page: str, address: str) -> str:
    given = page.encode(errors="replace")
    return run_script(PAGE_MARKDOWN_SCRIPT_PATH, (address,), PAGE_MARKDOWN_TIMEOUT_SECONDS, given=given).decode()
