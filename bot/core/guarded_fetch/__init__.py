"""The guarded fetch: read a page of the public internet, and nothing else, no matter what its address says.

The host of every hop is resolved once. Each of its addresses must be public, and neither this machine's own nor in an
IPv6 network that it is directly in. The connection goes to an address that was checked, so no second answer of a name
server can lead elsewhere. The certificate is checked for the host's name.

Through a proxy it is the same: the proxy is asked for the checked address. Where a proxy accepts only names, the
operator says so (`network.proxy_resolves_names`), and the proxy has to guard what its names lead to.
"""

from __future__ import annotations

import asyncio
import hashlib
import socket
import zlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.core.domains import ANY_DOMAIN, DomainRules
from bot.core.errors import FetchError
from bot.core.guarded_fetch import texts
from bot.core.guarded_fetch.addresses import AnyAddress, AnyNetwork, is_public, parse_address
from bot.core.guarded_fetch.local_networks import is_on_site
from bot.core.guarded_fetch.page_text import decode_page, extract_visible_text
from bot.core.guarded_fetch.unpacking import KNOWN_ENCODINGS, PageTooLarge, PageUnpacker
from bot.core.network import DEFAULT_NETWORK_ACCESS, NetworkAccess

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession  # imported where it is used, because it is large
    from yarl import URL

REDIRECT_STATUSES = (301, 302, 303, 307, 308)
HTML_TYPES = ("text/html", "application/xhtml+xml")
OTHER_TEXT_TYPES = ("application/json", "application/xml", "application/rss+xml", "application/atom+xml")
MAX_SHOWN_ADDRESS_CHARACTERS = 200
MAX_ADDRESS_CHARACTERS = 4_000
USER_AGENT = "Retinue (a self-hosted assistant)"
LOCAL_DOMAINS = frozenset({"local", "localhost", "internal", "lan", "home", "corp", "intranet", "arpa"})
RETRY_SECONDS = 900.0  # after a failure that may pass

ResolveName = Callable[[str, int], Awaitable[Sequence[str]]]
JudgeAddress = Callable[[AnyAddress], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchPolicy:
    """What may be fetched. The default is for the internet; a test allows itself its own machine."""

    allowed_networks: tuple[AnyNetwork, ...] = ()  # besides the public internet
    ports: frozenset[int] = frozenset({80, 443})
    domains: DomainRules = ANY_DOMAIN  # also of the addresses that a page leads on to
    max_bytes: int = 2_000_000  # of a page, packed and unpacked
    max_file_bytes: int = 0  # of what is neither a text nor a web page; 0: nothing of that kind is fetched
    max_redirects: int = 5
    seconds: float = 20.0  # for all hops together


DEFAULT_FETCH_POLICY = FetchPolicy()


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedPage:
    address: str  # of the last hop
    media_type: str
    text: str  # of a web page, what people see of it

    @property
    def text_hash(self) -> str:
        return hashlib.sha256(self.text.encode(errors="replace")).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchedFile:
    """What a server sent, unpacked. `charset` is what it said of a text; empty if nothing."""

    address: str  # of the last hop
    media_type: str
    charset: str
    body: bytes

    @property
    def is_text(self) -> bool:
        return is_text_type(self.media_type)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedHop:
    """An address that may be asked, and where: `hosts` are the checked addresses, in the order of trying."""

    url: URL
    hosts: tuple[str, ...]


async def resolve_by_system(host: str, port: int) -> Sequence[str]:
    """Return the addresses of a host. Raise OSError if there are none."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def resolve_numbers(host: str, port: int) -> Sequence[str]:
    """Return the addresses that a host is in numbers, however they are written; none if it is a name. This asks
    nobody."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except (OSError, UnicodeError):
        return []
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class GuardedFetcher:
    """Fetches pages. `fetch` raises FetchError; its `seconds` say when to try again, or None for never."""

    def __init__(
        self,
        network: NetworkAccess = DEFAULT_NETWORK_ACCESS,
        policy: FetchPolicy = DEFAULT_FETCH_POLICY,
        resolve: ResolveName = resolve_by_system,
        is_on_site: JudgeAddress = is_on_site,
    ) -> None:
        self.network = network
        self.policy = policy
        self.resolve = resolve
        self.is_on_site = is_on_site

    async def fetch(self, address: str) -> FetchedPage:
        file = await self.fetch_file(address)
        text = decode_page(file.body, file.charset)
        if file.media_type in HTML_TYPES:
            text = await extract_visible_text(text, shorten_address(address))
        return FetchedPage(address=file.address, media_type=file.media_type, text=text)

    async def fetch_file(self, address: str) -> FetchedFile:
        try:
            async with asyncio.timeout(self.policy.seconds):
                url, media_type, charset, body = await self.follow_redirects(address)
        except TimeoutError:
            host = shorten_address(address)
            raise FetchError(texts.TOO_SLOW(host=host, seconds=self.policy.seconds), seconds=RETRY_SECONDS) from None
        return FetchedFile(address=str(url), media_type=media_type, charset=charset, body=body)

    async def follow_redirects(self, address: str) -> tuple[URL, str, str, bytes]:
        import aiohttp

        url = self.parse_web_address(address)
        session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(ssl=self.network.ssl_context(), force_close=True),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None),  # one timeout is for all hops
            auto_decompress=False,
            trust_env=False,
        )
        async with session:
            for _ in range(self.policy.max_redirects + 1):
                found = await self.ask_one_hop(session, await self.check_hop(url))
                if isinstance(found, tuple):
                    return (url, *found)
                url = self.parse_web_address(str(url.join(self.parse_any_address(found))))
        most = self.policy.max_redirects
        raise FetchError(texts.TOO_MANY_REDIRECTS(most, address=shorten_address(address)))

    def parse_any_address(self, address: str) -> URL:
        from yarl import URL

        try:
            url = URL(address)
            _ = url.port, url.raw_host  # they are read only now, and may be wrong
        except ValueError:
            raise FetchError(texts.NOT_A_WEB_ADDRESS(address=shorten_address(address))) from None
        return url

    def parse_web_address(self, address: str) -> URL:
        """Return the address if its form is allowed. Raise FetchError if not. Its host is not checked yet."""
        shown = shorten_address(address)
        is_strange = any(sign.isspace() or not sign.isprintable() or sign == "\\" for sign in address)
        if is_strange or len(address) > MAX_ADDRESS_CHARACTERS:
            raise FetchError(texts.HAS_STRANGE_CHARACTERS(address=shown))
        url = self.parse_any_address(address)
        if url.scheme not in ("http", "https") or not url.raw_host:
            raise FetchError(texts.NOT_A_WEB_ADDRESS(address=shown))
        if url.raw_user is not None or url.raw_password is not None or "@" in url.raw_authority:
            raise FetchError(texts.HAS_CREDENTIALS(address=shown))
        if url.port not in self.policy.ports:
            ports = ", ".join(map(str, sorted(self.policy.ports)))
            raise FetchError(texts.PORT_NOT_ALLOWED(address=shown, port=url.port, ports=ports))
        if "%" in url.raw_host:  # a zone of this machine
            raise FetchError(texts.HAS_STRANGE_CHARACTERS(address=shown))
        if not self.policy.domains.allows(url.raw_host):
            raise FetchError(texts.DOMAIN_NOT_ALLOWED(host=url.raw_host))
        return url.with_fragment(None)

    def reject_never_fetched(self, address: str) -> None:
        """Raise FetchError if the address can never be fetched, as far as that shows without asking a name server. The
        question about a name that a model has made up could already carry something out."""
        url = self.parse_web_address(address)
        host = url.raw_host or ""
        if is_local_name(host):
            raise FetchError(texts.NOT_PUBLIC(host=host))
        self.reject_unless_allowed(host, resolve_numbers(host, url.port or 0))

    def reject_unless_allowed(self, host: str, found: Sequence[str]) -> None:
        for each in found:
            address = parse_address(each)
            if address is None or not self.is_allowed(address):
                raise FetchError(texts.NOT_PUBLIC(host=host))

    def is_allowed(self, address: AnyAddress) -> bool:
        """Return True if the address is public and leads away from here, or is in a network that the policy allows."""
        is_named = any(address in network for network in self.policy.allowed_networks)
        return is_named or (is_public(address) and not self.is_on_site(address))

    async def check_hop(self, url: URL) -> CheckedHop:
        """Return where a host may be reached. Raise FetchError if one of its addresses is not allowed."""
        return CheckedHop(url=url, hosts=await self.check_host(url.raw_host or "", url.port or 0))

    async def check_host(self, host: str, port: int) -> tuple[str, ...]:
        """Return the checked addresses of a host, in the order of trying; its name, if only the proxy may resolve it.
        Raise FetchError if one of its addresses is not allowed."""
        is_left_to_proxy = bool(self.network.proxy) and self.network.proxy_resolves_names
        try:
            found = await self.resolve(host, port)
        except (OSError, UnicodeError):
            found = []
        if not found and not is_left_to_proxy:
            raise FetchError(texts.NAME_UNKNOWN(host=host), seconds=RETRY_SECONDS)
        if not found and not is_ordinary_name(host):
            raise FetchError(texts.NOT_PUBLIC(host=host))
        self.reject_unless_allowed(host, found)
        return (host,) if is_left_to_proxy else tuple(found)

    async def ask_one_hop(self, session: ClientSession, hop: CheckedHop) -> str | tuple[str, str, bytes]:
        """Return the address that a redirect leads to, or a page: its media type, its charset, its bytes."""
        import aiohttp

        name = hop.url.raw_host or ""
        is_usual = hop.url.is_default_port()
        shown_host = f"[{name}]" if ":" in name else name
        for host in hop.hosts:
            asking = session.get(
                hop.url.with_host(host),
                headers={
                    "Host": shown_host if is_usual else f"{shown_host}:{hop.url.port}",
                    "User-Agent": USER_AGENT,
                    "Accept": ", ".join([*HTML_TYPES, "text/*;q=0.9", "application/json;q=0.8", "*/*;q=0.1"]),
                    "Accept-Encoding": "gzip, deflate",
                },
                allow_redirects=False,
                proxy=self.network.proxy,
                server_hostname=name if hop.url.scheme == "https" else None,
            )
            try:
                async with asking as response:
                    return await self.read_response(response, hop.url)
            except aiohttp.ClientConnectorError:
                continue  # the next address may answer
            except (aiohttp.ClientError, ValueError, OSError):  # ValueError: headers that are none
                raise FetchError(texts.BROKEN_OFF(host=name), seconds=RETRY_SECONDS) from None
        raise FetchError(texts.CANNOT_CONNECT(host=name), seconds=RETRY_SECONDS)

    async def read_response(self, response: ClientResponse, url: URL) -> str | tuple[str, str, bytes]:
        name, shown = url.raw_host or "", shorten_address(str(url))
        if response.status in REDIRECT_STATUSES:
            if "Location" not in response.headers:
                raise FetchError(texts.REDIRECT_WITHOUT_ADDRESS(host=name))
            return response.headers["Location"]
        if response.status != 200:
            raise FetchError(texts.ANSWERED_STATUS(host=name, status=response.status), seconds=RETRY_SECONDS)
        media_type = response.content_type.lower()
        most = self.policy.max_bytes if is_text_type(media_type) else self.policy.max_file_bytes
        if not most:
            raise FetchError(texts.WRONG_TYPE(address=shown, type=media_type))
        encoding = response.headers.get("Content-Encoding", "").strip().lower()
        if encoding not in KNOWN_ENCODINGS:
            raise FetchError(texts.UNKNOWN_ENCODING(host=name, encoding=encoding))
        unpacker = PageUnpacker(encoding, most)
        try:
            if (response.content_length or 0) > most:
                raise PageTooLarge
            async for piece in response.content.iter_any():
                unpacker.feed(piece)
        except PageTooLarge:
            raise FetchError(texts.TOO_LARGE(address=shown, most=most)) from None
        except zlib.error:
            raise FetchError(texts.PACKED_BADLY(host=name)) from None
        return media_type, response.charset or "", unpacker.whole()


def is_text_type(media_type: str) -> bool:
    return media_type.startswith("text/") or media_type in (*HTML_TYPES, *OTHER_TEXT_TYPES)


def is_ordinary_name(host: str) -> bool:
    """Return True if the host may be a public name, for a proxy that resolves names itself: it has a top-level domain
    that is no number, and that no local network uses."""
    *others, last = host.rstrip(".").split(".")
    is_number = last[:1].isdigit() or ":" in host
    return bool(others) and last.isascii() and not is_number and not is_local_name(host)


def is_local_name(host: str) -> bool:
    """Return True if the name is of a domain that only local networks use."""
    return host.rstrip(".").rpartition(".")[2].casefold() in LOCAL_DOMAINS


def shorten_address(address: str) -> str:
    shown = "".join(sign if sign.isprintable() else " " for sign in address)
    return shown if len(shown) <= MAX_SHOWN_ADDRESS_CHARACTERS else f"{shown[:MAX_SHOWN_ADDRESS_CHARACTERS]}…"
