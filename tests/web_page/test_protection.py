"""Requests that the page does not answer, and what it tells every browser."""

import httpx
import pytest
from starlette.types import Message, Receive, Scope, Send

from bot.web_page import texts
from bot.web_page.protection import Protection
from tests.web_page.conftest import Visitor

FOREIGN = "http://evil.example"
REFUSED = {
    "a name of somebody else that points here": {"host": "evil.example"},
    "the right name with another port": {"host": "127.0.0.1:1"},
    "a request by another site": {"origin": FOREIGN},
    "a page without an origin, such as a sandboxed frame": {"origin": "null"},
    "a picture or script in another site": {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"},
    "a program at another port of this machine": {"sec-fetch-site": "same-site", "sec-fetch-mode": "cors"},
    "a frame in another site": {
        "sec-fetch-site": "cross-site",
        "sec-fetch-mode": "navigate",
        "sec-fetch-dest": "iframe",
    },
}


@pytest.mark.parametrize("path", ["/", "/login", "/conversations/a/events", "/static/page.css", "/nothing"])
@pytest.mark.parametrize("headers", REFUSED.values(), ids=REFUSED)
async def test_foreign_requests_are_refused_everywhere(visitor: Visitor, headers: dict[str, str], path: str) -> None:
    assert (await visitor.get(path, **headers)).status_code == 403


async def test_own_requests_and_typed_addresses_are_answered(visitor: Visitor) -> None:
    assert (await visitor.get("/", origin=visitor.origin)).status_code == 200
    assert (await visitor.get("/", **{"sec-fetch-site": "none"})).status_code == 200


async def test_a_link_of_another_site_opens_the_page(visitor: Visitor) -> None:
    link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    assert (await visitor.get("/", **link)).status_code == 200  # a browser leaves out the cookie, which is strict


@pytest.mark.parametrize("path", ["/login", "/logout"])
@pytest.mark.parametrize("origin", [None, "null", FOREIGN])
async def test_forms_come_only_from_the_page(visitor: Visitor, path: str, origin: str | None) -> None:
    headers = {"origin": origin} if origin else {}
    answer = await visitor.client.post(path, data={"code": visitor.logins.make_code()}, headers=headers)
    assert (answer.status_code, "set-cookie" in answer.headers) == (403, False)


async def test_every_answer_tells_the_browser_to_load_nothing_from_elsewhere(visitor: Visitor) -> None:
    answers: list[httpx.Response] = [
        await visitor.get("/"),
        await visitor.get("/nothing"),
        await visitor.get("/static/page.js"),
        await visitor.get("/", host="evil.example"),
    ]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; ")
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"


async def test_a_refusal_says_why(visitor: Visitor) -> None:
    assert (await visitor.get("/", host="evil.example")).text == texts.FOREIGN_HOST()
    assert (await visitor.get("/", origin=FOREIGN)).text == texts.FOREIGN_ORIGIN()


async def test_no_web_socket_is_let_in(visitor: Visitor) -> None:
    sent = list[Message]()

    async def receive() -> Message:
        raise AssertionError("nothing is asked")

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        raise AssertionError("it was let in")

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "websocket", "headers": [(b"host", visitor.origin.partition("://")[2].encode())]}
    await Protection(app, [visitor.origin])(scope, receive, send)
    assert sent == [{"type": "websocket.close"}]
