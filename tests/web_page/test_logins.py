"""One-time links, and the cookie that they are exchanged for."""

import asyncio
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.web_page.application import cookie_name
from bot.web_page.logins import CODE_LIFETIME, FAILURE_PERIOD, LOGIN_LIFETIME, MAX_FAILURES, Logins, TooManyFailures
from tests.support.bench import Bench
from tests.web_page.conftest import Visitor, serve_page

PAGES = ("/", "/figures", "/state", "/conversations/a", "/conversations/a/events", "/turns/t1")


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def logins(tmp_path: Path, clock: Clock) -> Logins:
    return Logins(tmp_path, clock)


def test_a_code_logs_in_once(logins: Logins) -> None:
    code = logins.make_code()
    token = logins.redeem_code(code)
    assert token
    assert logins.is_logged_in(token)
    assert logins.redeem_code(code) is None


def test_codes_and_logins_end(logins: Logins, clock: Clock) -> None:
    late = logins.make_code()
    token = logins.redeem_code(logins.make_code())
    assert token
    clock.now += CODE_LIFETIME
    assert logins.redeem_code(late) is None
    clock.now += LOGIN_LIFETIME
    assert not logins.is_logged_in(token)


def test_another_process_sees_codes_and_ends_of_logins(logins: Logins, tmp_path: Path, clock: Clock) -> None:
    token = Logins(tmp_path, clock).redeem_code(logins.make_code())
    assert token
    assert logins.is_logged_in(token)
    Logins(tmp_path, clock).log_everybody_out()
    assert not logins.is_logged_in(token)


def test_after_many_wrong_codes_others_are_refused_and_a_right_one_is_not(logins: Logins, clock: Clock) -> None:
    code = logins.make_code()
    assert [logins.redeem_code(f"wrong {number}") for number in range(MAX_FAILURES)] == [None] * MAX_FAILURES
    clock.now += FAILURE_PERIOD - timedelta(seconds=1)
    with pytest.raises(TooManyFailures):
        logins.redeem_code("another")
    assert logins.redeem_code(code)
    clock.now += timedelta(seconds=1)
    assert logins.redeem_code("another") is None


def test_the_file_holds_no_secret_and_is_the_owners_alone(logins: Logins) -> None:
    code = logins.make_code()
    token = logins.redeem_code(logins.make_code())
    assert token
    kept = logins.path.read_text()
    assert code not in kept
    assert token not in kept
    assert stat.S_IMODE(logins.path.stat().st_mode) == 0o600


def test_a_damaged_file_logs_everybody_out(logins: Logins) -> None:
    token = logins.redeem_code(logins.make_code())
    assert token
    logins.path.write_text("[1, 2")
    assert not logins.is_logged_in(token)
    assert logins.redeem_code(logins.make_code())


@pytest.mark.parametrize("path", PAGES)
async def test_without_a_login_every_page_leads_to_it(visitor: Visitor, path: str) -> None:
    visitor.forget_login()
    answer = await visitor.get(path)
    assert (answer.status_code, answer.headers["location"]) == (303, "/login")


async def test_a_link_shows_a_button_and_only_the_button_uses_it_up(visitor: Visitor) -> None:
    visitor.forget_login()
    code = visitor.logins.make_code()
    for _ in range(2):
        assert code in await visitor.text(f"/login?code={code}")
    own = {"origin": visitor.origin}
    answer = await visitor.client.post("/login", data={"code": code}, headers=own)
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"{cookie_name(visitor.origin)}=")
    assert {"HttpOnly", "Path=/", "SameSite=strict"} <= set(cookie.split("; "))
    assert (await visitor.get("/")).status_code == 200
    assert (await visitor.client.post("/login", data={"code": code}, headers=own)).status_code == 403


async def test_a_login_to_the_page_of_another_bot_leaves_this_one(
    visitor: Visitor, tmp_path_factory: pytest.TempPathFactory
) -> None:
    async with serve_page(Bench(tmp_path_factory.mktemp("other"))) as other:
        visitor.client.cookies.set(cookie_name(other.origin), other.new_token())
        assert (await visitor.get("/")).status_code == 200


async def test_logging_out_ends_the_login_for_good(visitor: Visitor) -> None:
    token = visitor.client.cookies[cookie_name(visitor.origin)]
    await visitor.client.post("/logout", headers={"origin": visitor.origin})
    visitor.client.cookies.set(cookie_name(visitor.origin), token)
    assert (await visitor.get("/")).status_code == 303


async def test_who_goes_while_sending_a_form_leaves_nothing_in_the_log(
    visitor: Visitor, caplog: pytest.LogCaptureFixture
) -> None:
    host = visitor.origin.removeprefix("http://")
    lines = ["POST /login HTTP/1.1", f"Host: {host}", f"Origin: {visitor.origin}", "Content-Length: 9"]
    form = [*lines, "Content-Type: application/x-www-form-urlencoded", "", "code="]
    _, writer = await asyncio.open_connection(*host.split(":"))
    writer.write("\r\n".join(form).encode())
    await writer.drain()
    await visitor.get("/login")  # the page has begun to read the form
    writer.close()
    await visitor.get("/login")
    assert caplog.records == []


async def test_wrong_codes_are_slowed_down_over_the_socket(visitor: Visitor) -> None:
    visitor.forget_login()
    own = {"origin": visitor.origin}
    tries = [await visitor.client.post("/login", data={"code": str(n)}, headers=own) for n in range(MAX_FAILURES + 1)]
    assert [answer.status_code for answer in tries] == [403] * MAX_FAILURES + [429]
