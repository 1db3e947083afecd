"""Delegations by the API: they begin, end and are cancelled as those of `retinue mcp` do."""

from collections.abc import AsyncIterator

import pytest

from bot.ops.control.delegations import RunningBot
from tests.support.bench import Bench
from tests.support.client_bench import VERSION, running_for_clients
from tests.support.fakes import Pause
from tests.web_page.api.api_bench import Program, in_path, serve_api

ORDER = {"role": "writer", "task": "write it", "context": "rain", "max_tokens": 50_000}


@pytest.fixture
async def program(bench: Bench) -> AsyncIterator[Program]:
    """A program beside a bot that runs."""
    async with running_for_clients(bench), serve_api(bench) as program:
        yield program


async def ended(program: Program, bench: Bench, id: str) -> dict[str, object]:
    """Wait until a delegation has ended, and return it."""
    await RunningBot(bench.data, VERSION).ask("follow", "editor", id=id)
    return dict(await program.get(f"/delegations/{id}", "editor"))


async def test_a_delegation_begins_and_its_report_comes(program: Program, bench: Bench) -> None:
    bench.model.says("writer", "written")
    answer = await program.ask("/delegations", "editor", method="POST", json=ORDER)
    assert answer.status_code == 201
    begun = answer.json()
    assert answer.headers["location"] == f"/v1/delegations/{begun['id']}"
    assert (begun["role"], begun["task"], begun["person"], begun["report"]) == ("writer", "write it", "editor", "")
    found = await ended(program, bench, begun["id"])
    assert (found["status"], found["report"]) == ("completed", "written")
    assert "rain" in str(bench.model.heard("writer"))


async def test_the_same_key_begins_one_delegation(program: Program, bench: Bench) -> None:
    bench.model.says("writer", "written")
    orders = [
        (await program.ask("/delegations", "editor", method="POST", json={**ORDER, "key": "one"})).json()["id"]
        for _ in range(2)
    ]
    assert orders[0] == orders[1]
    assert len((await program.get("/delegations", "editor"))["items"]) == 1


async def test_each_client_sees_and_cancels_its_own_alone(program: Program, bench: Bench) -> None:
    bench.model.says("writer", Pause())
    id = (await program.ask("/delegations", "editor", method="POST", json=ORDER)).json()["id"]
    assert (await program.get("/delegations", "script"))["items"] == []
    assert await program.status(f"/delegations/{id}", "script") == 404
    assert await program.status(f"/delegations/{id}/cancel", "script", method="POST") == 404
    of_operator = await program.get("/delegations", at_work="true")
    assert [each["id"] for each in of_operator["items"]] == [id]
    cancelled = await program.ask(f"/delegations/{id}/cancel", "editor", method="POST")
    assert cancelled.status_code == 200
    assert (await ended(program, bench, id))["status"] == "cancelled"


async def test_the_session_of_a_delegation_has_no_parent(program: Program, bench: Bench) -> None:
    bench.model.says("writer", "written")
    begun = (await program.ask("/delegations", "editor", method="POST", json=ORDER)).json()
    session = await program.get(f"/sessions/{in_path(begun['session'])}")
    assert (session["kind"], session["parent"], session["delegation"]) == ("sub-session", None, begun["id"])


async def test_what_the_bot_refuses_is_told(program: Program) -> None:
    answer = await program.ask("/delegations", "editor", method="POST", json={**ORDER, "role": "plumber"})
    assert (answer.status_code, "researcher" in answer.json()["detail"]) == (409, True)


async def test_the_roles_are_those_that_may_work_for_the_client(program: Program) -> None:
    roles = (await program.get("/roles", "editor"))["items"]
    assert [role["name"] for role in roles] == ["analyst", "researcher", "writer"]


async def test_while_no_bot_runs_only_reading_works(bench: Bench) -> None:
    bench.model.says("writer", "written")
    async with running_for_clients(bench), serve_api(bench) as program:
        id = (await program.ask("/delegations", "editor", method="POST", json=ORDER)).json()["id"]
        await ended(program, bench, id)
    async with serve_api(bench, patience_seconds=0.05) as program:
        assert (await program.get(f"/delegations/{id}", "editor"))["report"] == "written"
        for path, method in (("/delegations", "POST"), (f"/delegations/{id}/cancel", "POST"), ("/roles", "GET")):
            answer = await program.ask(path, "editor", method=method, json=ORDER)
            assert (answer.status_code, int(answer.headers["retry-after"]) > 0) == (503, True)
