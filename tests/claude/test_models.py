"""Every Claude can be asked, and its money is capped, whether it is in the table or not; of others it is said."""

import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.assembly import claude_backend
from bot.config import Config, LoadedConfig
from bot.config.resolved_settings import resolve_settings, unpriced_models_warning
from bot.core import prices
from bot.core.prices import (
    DEAREST_CARD_BY_FAMILY,
    MICROS_PER_WEB_SEARCH,
    PRICING_BY_MODEL,
    Micros,
    PricingAndSizes,
    Usage,
    canonical_model_id,
    cost_of_usage,
    find_pricing,
    make_price_card,
)
from bot.core.prompt_prefix import EFFORTS
from bot.core.settings import ModelSettings, Settings
from bot.models.claude.model_checks import check_models_at_server
from bot.models.claude.operator_texts import SET_EFFORT
from bot.models.claude.traits import UNLISTED_CLAUDE_TRAITS, traits_from_table
from tests.stand_ins.claude import ClaudeStandIn, ToolUse, reply
from tests.stand_ins.claude.models import MODELS, card_of
from tests.support.bench import UNSHARED
from tests.support.claude_bot import Talk, talk
from tests.support.engine_options import engine_options

USUAL_EFFORT = ModelSettings().effort

__all__ = ["talk"]

LOOKS = reply("I look.", ToolUse("read", {"path": "a"}))
deprecated = pytest.mark.filterwarnings("ignore:The model '.*' is deprecated:DeprecationWarning")


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("claude-haiku-4-5-20251001", "claude-haiku-4-5"),
        ("claude-haiku-4-5@20251001", "claude-haiku-4-5"),
        ("claude-sonnet-5-5-latest", "claude-sonnet-5-5"),
        ("anthropic/claude-sonnet-5.5", "claude-sonnet-5-5"),
        ("openrouter/anthropic/claude-opus-4.5:beta", "claude-opus-4-5"),
        ("us.anthropic.claude-sonnet-4-6-20260115-v1:0", "claude-sonnet-4-6"),
        ("Claude-Opus-5-5", "claude-opus-5-5"),
        ("some/local-model", "some/local-model"),
    ],
)
def test_dates_and_vendors_are_no_part_of_a_models_name(model: str, name: str) -> None:
    assert canonical_model_id(model) == name
    assert find_pricing(model) == PRICING_BY_MODEL.get(name)


@pytest.mark.parametrize("family", DEAREST_CARD_BY_FAMILY)
def test_an_unlisted_claude_costs_as_much_as_the_dearest_of_its_family(family: str) -> None:
    unknown = find_pricing(f"claude-{family}-9-9")
    assert unknown is not None
    known = [each.card for name, each in PRICING_BY_MODEL.items() if family in name]
    known += [
        each.long_prompt_card for name, each in PRICING_BY_MODEL.items() if family in name and each.long_prompt_card
    ]
    usage = Usage(input=7, output=5, cache_read=3, cache_write_5m=2, cache_write_1h=1)
    assert unknown.card.cost_of(usage) >= max((each.cost_of(usage) for each in known), default=0)
    assert unknown.card == DEAREST_CARD_BY_FAMILY[family]


def test_a_claude_of_a_new_family_costs_as_much_as_any() -> None:
    assert cost_of_usage("claude-ode-1", Usage(output=1_000_000)) == max(
        each.output for each in DEAREST_CARD_BY_FAMILY.values()
    )


@deprecated
@pytest.mark.parametrize("model", ["claude-sonnet-4-5", "claude-haiku-4-5-20251001", "claude-ode-1"])
async def test_caps_in_dollars_hold_for_every_claude(talk: Talk, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for dated in ("claude-haiku-4-5-20251001", "claude-ode-1"):
        monkeypatch.setitem(MODELS, dated, replace(card_of("claude-haiku-4-5"), id=dated))
    pricing = find_pricing(model)
    assert pricing
    cap = Micros(4 * pricing.card.worst_case_cost(5_000, 1_024))
    settings = engine_options(model__lead=model, chat_day=cap, day=cap, **UNSHARED)
    talk.server.script.each(LOOKS, reply("done", stop_reason="end_turn"))
    async with talk.run(**settings):
        said = [await talk.ask("go " * 1_000) for _ in range(30)]
    assert "is used up" in said[-1]
    assert cap / 2 < talk.spent() <= cap


@deprecated
@pytest.mark.parametrize("model", MODELS)
async def test_every_model_is_asked_only_for_its_own_features(talk: Talk, model: str) -> None:
    for effort in ("low", "xhigh"):
        async with talk.run(**engine_options(model__lead=model, model__effort=effort)):
            assert (await talk.ask("hello")).endswith("hello")
        body = talk.server.requests[-1].body
        assert "cache_control" in body
        assert ("thinking" in body) is ("adaptive" in card_of(model).thinking)
        named = body.get("output_config", {}).get("effort", card_of(model).effort)
        assert named == (effort if "thinking" in body and effort in card_of(model).efforts else card_of(model).effort)
    talk.server.verify()


@deprecated
async def test_of_a_claude_outside_the_table_the_models_api_tells_what_it_has(talk: Talk) -> None:
    new = replace(card_of("claude-sonnet-5-5"), id="claude-sonnet-9", window=50_000, most_output=9_000)
    MODELS[new.id] = new
    try:
        async with talk.run(**engine_options(model__lead=new.id)):
            await talk.ask("hello")
            await talk.ask("and on")
            pricing = find_pricing(new.id)
    finally:
        del MODELS[new.id]
    assert pricing is not None
    assert (pricing.window_tokens, pricing.most_output_tokens, pricing.card) == (
        50_000,
        9_000,
        DEAREST_CARD_BY_FAMILY["sonnet"],
    )
    first, second = talk.server.requests
    assert [request.body.get("thinking") for request in (first, second)] == [{"type": "adaptive"}] * 2
    assert first.body["output_config"] == {"effort": USUAL_EFFORT}  # whose default it is nobody tells
    assert second.body["max_tokens"] == 9_000
    assert second.billed.read >= first.left > 0
    assert traits_from_table(new.id) == UNLISTED_CLAUDE_TRAITS
    talk.server.verify()


# What the operator sets


def configured(**model: Any) -> Config:
    return Config.model_validate({"model": model})


def test_a_price_that_is_set_caps_a_model_that_is_no_claude() -> None:
    config = configured(lead="qwen", prices={"qwen": {"input": 0.5, "output": 2, "cache_read": 0.05}})
    prices.set_operator_prices_and_forget_sizes(resolve_settings(config).operator_pricing_by_model)
    try:
        usage = Usage(input=1_000_000, output=1_000_000, cache_read=1_000_000, cache_write_1h=1_000_000, searches=1)
        assert cost_of_usage("qwen", usage) == 500_000 + 2_000_000 + 50_000 + 500_000 + MICROS_PER_WEB_SEARCH
        pricing = find_pricing("qwen")
        assert pricing is not None
        assert pricing.window_tokens == config.model.context_tokens
    finally:
        prices.set_operator_prices_and_forget_sizes({})
    assert cost_of_usage("qwen", usage) == 0


def test_a_price_that_is_set_goes_before_the_table() -> None:
    pricing = resolve_settings(
        configured(prices={"claude-haiku-5-5": {"input": 3, "output": 4}})
    ).operator_pricing_by_model
    assert pricing["claude-haiku-5-5"] == PricingAndSizes(card=make_price_card(3, 4, 3), compact_above_tokens=80_000)


def test_models_whose_money_nothing_caps_are_named_and_no_others() -> None:
    config = configured(prices={"priced": {"input": 1, "output": 1}})
    models = ["claude-ode-1", "claude-haiku-5-5", "priced", "qwen"]
    line = unpriced_models_warning(models, config)
    assert "qwen" in line
    assert "model.prices" in line
    assert not any(model in line for model in models[:3])
    assert unpriced_models_warning(models[:3], config) == ""


def test_the_start_says_whose_money_nothing_caps(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folders = {"data_dir": tmp_path / "data", "workspace": tmp_path / "workspace"}
    for models in ({"lead": "qwen"}, {}):
        config = Config.model_validate({"model": {"base_url": "http://127.0.0.1:9", **models}, **folders})
        claude_backend(LoadedConfig(config=config, path=None))
    told = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert told == [unpriced_models_warning(["qwen"], Settings())]


# What doctor says of efforts


@pytest.mark.parametrize(
    ("model", "effort", "is_right"),
    [
        ("claude-sonnet-5-5", "xhigh", True),
        ("claude-opus-4-6", "max", True),
        ("claude-opus-4-6", "xhigh", False),
        ("claude-haiku-4-5", USUAL_EFFORT, True),  # it has none, and none is sent
        ("claude-haiku-4-5", "low", False),
    ],
)
async def test_an_effort_that_a_model_lacks_is_refused(model: str, effort: str, is_right: bool) -> None:
    async with ClaudeStandIn() as server:
        [found] = await check_models_at_server(
            server.api_key,
            server.base_url,
            [model],
            is_anthropic=True,
            efforts={model: {effort, USUAL_EFFORT}},
        )
    assert (found.problem == "", found.is_certain) == (is_right, True)
    assert found.advice == ("" if is_right else SET_EFFORT)
    assert is_right or effort in found.problem


def test_the_table_of_efforts_is_that_of_the_models_api() -> None:
    for name in PRICING_BY_MODEL.keys() & MODELS.keys():
        if traits_from_table(name).has_thinking:
            assert traits_from_table(name).efforts == frozenset(EFFORTS) & set(card_of(name).efforts), name
