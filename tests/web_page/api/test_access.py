"""Who may ask the API for what: tokens and scopes, and what stays apart from the page."""

from bot.ops.client_tokens import MAX_WRONG_TOKENS
from tests.support.bench import Bench
from tests.web_page.api.api_bench import TOKENS, Program
from tests.web_page.conftest import serve_page

PATHS = ("/sessions", "/sessions/x", "/sessions/x/sub-sessions", "/sessions/x/transcript", "/usage", "/health")
OWN_PATHS = ("/delegations", "/delegations/x", "/roles")
BEARER = f"Bearer {TOKENS['tool']}"


async def test_without_a_token_nothing_is_told(program: Program) -> None:
    answers = [await program.http.get(f"/v1{path}") for path in (*PATHS, *OWN_PATHS)]
    wrong = ("Bearer wrong", f"Basic {TOKENS['tool']}", TOKENS["tool"], BEARER[:-1])
    answers += [await program.http.get("/v1/sessions", headers={"authorization": each}) for each in wrong]
    for answer in answers:
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert answer.headers["content-type"] == "application/problem+json"


async def test_a_client_without_scopes_may_nothing(program: Program) -> None:
    for path in (*PATHS, *OWN_PATHS):
        answer = await program.ask(path, "nobody")
        assert answer.status_code == 403
        assert 'error="insufficient_scope"' in answer.headers["www-authenticate"]


async def test_who_may_delegate_may_not_read_what_others_do(program: Program) -> None:
    assert {await program.status(path, "editor") for path in PATHS} == {403}


async def test_who_may_read_may_not_delegate(program: Program) -> None:
    assert await program.status("/roles") == 403
    assert await program.status("/delegations/x/cancel", method="POST") == 403
    assert await program.status("/delegations", method="POST", json={"role": "writer", "task": "write"}) == 403


async def test_a_token_in_an_address_or_a_cookie_opens_nothing(program: Program) -> None:
    token = TOKENS["tool"]
    for query in (f"?token={token}", f"?access_token={token}", f"?Authorization=Bearer%20{token}"):
        assert (await program.http.get(f"/v1/sessions{query}")).status_code == 401
    assert (await program.http.get("/v1/sessions", headers={"cookie": f"token={token}"})).status_code == 401


async def test_the_cookie_of_the_page_does_not_open_the_api(program: Program) -> None:
    cookie = "; ".join(f"{name}={value}" for name, value in program.page_cookies.items())
    assert (await program.http.get("/", headers={"cookie": cookie})).status_code == 200
    assert (await program.http.get("/v1/sessions", headers={"cookie": cookie})).status_code == 401


async def test_a_token_does_not_open_the_page(program: Program) -> None:
    assert (await program.http.get("/", headers={"authorization": BEARER})).status_code == 303


async def test_many_wrong_tokens_are_told_to_wait_and_lock_nobody_out(program: Program) -> None:
    wrong = {"authorization": "Bearer wrong"}
    tries = [await program.http.get("/v1/usage", headers=wrong) for _ in range(MAX_WRONG_TOKENS + 1)]
    assert [each.status_code for each in tries] == [401] * MAX_WRONG_TOKENS + [429]
    assert int(tries[-1].headers["retry-after"]) > 0
    assert await program.status("/usage") == 200  # behind a proxy, it comes from the same address


async def test_pages_of_others_are_refused_even_with_a_token(program: Program) -> None:
    evil = "https://evil.example"
    for headers in ({"host": "evil.example"}, {"origin": evil}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}):
        assert await program.status("/sessions", headers=headers) == 403


async def test_no_answer_lets_other_sites_read_it(program: Program) -> None:
    preflight = {"origin": program.origin, "access-control-request-method": "GET"}
    for answer in (
        await program.ask("/sessions"),
        await program.http.options("/v1/sessions", headers=preflight),
        await program.http.get("/v1/openapi.json"),
    ):
        assert not [name for name in answer.headers if name.startswith("access-control")]
        assert answer.headers["cache-control"] == "no-store"


async def test_a_page_without_clients_has_no_api(bench: Bench) -> None:
    async with serve_page(bench) as visitor:
        for path in ("/v1/sessions", "/v1/openapi.json"):
            assert (await visitor.get(path, authorization=BEARER)).status_code == 404
