"""What the API answers about conversations, sub-sessions, delegations, usage and health."""

from typing import Any

import pytest

from tests.web_page.api.api_bench import SECRET, Program, in_path
from tests.web_page.conftest import WRONG


async def conversation_of_ann(talked: Program) -> str:
    return str((await talked.get("/sessions"))["items"][-1]["id"])


async def test_conversations_come_by_pages_without_sub_sessions(talked: Program) -> None:
    first = await talked.get("/sessions", limit=1)
    rest = await talked.get("/sessions", cursor=first["next_cursor"])
    listed: list[dict[str, Any]] = first["items"] + rest["items"]
    assert [each["first_words"] for each in listed] == ["hello", "plan our offsite"]
    assert (listed[1]["chat"], listed[1]["turns"], listed[1]["is_open"]) == ("fake:room", 1, False)
    assert listed[1]["active_at"].endswith("Z")
    assert rest["next_cursor"] is None


async def test_a_search_finds_conversations_by_pages(talked: Program) -> None:
    found = await talked.get("/sessions", query="offsite")
    assert [each["first_words"] for each in found["items"]] == ["plan our offsite"]
    assert (await talked.get("/sessions", query="xylophone")) == {"items": [], "next_cursor": None}
    of_both = await talked.get("/sessions", query="hello", limit=1)
    assert of_both["next_cursor"] is None


async def test_a_session_says_which_sub_sessions_it_has_begun(talked: Program) -> None:
    conversation = await conversation_of_ann(talked)
    assert (await talked.get(f"/sessions/{in_path(conversation)}"))["kind"] == "conversation"
    first = await talked.get(f"/sessions/{in_path(conversation)}/sub-sessions", limit=1)
    rest = await talked.get(f"/sessions/{in_path(conversation)}/sub-sessions", cursor=first["next_cursor"])
    below = first["items"] + rest["items"]
    expected = {"kind": "sub-session", "parent": conversation, "status": "completed", "turns": 1}
    assert [(each["role"], each["task"]) for each in below] == [
        ("researcher", "researcher's part"),
        ("analyst", "analyst's part"),
    ]
    assert all(expected.items() <= each.items() for each in below)
    assert (await talked.get(f"/sessions/{in_path(below[0]['id'])}")) == below[0]


async def test_a_transcript_comes_by_pages_and_without_secrets(talked: Program) -> None:
    path = f"/sessions/{in_path(await conversation_of_ann(talked))}/transcript"
    entries, cursor = list[Any](), dict[str, str]()
    while True:
        page = await talked.get(path, limit=1, **cursor)
        entries += page["items"]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert entries == (await talked.get(path))["items"]
    authors = [each["author"] for each in entries]
    assert authors == ["user", "assistant", "user", "assistant"]
    assert [block["name"] for block in entries[1]["blocks"]] == ["delegate", "delegate"]
    assert entries[-1]["blocks"][0]["text"].startswith("all in all █")
    assert SECRET not in str(entries)


async def test_a_delegation_has_its_report_place_and_cost(talked: Program) -> None:
    listed = (await talked.get("/delegations"))["items"]
    assert [each["role"] for each in listed] == ["analyst", "researcher"]
    found = await talked.get(f"/delegations/{in_path(listed[1]['id'])}")
    assert found == {**listed[1], "report": "found the mill", "delegations": []}
    assert (found["conversation"], found["parent"]) == (await conversation_of_ann(talked), None)
    assert (found["person"], found["status"], found["tokens"]) == ("Ann", "completed", {"input": 1_000, "output": 100})
    assert 0 < found["cost_usd"] < 0.01
    assert (await talked.get("/delegations", at_work="true"))["items"] == []


async def test_usage_is_told_by_what_it_was_spent_on(talked: Program) -> None:
    names = {
        "role": ["lead", "analyst", "researcher"],
        "person": ["Ann", "Bob"],
        "chat": ["fake:room", "fake:attic"],
        "model": ["claude-sonnet-5-5", "claude-haiku-5-5"],
    }
    [today] = (await talked.get("/usage", days=1))["items"]
    for by, expected in names.items():
        found = (await talked.get("/usage", by=by))["items"]
        assert [each["name"] for each in found] == expected
        assert sum(each["cost_usd"] for each in found) == pytest.approx(today["cost_usd"])
        assert sum(each["tokens"] for each in found) == today["tokens"] == 5_500


async def test_health_names_what_is_wrong_and_its_remedy(talked: Program) -> None:
    found = await talked.get("/health")
    assert (found["status"], found["is_running"]) == ("wrong", False)
    assert found["findings"][0] == {"state": "wrong", "text": WRONG.text, "remedy": WRONG.remedy}


async def test_an_unknown_id_is_not_found(talked: Program) -> None:
    for path in (
        "/sessions/x",
        "/sessions/x/transcript",
        "/sessions/x/sub-sessions",
        "/delegations/x",
        "/delegations/t1",
    ):
        assert await talked.status(path) == 404


async def test_before_a_bot_has_run_everything_is_empty(program: Program) -> None:
    for path in ("/sessions", "/delegations", "/usage", "/usage?by=role"):
        assert (await program.get(path))["items"] == []
    assert await program.status("/sessions/x") == 404
