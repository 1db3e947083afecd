"""The text of a fetched page: decoded, and of a web page only what people see."""

import asyncio
import re
from pathlib import Path

from bot.core.bounded_process import SINGLE_SCRIPT_EXECUTOR, ScriptFailed, run_script
from bot.core.errors import FetchError
from bot.core.guarded_fetch import texts

PAGE_TEXT_SCRIPT_PATH = Path(__file__).with_name("page_text_script.py")
PAGE_TEXT_TIMEOUT_SECONDS = 10
# Python has other codecs too, but some are slow for long texts or are no encodings of texts.
USUAL_CHARSETS = re.compile(
    r"utf-?(8|16)(le|be)?|us-?ascii|iso-?8859-\d+|latin-?\d|(windows-|cp)\d+|koi8-[rut]|shift[_-]?jis|euc[_-](jp|kr)"
    r"|iso-2022-jp|gb(2312|k|18030)|big5(-?hkscs)?",
    re.IGNORECASE,
)
META_CHARSET = re.compile(rb"<meta[^>]{0,200}charset=[\"']?([A-Za-z0-9_-]{1,20})", re.IGNORECASE)
BYTES_SEARCHED_FOR_CHARSET = 2_000


def decode_page(body: bytes, charset: str) -> str:
    """Return the text. `charset` is what the server says, or empty; a page may say it itself."""
    if not charset and (found := META_CHARSET.search(body[:BYTES_SEARCHED_FOR_CHARSET])):
        charset = found[1].decode()
    try:
        return body.decode(charset if USUAL_CHARSETS.fullmatch(charset) else "utf-8", errors="replace")
    except LookupError:
        return body.decode(errors="replace")


async def extract_visible_text(page: str, shown_address: str) -> str:
    """Return what people see of a web page. Raise FetchError if it takes too much time or memory."""
    body = page.encode(errors="replace")
    loop = asyncio.get_running_loop()
    try:
        return await loop.run_in_executor(SINGLE_SCRIPT_EXECUTOR, run_page_text_script, body)
    except ScriptFailed as failed:
        raise FetchError(texts.PAGE_UNREADABLE(address=shown_address, reason=failed)) from None


def run_page_text_script(body: bytes) -> str:
    return run_script(PAGE_TEXT_SCRIPT_PATH, (), PAGE_TEXT_TIMEOUT_SECONDS, given=body).decode()
