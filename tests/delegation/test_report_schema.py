"""`output_format`: what a report is to look like; a JSON Schema is checked, and a miss corrected once."""

import json
from typing import Any

import pytest

from bot.core.content_blocks import text_block
from bot.core.model import StopReason
from bot.core.prices import Micros, Usage
from bot.core.texts import model
from bot.delegation import report_schema, texts
from bot.delegation.report_schema.texts import FLAWS, UNJUDGED
from tests.support.bench import WORKERS, Bench
from tests.support.delegation_calls import delegations, heard, results, says
from tests.support.engine_options import engine_options, limits_with
from tests.support.fakes import Pause, delegates, failing, last_text, reply, role, uses

RESEARCHER = WORKERS[0]
SCHEMA = {"type": "object", "required": ["price"], "properties": {"price": {"type": "integer"}}}
GOOD, BAD = '{"price": 5}', '{"price": "five"}'
LOOK = {"role": "researcher", "task": "look"}
FLAW = "$.price: 'five' is not of type 'integer'"
MISFIT = model.MISFIT_WITH_FLAW(flaw=FLAW)


async def look(bench: Bench, form: object = SCHEMA, **settings: Any) -> tuple[str, bool]:
    [heard] = await results(bench, uses("delegate", **LOOK, output_format=form), **settings)
    return heard


def brief(bench: Bench) -> str:
    """What the role was told first."""
    return str(bench.model.asked("researcher")[0].transcript[0].content[1]["text"])


# What it is told


@pytest.mark.parametrize("form", [SCHEMA, json.dumps(SCHEMA)], ids=["an object", "a text that is one"])
async def test_a_role_is_told_the_schema_that_its_report_is_to_fit(bench: Bench, form: object) -> None:
    bench.model.says("researcher", GOOD)
    assert (await look(bench, form))[0].endswith(f"· $0.00\n[Researcher]: {GOOD}")
    told = model.REPORT_FITS_SCHEMA
    assert brief(bench) == f"look\n\n<report>\n{told}\n{json.dumps(SCHEMA)}\n</report>"


async def test_words_for_a_form_are_told_and_not_checked(bench: Bench) -> None:
    bench.model.says("researcher", "no table")
    assert (await look(bench, "a table"))[0].endswith("· $0.00\n[Researcher]: no table")
    told = model.REPORT_LOOKS_LIKE
    assert brief(bench) == f"look\n\n<report>\n{told}\na table\n</report>"


@pytest.mark.parametrize("form", ["text", "", None, {}])
async def test_text_is_what_a_report_is_anyway(bench: Bench, form: object) -> None:
    bench.model.says("researcher", "found")
    assert (await look(bench, form))[0].endswith("[Researcher]: found")
    assert brief(bench) == "look"


@pytest.mark.parametrize(
    ("form", "error"),
    [
        (["price"], texts.NOT_AN_OUTPUT_FORMAT),
        (5, texts.NOT_AN_OUTPUT_FORMAT),
        ({"type": "objekt"}, "$.type: 'objekt' is not valid under any of the given schemas"),
        ({"required": "price"}, "$.required: 'price' is not of type 'array'"),
        ('{"type": "object"', FLAWS["no JSON"](detail="Expecting ',' delimiter: line 1 column 18 (char 17)")),
        ('{"pattern": "("}', "$.pattern: '(' is not a 'regex'"),
        ({"items": {"$ref": "#/$defs/price"}, "$defs": {}}, FLAWS["no reference"](detail="#/$defs/price")),
        ({"$ref": "http://127.0.0.1:9/schema"}, FLAWS["no reference"](detail="http://127.0.0.1:9/schema")),
    ],
)
async def test_an_invalid_schema_is_told_before_anything_begins(bench: Bench, form: object, error: str) -> None:
    said, is_error = await look(bench, form)
    unusable = texts.NOT_A_SCHEMA(flaw=error)
    assert said == (error if isinstance(form, list | int) else unusable)
    assert is_error
    assert delegations(bench, "id") == []


# The check


async def test_a_report_that_does_not_fit_is_corrected_once_by_the_role_itself(bench: Bench) -> None:
    bench.model.says("researcher", BAD, GOOD)
    said, is_error = await look(bench)
    assert (said.split("\n")[1], is_error) == (f"[Researcher]: {GOOD}", False)
    assert said.startswith("delegation t1/2/0 · completed · ")
    first, second = bench.model.asked("researcher")
    assert list(second.transcript[: len(first.transcript)]) == list(first.transcript)
    assert last_text(second) == model.CORRECT_REPORT(flaw=FLAW)
    assert second.may_call_tools


async def test_a_miss_keeps_the_work_and_says_so(bench: Bench) -> None:
    bench.model.says("researcher", "five, I think", BAD)
    said, is_error = await look(bench)
    assert (said.split("\n")[1], is_error) == (f"[Researcher]: {BAD}", False)
    assert said.startswith(f"delegation t1/2/0 · completed ({MISFIT}) · ")
    assert len(bench.model.asked("researcher")) == 2


async def test_the_correction_may_look_again_and_is_still_the_only_one(bench: Bench) -> None:
    bench.model.says("researcher", BAD, reply(uses("read")), BAD)
    said, _ = await look(bench)
    assert said.startswith(f"delegation t1/2/0 · completed ({MISFIT}) · ")
    assert heard(bench, "researcher") == [("read", False)]


@pytest.mark.parametrize(
    "report", [f"```json\n{GOOD}\n```", f"\n```\n{GOOD}\n```  \n", f"  {GOOD}\n"], ids=["json", "bare", "spaces"]
)
async def test_a_fence_round_the_json_is_no_fault(bench: Bench, report: str) -> None:
    bench.model.says("researcher", report)
    assert (await look(bench))[0].startswith("delegation t1/2/0 · completed · ")


@pytest.mark.parametrize(
    ("report", "flaw"),
    [
        (f"Here it is: {GOOD}", FLAWS["no JSON"](detail="Expecting value: line 1 column 1 (char 0)")),
        ("[]", "$: [] is not of type 'object'"),
        ("{}", "$: 'price' is a required property"),
        ('{"price": NaN}', FLAWS["no number"](detail="NaN")),
        (json.dumps({"price": "x" * 1_000}), f"$.price: '{'x' * 99} … {'x' * 74}' is not of type 'integer'"),
    ],
)
async def test_a_flaw_is_told_with_its_place_and_in_short(bench: Bench, report: str, flaw: str) -> None:
    assert await report_schema.find_report_flaw(json.dumps(SCHEMA), report) == flaw


async def test_references_within_a_schema_and_to_published_ones_are_followed(bench: Bench) -> None:
    published = "https://json-schema.org/draft/2020-12/schema"
    form = {"items": {"$ref": "#/$defs/price"}, "$defs": {"price": {"type": "integer"}}, "if": {"$ref": published}}
    bench.model.says("researcher", '["five"]', "[5]")
    assert (await look(bench, form))[0].endswith("[Researcher]: [5]")


async def test_a_report_that_was_cut_off_is_a_miss_too(bench: Bench) -> None:
    bench.model.says("researcher", reply(text_block('{"price": '), stop=StopReason.LENGTH), GOOD)
    assert (await look(bench))[0].startswith("delegation t1/2/0 · completed · ")


async def test_a_role_at_its_limit_is_not_corrected_and_the_miss_is_said(bench: Bench) -> None:
    bench.roles[RESEARCHER] = role("researcher", "read", limits=limits_with(iterations=1))
    bench.model.says("researcher", reply(uses("read"), usage=Usage(output=10)), BAD)
    said, _ = await look(bench)
    assert said.startswith(f"delegation t1/2/0 · budget (the limit of 1 step is reached; {MISFIT}) · ")


@pytest.mark.parametrize("then", [[failing], [reply(), reply()]], ids=["fails", "is empty"])
async def test_a_fruitless_correction_keeps_the_report_and_says_so(bench: Bench, then: list[Any]) -> None:
    bench.model.says("researcher", reply(uses("read"), text_block("I look first.")), BAD, *then)
    said, is_error = await look(bench)
    assert said.startswith(f"delegation t1/2/0 · completed ({MISFIT}) · ")
    assert (said.splitlines()[1:], is_error) == ([f"[Researcher]: {BAD}"], False)


async def test_an_unaffordable_correction_keeps_the_report_and_says_so(bench: Bench) -> None:
    bench.model.says("lead", reply(uses("delegate", **LOOK, output_format=SCHEMA)))
    dear = reply(text_block(BAD), usage=Usage(output=60_000))
    bench.model.says("researcher", reply(uses("read"), text_block("I look first.")), dear)
    settings = engine_options(turn=limits_with(cost=Micros(150_000)), model__roles="claude-sonnet-5-5")
    async with bench.run(**settings):
        await says(bench, "go")  # nothing is left for the lead either
    [(result,)] = bench.rows("SELECT result FROM calls WHERE id = 't1/2/0'")
    facts, report = result.splitlines()
    assert facts.startswith("delegation t1/2/0 · budget (")
    assert MISFIT in facts
    assert report == f"[Researcher]: {BAD}"


async def test_a_correction_is_no_step(bench: Bench) -> None:
    bench.roles[RESEARCHER] = role("researcher", "read", limits=limits_with(iterations=1))
    bench.model.says("researcher", BAD, GOOD)
    said, _ = await look(bench)
    assert said.startswith("delegation t1/2/0 · completed · ")
    assert said.endswith(f"[Researcher]: {GOOD}")


async def test_each_continued_delegation_has_its_own_form_and_correction(bench: Bench) -> None:
    bench.model.says("lead", delegates("researcher"), "it is found")
    bench.model.says("researcher", "found", BAD, GOOD, BAD, GOOD, "in words")
    async with bench.run():
        await says(bench, "go")
    again = {"task": "look again", "continue_from": "t1/2/0"}
    for _ in range(2):
        [(said, _)] = await results(bench, uses("delegate", **again, output_format=SCHEMA))
        assert said.endswith(f"· $0.00\n[Researcher]: {GOOD}")
    [(said, _)] = await results(bench, uses("delegate", **again))
    assert said.endswith("· $0.00\n[Researcher]: in words")


async def test_a_background_report_is_checked_as_well(bench: Bench) -> None:
    call = uses("delegate", **LOOK, output_format=SCHEMA, background=True)
    bench.model.says("lead", reply(call), "begun", "found")
    bench.model.says("researcher", BAD, BAD)
    async with bench.run():
        bench.chat.hears("go")
        assert [await bench.chat.said() for _ in range(2)] == ["begun", "found"]
    assert f"completed ({MISFIT})" in last_text(bench.model.asked("lead")[-1])


async def test_a_correction_is_made_once_though_the_process_dies_at_it(bench: Bench) -> None:
    pause = Pause()
    bench.model.says("lead", reply(uses("delegate", **LOOK, output_format=SCHEMA)), "done")
    bench.model.says("researcher", BAD, pause, BAD)
    async with bench.run():
        bench.chat.hears("go")
        await pause.reached.wait()
        bench.crashes()
    async with bench.run():
        assert await bench.chat.said() == "done"
    assert heard(bench)[0][0].startswith(f"delegation t1/2/0 · completed ({MISFIT}) · ")
    assert len([entry for entry in bench.model.asked("researcher")[-1].transcript if entry.role == "user"]) == 2


# What has no verdict


@pytest.mark.parametrize(
    ("schema", "report", "why"),
    [
        ({"$ref": "#"}, "1", UNJUDGED["circle"]),
        ({"$id": "x:y", "$ref": "http://127.0.0.1:9/z"}, "1", UNJUDGED["no reference"](detail="http://127.0.0.1:9/z")),
        ({"type": "array"}, "[" * 50_000, UNJUDGED["circle"]),
    ],
    ids=["a circle", "fetched from nowhere", "too deep"],
)
async def test_an_uncheckable_report_is_kept_and_says_so(
    bench: Bench, schema: dict[str, Any], report: str, why: str
) -> None:
    bench.model.says("researcher", report)
    said, is_error = await look(bench, schema)
    unknown = model.FIT_UNKNOWN(reason=why)
    assert (said.startswith(f"delegation t1/2/0 · completed ({unknown}) · "), is_error) == (True, False)


async def test_a_pattern_without_an_end_holds_up_nobody_for_long() -> None:
    with pytest.raises(report_schema.NoVerdict, match=model.CHECK_TOO_SLOW(seconds=1)):
        await report_schema.find_report_flaw(json.dumps({"pattern": "^(a+)+$"}), json.dumps(f"{'a' * 60}b"), seconds=1)
