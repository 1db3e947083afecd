"""Files are fetched by the configured proxy and with its authority, and no log holds the token in their addresses."""

import logging
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from bot.core.errors import FetchError
from bot.core.incoming_files import IncomingFile, IncomingFileKind
from bot.core.network import NetworkAccess
from channels.telegram.channel import Telegram
from tests.stand_ins import proxy
from tests.stand_ins.downloads import DownloadFault
from tests.stand_ins.proxy import Authority, Proxy, secured
from tests.stand_ins.telegram import TelegramStandIn, document
from tests.stand_ins.telegram.rates import Limits
from tests.support.places.telegram import HASTY, UNPACED

HOST = "telegram.example"
FILE = IncomingFile(kind=IncomingFileKind.FILE, name="a.pdf", reference="document-a.pdf", size_bytes=5)


@pytest.mark.skipif(proxy.OPENSSL is None, reason="needs openssl")
async def test_a_file_comes_by_the_proxy_and_with_its_authority(tmp_path: Path) -> None:
    authority = Authority.made(tmp_path, HOST)
    async with TelegramStandIn(limits=Limits.none()) as server, Proxy().open() as company:
        server.holding(document("a.pdf"), b"pages")
        async with secured(urlsplit(server.base_url).port or 0, authority) as port:
            company.ways[HOST] = port
            access = NetworkAccess(proxy=company.address, ca_file=authority.ca_file)
            assert await fetched(server.token, access) == b"pages"
            for lacking in (replace(access, ca_file=None), replace(access, proxy=None)):
                with pytest.raises(FetchError):
                    await fetched(server.token, lacking)
    assert set(company.asked) == {f"CONNECT {HOST}:443"}


async def fetched(token: str, network: NetworkAccess) -> bytes:
    url = f"https://{HOST}/bot"
    made = Telegram(token, url, timing=HASTY, rates=UNPACED, network=network)
    async with made as telegram, telegram.open_file(FILE) as pieces:
        return b"".join([piece async for piece in pieces])


@pytest.mark.parametrize("fault", [None, DownloadFault.CUT, DownloadFault.ELSEWHERE, DownloadFault.DOWN])
async def test_no_log_holds_the_token_of_a_files_address(
    fault: DownloadFault | None, caplog: pytest.LogCaptureFixture
) -> None:
    async with TelegramStandIn(limits=Limits.none()) as server:
        server.holding(document("a.pdf"), b"pages")
        server.downloads.next(fault)
        async with Telegram(server.token, server.base_url, timing=HASTY, rates=UNPACED) as telegram:
            with caplog.at_level(logging.DEBUG, logger="aiohttp"), suppress(FetchError):
                async with telegram.open_file(FILE) as pieces:
                    assert [piece async for piece in pieces] == [b"pages"]
            assert server.token.partition(":")[2] not in repr(vars(telegram.files))
    assert server.token.partition(":")[2] not in caplog.text
