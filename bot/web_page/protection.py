"""What every request must show before the page answers, and what every answer tells the browser.

A page on this machine is within reach of every site that its owner visits: a foreign page can send requests here, and
a name of its own can point here. So the page answers only if it is called by its own name, and not at the wish of
another site. The browser tells both, in `Host`, `Origin` and `Sec-Fetch-Site`.
"""

from collections.abc import Callable, Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bot.web_page import texts

READING_METHODS = ("GET", "HEAD")
CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'none'",
        *(f"{kind}-src 'self'" for kind in ("style", "script", "img", "media", "connect")),
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    ]
)
ANSWER_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with `no-referrer` browsers hide the origin of forms, too
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}

Refuse = Callable[[str], Response]


def refuse_in_words(reason: str) -> Response:
    return PlainTextResponse(reason, 403)


class Protection:
    """Middleware that answers foreign requests itself, and adds ANSWER_HEADERS to every answer. `origins` are the
    addresses by which the page may be called, each with its scheme and port. What a browser sends by itself, a cookie,
    changes something only if the request `needs_origin`."""

    def __init__(
        self, app: ASGIApp, origins: Collection[str], refuse: Refuse = refuse_in_words, *, needs_origin: bool = True
    ) -> None:
        self.app = app
        self.refuse = refuse
        self.needs_origin = needs_origin
        self.origins = frozenset(origins)
        self.hosts = frozenset(origin.partition("://")[2] for origin in origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":  # a web socket, which the page has none of
            await send({"type": "websocket.close"})
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in ANSWER_HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        if reason := self.reason_to_refuse(Request(scope)):
            await self.refuse(reason)(scope, receive, send_with_headers)
        else:
            await self.app(scope, receive, send_with_headers)

    def reason_to_refuse(self, request: Request) -> str:
        """Return why the request is refused; an empty text if it is not."""
        headers = request.headers
        if headers.get("host") not in self.hosts:
            return texts.FOREIGN_HOST()
        origin = headers.get("origin")
        if origin is not None and origin not in self.origins:
            return texts.FOREIGN_ORIGIN()
        if request.method not in READING_METHODS and origin is None and self.needs_origin:
            return texts.NO_ORIGIN()  # browsers name it with every form
        return "" if is_own_or_typed(headers) else texts.FOREIGN_ORIGIN()


def is_own_or_typed(headers: Headers) -> bool:
    """Return True if the browser says that the page itself asks, or a person who typed the address or followed a link.
    A link of another site opens the page, but without the cookie of the login, which is `SameSite=Strict`."""
    site = headers.get("sec-fetch-site", "none")
    is_link = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
    return site in ("none", "same-origin") or is_link
