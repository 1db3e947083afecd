"""What a model reads of a server's result."""

import json

import pytest

from bot.core.acts import TrustedValue
from bot.core.errors import ToolError
from bot.core.mcp_settings import TrustedPart
from bot.mcp_client import texts
from bot.mcp_client.results import MAX_ERROR_CHARACTERS, ResultPart, find_trusted_values, read_result
from bot.tools import MAX_RESULT_CHARACTERS
from tests.support.raw_mcp_server import PICTURE


def text(said: str) -> ResultPart:
    return ResultPart(kind="text", text=said)


async def test_texts_are_told_in_order_and_an_empty_result_is_said() -> None:
    assert await read_result([text("one"), text("two")], None, "t", is_error=False) == "one\ntwo"
    assert await read_result([], None, "t", is_error=False) == texts.NO_RESULT_TEXT


@pytest.mark.parametrize("said", ['{"a": 1}', '{"a":1}'])
async def test_a_structured_result_that_a_text_repeats_is_told_once(said: str) -> None:
    assert await read_result([text(said)], {"a": 1}, "t", is_error=False) == said
    assert await read_result([text("7")], {"result": 7}, "t", is_error=False) == "7"
    assert await read_result([text("so")], {"result": "so"}, "t", is_error=False) == "so"


async def test_a_structured_result_besides_other_words_is_told_too() -> None:
    assert await read_result([], {"a": "ü"}, "t", is_error=False) == '{"a": "ü"}'
    both = await read_result([text("see")], {"a": 1}, "t", is_error=False)
    assert both == "see\n" + texts.STRUCTURED_PART(json='{"a": 1}')


async def test_what_cannot_be_shown_is_named() -> None:
    sound = ResultPart(kind="audio", data="x" * 400)
    link = ResultPart(kind="link", name="a\x1b", text="file:///etc/passwd")
    told = str(await read_result([sound, link], None, "t", is_error=False)).splitlines()
    assert told == [
        texts.RESULT_PART_LEFT_OUT(kind="audio", size=300, reason=texts.NOT_SHOWN_HERE),
        texts.RESOURCE_LINK(name="a\\x1b", uri="file:///etc/passwd"),
    ]


async def test_of_several_pictures_one_is_shown() -> None:
    picture = ResultPart(kind="image", data=PICTURE)
    told = str(await read_result([picture, picture], None, "t", is_error=False))
    assert texts.ONE_PICTURE_ONLY in told


async def test_long_results_and_errors_are_cut() -> None:
    told = await read_result([text("x" * 100_000)], None, "t", is_error=False)
    assert len(str(told)) < MAX_RESULT_CHARACTERS + 200
    with pytest.raises(ToolError) as error:
        await read_result([text("x" * 100_000)], None, "t", is_error=True)
    assert len(str(error.value)) < MAX_ERROR_CHARACTERS + 200
    with pytest.raises(ToolError) as error:
        await read_result([], None, "t", is_error=True)
    assert str(error.value) == texts.CALL_FAILED(text=texts.NO_ERROR_TEXT)


async def test_a_text_that_is_nested_without_end_is_told_as_it_is() -> None:
    deep = "[" * 100_000
    told = await read_result([text(deep)], {"a": 1}, "t", is_error=False)
    assert str(told).startswith("[[[")
    assert json.dumps({"a": 1}) not in str(told)[:MAX_RESULT_CHARACTERS]


def test_trusted_values_stand_at_the_declared_paths() -> None:
    mails = [{"from": "a@b", "id": 7, "text": "c@d"}, {"from": "e@f", "id": None}, "no mail"]
    parts = {"mails.from": "address", "mails.id": "id", "mails.none.at": "id", "ok": "flag"}
    declared = {path: [TrustedPart(type=type)] for path, type in parts.items()}
    found = find_trusted_values({"mails": mails, "ok": True}, declared)
    assert found == [TrustedValue("address", "a@b"), TrustedValue("address", "e@f"), TrustedValue("id", "7")]
    assert find_trusted_values(None, declared) == find_trusted_values({"mails": {}}, declared) == []


def test_a_trusted_value_has_the_owners_that_its_own_record_names() -> None:
    paid = [{"sum": 5, "by": "Ann", "to": ["Bob", "Cid"]}, {"sum": 6, "by": None, "in": {"by": "Eve"}}]
    found = find_trusted_values(
        {"by": "Mallory", "paid": paid}, {"paid.sum": [TrustedPart(type="sum", of=("by", "to"))]}
    )
    assert found == [TrustedValue("sum", "5", owner) for owner in ("Ann", "Bob", "Cid")]


def test_a_blank_owner_is_none() -> None:
    paid = [{"sum": 900, "by": each} for each in ("", " ", "\n", "Ann")]
    found = find_trusted_values({"paid": paid}, {"paid.sum": [TrustedPart(type="sum", of=("by",))]})
    assert found == [TrustedValue("sum", "900", "Ann")]


def test_only_the_owners_own_records_are_named_by_half_of_a_name() -> None:
    paid = [
        {"sum": 50, "by": by, "for": name} for by in ("me", "Mallory", None) for name in ("Music Premium", "2024-1")
    ]
    paid.append({"sum": 9, "by": "me", "for": "Store: a (new) 3GS"})
    own = TrustedPart(type="sum", own={"by": "me"}, of=("for",))
    found = find_trusted_values({"paid": paid, "by": "me"}, {"paid.sum": [own]})
    halves = {
        ("50", "Music"),
        ("50", "Premium"),
        ("50", "2024-1"),
        ("9", "Store: a"),
        ("9", "a (new"),
        ("9", "new) 3GS"),
    }
    assert {(each.value, each.owner) for each in found} == halves


def test_a_place_may_have_several_parts_and_a_record_of_ones_own_needs_no_owner() -> None:
    parts = {
        "sum": [TrustedPart(type="sum", of=("by",)), TrustedPart(type="sum", own={"is_mine": True, "kind": "out"})]
    }
    found = find_trusted_values({"sum": 5, "by": "Ann", "is_mine": True, "kind": "out"}, parts)
    assert found == [TrustedValue("sum", "5", "Ann"), TrustedValue("sum", "5")]
    for others in ({"is_mine": False, "kind": "out"}, {"is_mine": True}, {"kind": "out"}):
        assert find_trusted_values({"sum": 5, **others}, parts) == []
