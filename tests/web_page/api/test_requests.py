"""Requests that are not as the description says."""

from typing import Any

from bot.web_page.api.application import MAX_BODY_BYTES
from tests.web_page.api.api_bench import Program

WRONG_QUERIES = (
    *("limit=0", "limit=201", "limit=+7", "limit=7.0", "limit=%207", "limit=1_0", "limit=", "limit=9999999999"),
    *("limit=%D9%A7", "cursor=", "cursor=A", "cursor=-1", "cursor=0000000000000", "query=", "query=" + "x" * 201),
    *("limit=1&limit=2", "unknown=1"),
)
ORDER = {"role": "writer", "task": "write"}


async def test_a_wrong_query_is_refused_with_its_parameter(program: Program) -> None:
    for query in WRONG_QUERIES:
        answer = await program.ask(f"/sessions?{query}")
        assert answer.status_code == 422, query
        [mistake] = answer.json()["mistakes"]
        assert mistake["where"] == f"query.{query.partition('=')[0]}"


async def test_a_switch_is_true_or_false(program: Program) -> None:
    assert [await program.status(f"/delegations?at_work={each}") for each in ("true", "false")] == [200, 200]
    assert {await program.status(f"/delegations?at_work={each}") for each in ("", "yes", "1", "True")} == {422}


async def test_every_cursor_of_the_right_form_is_a_place_in_the_list(program: Program) -> None:
    for cursor in ("0", "zzzzzzzzzzzz"):
        assert await program.status("/sessions", params={"cursor": cursor}) == 200


async def test_a_wrong_body_is_refused_with_its_place(program: Program) -> None:
    bodies: dict[str, Any] = {
        "body.role": {},
        "body.task": {**ORDER, "task": ""},
        "body.context": {**ORDER, "context": 7},
        "body.max_tokens": {**ORDER, "max_tokens": 0},
        "body.max_seconds": {**ORDER, "max_seconds": 1.5},
        "body.key": {**ORDER, "key": "a/b"},
        "body.more": {**ORDER, "more": 1},
        "body": [],
    }
    for where, body in bodies.items():
        answer = await program.ask("/delegations", "editor", method="POST", json=body)
        assert answer.status_code == 422
        assert answer.json()["mistakes"][0]["where"] == where


async def test_what_is_no_json_or_too_much_is_refused(program: Program) -> None:
    for content, media_type, status in (
        (b"{", "application/json", 400),
        (b'{"role": "\\ud800"}', "application/json", 400),
        (b"\xff", "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b"{}", "text/plain", 415),
        (b"{}", "", 415),
        (b" " * (MAX_BODY_BYTES + 1), "application/json", 413),
    ):
        headers = {"content-type": media_type} if media_type else {}
        assert await program.status("/delegations", "editor", method="POST", content=content, headers=headers) == status


async def test_a_wrong_method_is_told_the_right_ones(program: Program) -> None:
    answer = await program.ask("/delegations", method="DELETE")
    assert answer.status_code == 405
    assert set(answer.headers["allow"].split(", ")) == {"GET", "HEAD", "POST"}
    assert (await program.ask("/sessions", method="HEAD")).status_code == 200


async def test_addresses_that_only_begin_alike_are_the_pages(program: Program) -> None:
    for path in ("/v1x/sessions", "/v11"):
        assert (await program.http.get(path)).headers["content-type"].startswith("text/html")


async def test_an_unknown_address_is_a_problem_too(program: Program) -> None:
    for path in ("", "/", "/a%0Ab", "/nothing", "/sessions/", "/usage/", "/delegations/%00/cancel/x", "/sessions/%FF"):
        assert await program.status(path) == 404
