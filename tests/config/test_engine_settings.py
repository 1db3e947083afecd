"""From the settings to the engine: that every key arrives, and what the lead is begun with."""

import json
import re
from dataclasses import fields
from datetime import UTC, datetime
from inspect import get_annotations
from operator import attrgetter
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bot import assembly
from bot.config import Config, LoadedConfig
from bot.config.resolved_settings import models_in_use, resolve_settings
from bot.config.settings import list_setting_keys
from bot.config.time_zone import resolve_time_zone
from bot.config.web_tools import reason_for_no_search, reason_for_no_web
from bot.core import prompt_guidance
from bot.core.errors import ConfigError
from bot.core.limits import DecisionTerms, ResolvedSettings, Timings
from bot.core.messages import RoleName
from bot.core.prices import PriceCard, PricingAndSizes
from bot.core.reply_plan import ResolvedRole
from bot.core.role import Role
from bot.core.settings import Settings
from bot.core.texts import operators
from bot.delegation.rules import DelegationRules
from bot.delegation.tools import delegation_tools
from bot.tools import Tool
from bot.tools.conversations import conversation_tools
from bot.tools.memory import memory_tools
from bot.tools.outgoing_folder import OutgoingFolder
from bot.tools.send_file import send_file_tool
from tests.support.engine_options import DELEGATION_LIMITS

A_DOLLAR = 1_000_000
QWEN = PricingAndSizes(
    card=PriceCard(
        input=A_DOLLAR, output=2 * A_DOLLAR, cache_write_5m=A_DOLLAR, cache_write_1h=A_DOLLAR, cache_read=A_DOLLAR
    ),
    window_tokens=32_000,
)
WORKSPACE = Path("/somewhere/workspace")
ARRIVES: dict[str, tuple[Any, str, Any]] = {  # a key: a value that is not its default, where it goes, as what
    "busy": ("queue", "settings.busy", "queue"),
    "keep_days": (9, "settings.keep_days", 9),
    "long_answer_parts": (4, "settings.long_answer_parts", 4),
    "send_to_other_chats": (True, "settings.send_to_other_chats", True),
    "language": ("de", "settings.language", "de"),
    "search_languages": (("dutch", "english"), "settings.search_languages", ("dutch", "english")),
    "workspace": (WORKSPACE, "resolved_settings.writable_workspace", WORKSPACE),
    "time_zone": ("Asia/Tokyo", "resolved_settings.operator_time_zone", ZoneInfo("Asia/Tokyo")),
    "model.lead": ("a", "settings.model.lead", "a"),
    "model.roles": ("b", "settings.model.roles", "b"),
    "model.effort": ("low", "settings.model.effort", "low"),
    "model.context_tokens": (11, "settings.model.context_tokens", 11),
    "model.fallback.model": ("c", "resolved_settings.fallback_model_name", "fallback/c"),
    "model.max_output_tokens": (5_000, "settings.model.max_output_tokens", 5_000),
    "model.prices": (
        {"qwen": {"input": 1, "output": 2}},
        "resolved_settings.operator_pricing_by_model",
        {"qwen": QWEN},
    ),
    "approvals.enabled": (False, "settings.approvals.enabled", False),
    "approvals.unattended": ("refuse", "settings.approvals.unattended", "refuse"),
    "approvals.timeout_minutes": (3, "settings.approvals.timeout_minutes", 3),
    "approvals.unattended_timeout_minutes": (4, "settings.approvals.unattended_timeout_minutes", 4),
    "limits.turn_iterations": (12, "settings.limits.turn_limits.iterations", 12),
    "limits.turn_tokens": (13, "settings.limits.turn_limits.tokens", 13),
    "limits.turn_usd": (0.25, "settings.limits.turn_limits.cost", 250_000),
    "limits.turn_seconds": (14, "settings.limits.turn_limits.seconds", 14),
    "limits.chat_day_usd": (2.000001, "settings.limits.chat_day_micros", 2_000_001),
    "limits.day_usd": (0.0000001, "settings.limits.day_micros", 1),
    "limits.person_day_percent": (50, "settings.limits.person_day_percent", 50),
    "limits.owner_reserve_percent": (10, "settings.limits.owner_reserve_percent", 10),
    "files.max_megabytes": (1, "settings.files.max_bytes", 2**20),
    "files.chat_megabytes": (2, "settings.files.chat_bytes", 2 * 2**20),
    "swarm.enabled": (False, "settings.swarm.enabled", False),
    "swarm.max_depth": (5, "settings.swarm.max_depth", 5),
    "swarm.max_concurrent": (6, "settings.swarm.max_concurrent", 6),
    "swarm.max_running": (7, "settings.swarm.max_running", 7),
    "swarm.max_per_step": (8, "settings.swarm.max_per_step", 8),
    "swarm.max_iterations": (21, "settings.swarm.default_delegation_limits.iterations", 21),
    "swarm.max_tokens": (22, "settings.swarm.default_delegation_limits.tokens", 22),
    "swarm.timeout_seconds": (23, "settings.swarm.default_delegation_limits.seconds", 23),
    "swarm.max_tokens_cap": (24, "settings.swarm.highest_delegation_limits.tokens", 24),
    "swarm.timeout_seconds_cap": (25, "settings.swarm.highest_delegation_limits.seconds", 25),
    "swarm.max_updates": (0, "settings.swarm.max_updates", 0),
    "swarm.ask_above_usd": (0.5, "settings.swarm.ask_above_micros", 500_000),
    "swarm.allow_adhoc": (False, "settings.swarm.allow_adhoc", False),
    "schedules.per_person": (3, "settings.schedules.per_person", 3),
    "schedules.shortest_minutes": (5, "settings.schedules.shortest_minutes", 5),
    "schedules.run_usd": (0.5, "settings.schedules.run_usd", 0.5),
    "schedules.day_usd": (2.5, "settings.schedules.day_usd", 2.5),
    "swarm.memory_writes": ("shared", "settings.swarm.memory_writes", "shared"),
}
ELSEWHERE = {  # who else reads it; the last has nobody yet
    "the model's client": {
        *("model.api_key", "model.base_url", "model.base_url_is_anthropic", "model.read_timeout_seconds"),
        *("model.fallback.api_key", "model.fallback.base_url", "model.fallback.base_url_is_anthropic"),
    },
    "the transcriber": {
        *("voice.base_url", "voice.api_key", "voice.model", "voice.usd_per_minute", "voice.command"),
        "voice.timeout_seconds",
    },
    "every client": {"network.proxy", "network.ca_file", "network.proxy_resolves_names"},
    "the tools": {
        *("web.enabled", "web.run_here", "web.provider", "web.base_url", "web.api_key", "web.allowed_domains"),
        *("web.blocked_domains", "tools_dir", "tool_packages", "tools_must_load"),
        *("shell.enabled", "shell.max_seconds", "shell.max_processes", "shell.memory_megabytes"),
        *("shell.disk_megabytes", "shell.programs", "shell.hosts"),
    },
    "the MCP client": {"mcp.servers"},
    "the MCP server and who may use it": {"mcp.listen", "mcp.hosts", "clients"},
    "the command": {"$schema", "data_dir", "secrets_dir"},
    "the languages": {"languages_dir"},
    "the skills": {"skills_dir", "trusted_skills"},
    "the roles": {"swarm.roles_dir", "swarm.roles"},
    "the channels and the talk of group chats": {
        *("group_chats.follow_ups", "group_chats.talk_messages", "group_chats.keep_talk_hours"),
    },
    "groups": {"swarm.groups_dir", "swarm.max_group_delegations"},
    "what operators look at": {
        *("logs", "metrics.host", "metrics.port", "metrics.socket"),
        *("web_page.enabled", "web_page.host", "web_page.port", "web_page.public_address"),
    },
}
SECTIONS = {
    "model",
    "model.fallback",
    "swarm",
    "web",
    "limits",
    "files",
    "metrics",
    "voice",
    "shell",
    "network",
    "approvals",
    "schedules",
    "group_chats",
    "mcp",
    "web_page",
}


def with_key(key: str, value: Any) -> Config:
    *above, name = key.split(".")
    values: dict[str, Any] = {name: value}
    for section in reversed(above):
        values = {section: values}
    return Config.model_validate(values)


def part_at(config: Config, where: str) -> Any:
    settings: Settings = config
    terms = DecisionTerms(settings=settings, resolved_settings=resolve_settings(config), now=datetime.now(UTC))
    return attrgetter(where)(terms)


@pytest.mark.parametrize(("key", "value", "where", "there"), [(key, *rest) for key, rest in ARRIVES.items()])
def test_a_key_of_the_config_arrives_in_the_engine(key: str, value: Any, where: str, there: Any) -> None:
    plain = part_at(Config(), where)
    arrived = part_at(with_key(key, value), where)
    assert arrived == there != plain


def test_no_key_is_forgotten() -> None:
    known = {
        key
        for key in list_setting_keys()
        if not key.startswith(("swarm.roles.", "model.prices.", "mcp.servers.", "clients.", "channels"))
    } - SECTIONS
    assert known == ARRIVES.keys() | set().union(*ELSEWHERE.values())


def test_without_a_config_the_engine_has_its_own_defaults() -> None:
    assert Config().model_dump(exclude={"channels"}) == Settings().model_dump()
    resolved = resolve_settings(Config())
    for field in fields(ResolvedSettings):
        # The last two depend on the server.
        if field.name not in (
            "writable_workspace",
            "operator_time_zone",
            "efforts_by_choosable_model",
            "may_substitutes_answer",
        ):
            assert getattr(resolved, field.name) == getattr(ResolvedSettings(), field.name), field.name


@pytest.mark.parametrize("kind", [Timings, ResolvedSettings, DecisionTerms], ids=lambda kind: kind.__name__)
def test_the_engine_declares_no_setting_again(kind: type[Any]) -> None:
    settings = {name for key in list_setting_keys() for name in key.split(".")}
    assert not settings & {field.name for field in fields(kind)}


def test_a_setting_is_declared_in_one_class() -> None:
    assert Config.__bases__ == (Settings,)
    assert get_annotations(Config).keys() == {"channels"}


def test_the_machines_zone_is_found_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    assert resolve_time_zone(None) == ZoneInfo("Europe/Berlin")
    assert resolve_time_zone("Asia/Tokyo") == ZoneInfo("Asia/Tokyo")
    monkeypatch.setenv("TZ", ":/usr/share/zoneinfo/Asia/Tokyo")
    assert resolve_time_zone(None) == ZoneInfo("Asia/Tokyo")
    monkeypatch.setenv("TZ", "CET-1CEST")  # no name: only as it is now
    assert datetime.now(resolve_time_zone(None)).utcoffset() is not None


def test_the_workspace_is_made_unless_nothing_may_be_written(tmp_path: Path) -> None:
    config = with_key("workspace", tmp_path / "new" / "workspace")
    reading = {tool.name for tool in assembly.make_tools_and_workspace_folder(config, may_write=False)}
    assert reading >= {"read_file", "list_dir", "glob", "grep", "web_search", "web_fetch"}
    assert not config.workspace.exists()
    assert {tool.name for tool in assembly.make_tools_and_workspace_folder(config)} - reading == {
        "write_file",
        "edit_file",
    }
    assert config.workspace.is_dir()


def test_a_workspace_that_cannot_be_made_is_a_fault_of_the_config(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "ws"
    said = operators.CANNOT_MAKE_WORKSPACE(folder=folder, reason="Not a directory")
    with pytest.raises(ConfigError, match=f"^{re.escape(said)}"):
        assembly.make_tools_and_workspace_folder(with_key("workspace", folder))


# Whether there is a web


OTHER_SERVER = {"model": {"base_url": "http://127.0.0.1:8080"}}
SEARXNG = {"provider": "searxng", "base_url": "http://127.0.0.1:8888"}
BOTH = {"web_search", "web_fetch"}


def web_tools_of(found: Config) -> tuple[set[str], set[str]]:
    """Return the names of the web tools that the model's server runs, and of those that run here."""
    tools = [tool for tool in assembly.make_tools_and_workspace_folder(found) if tool.name in BOTH]
    served = {tool.name for tool in tools if tool.server_schema}
    return served, {tool.name for tool in tools} - served


@pytest.mark.parametrize(
    ("config", "served", "here"),
    [
        ({}, BOTH, set()),
        ({"model": {"base_url": "https://api.anthropic.com/v1"}}, BOTH, set()),
        ({"model": {"base_url": "http://127.0.0.1:8080", "base_url_is_anthropic": True}}, BOTH, set()),
        ({"web": SEARXNG}, BOTH, set()),
        ({"web": {"run_here": "always"}}, set(), {"web_fetch"}),
        ({"web": {**SEARXNG, "run_here": "always"}}, set(), BOTH),
        ({"web": {**SEARXNG, "run_here": "never"}}, BOTH, set()),
        (OTHER_SERVER, set(), {"web_fetch"}),
        ({"model": {"base_url": "https://api.anthropic.com.example"}}, set(), {"web_fetch"}),
        ({**OTHER_SERVER, "web": SEARXNG}, set(), BOTH),
    ],
)
def test_the_web_tools_run_at_the_server_or_here(
    config: dict[str, Any], served: set[str], here: set[str], tmp_path: Path
) -> None:
    found = Config.model_validate({**config, "workspace": tmp_path})
    assert web_tools_of(found) == (served, here)
    assert reason_for_no_web(found) == ""
    assert reason_for_no_search(found) == ("" if "web_search" in served | here else operators.NOBODY_SEARCHES)


@pytest.mark.parametrize(
    ("config", "why"),
    [
        ({"web": {**SEARXNG, "enabled": False}}, operators.WEB_IS_OFF),
        ({**OTHER_SERVER, "web": {**SEARXNG, "run_here": "never"}}, operators.SERVER_HAS_NO_WEB),
    ],
)
def test_the_web_is_off_if_nobody_may_run_its_tools(config: dict[str, Any], why: str, tmp_path: Path) -> None:
    found = Config.model_validate({**config, "workspace": tmp_path})
    assert reason_for_no_web(found) == why
    assert web_tools_of(found) == (set(), set())


def test_the_servers_tools_are_told_which_sites_they_may_reach(tmp_path: Path) -> None:
    web = {"blocked_domains": ["Evil.example", "b\u00fccher.example."]}
    found = Config.model_validate({"web": web, "workspace": tmp_path})
    tools = {tool.name: tool.schema_for_model for tool in assembly.make_tools_and_workspace_folder(found)}
    for name in BOTH:
        assert tools[name]["blocked_domains"] == ["evil.example", "xn--bcher-kva.example"]
        assert "allowed_domains" not in tools[name]


# What the lead is begun with


def lead(config: Config, *tools: Tool) -> ResolvedRole:
    rules = DelegationRules(assembly.load_roles_with_warnings(LoadedConfig(config=config, path=None)), config)
    terms = DecisionTerms(settings=config, now=datetime(2026, 1, 1, tzinfo=UTC))
    of_the_app = [
        *delegation_tools(rules, lambda: terms),
        *memory_tools(lambda: terms),
        *conversation_tools(lambda: terms),
        send_file_tool(config.workspace, OutgoingFolder(config.data_dir / "outgoing")),
    ]
    rules.set_tools([*of_the_app, *tools])
    return rules.resolve_lead()


def with_roles(folder: Path, **swarm: Any) -> Config:
    return Config.model_validate({"swarm": {"roles_dir": folder, **swarm}})


def test_the_fixed_beginning_of_the_leads_requests_is_short(tmp_path: Path) -> None:
    prefix = lead(Config(), *assembly.make_workspace_and_web_tools(tmp_path)).prefix
    fixed = json.dumps(
        {"tools": prefix.tools, "system": prefix.system, "messages": [{"role": "user", "content": "hi"}]},
        sort_keys=True,
        separators=(",", ":"),
        ensure_ascii=False,
    )
    assert len(fixed) / 3.5 <= 6_000


def test_the_lead_is_told_every_role_and_nothing_that_changes(tmp_path: Path) -> None:
    presets = {
        "zoologist": {"system_prompt": "Animals.", "description": "Knows\nanimals."},
        "Bare": {"system_prompt": "x"},
    }
    one = lead(Config.model_validate({"swarm": {"roles": presets, "roles_dir": tmp_path}}))
    other = lead(with_roles(tmp_path, roles=dict(reversed(presets.items()))))
    told = one.prefix.system.partition("<roles>\n")[2].splitlines()
    assert [line.split(":")[0] for line in told[1:9]] == [
        "- analyst",
        "- Bare",
        "- coder",
        "- reader",
        "- researcher",
        "- summarizer",
        "- writer",
        "- zoologist",
    ]
    assert told[2] == "- Bare"
    assert told[8] == "- zoologist: Knows animals."
    assert told[9].startswith("- or a")
    assert one.prefix.canonical_json == other.prefix.canonical_json


def test_a_lead_that_may_delegate_to_few_or_to_nobody_is_told_so(tmp_path: Path) -> None:
    few = with_roles(tmp_path, roles={"lead": {"delegates_to": ["Analyst"]}})
    told = lead(few).prefix.system
    assert "- analyst:" in told
    assert "- researcher:" not in told
    assert "- or a" not in told
    none = lead(with_roles(tmp_path, roles={"lead": {"delegates_to": []}})).prefix.system
    nobody, end = none.partition("<roles>\n")[2].splitlines()
    assert ("cannot delegate" in nobody, end) == (True, "</roles>")
    assert prompt_guidance.DELEGATING_GUIDANCE not in none
    assert prompt_guidance.DELEGATING_GUIDANCE in told


@pytest.mark.parametrize("nobody", [{"enabled": False}, {"max_depth": 0}])
def test_without_delegation_the_lead_is_told_of_no_roles(tmp_path: Path, nobody: dict[str, Any]) -> None:
    prefix = lead(with_roles(tmp_path, **nobody), *assembly.make_workspace_and_web_tools(tmp_path)).prefix
    assert not re.search(r"\brole|delegat|specialist", prefix.system, re.IGNORECASE)
    assert "delegat" not in json.dumps(prefix.tools)


def test_the_models_are_those_of_the_config_and_those_that_roles_name() -> None:
    roles = {
        RoleName(name): Role(name=RoleName(name), prompt="", model=model, limits=DELEGATION_LIMITS)
        for name, model in [("a", "x"), ("b", "")]
    }
    assert models_in_use(Config(), roles) == {"claude-sonnet-5-5", "claude-haiku-5-5", "x"}
