"""`retinue doctor`: what it finds wrong and how it says to mend it; over sockets where others are asked."""

import asyncio
import os
import sqlite3
from pathlib import Path

import pytest

from bot.cli.doctor import check_groups, check_web_tools
from bot.config import Config, load
from bot.config import texts as config_texts
from bot.config.groups import texts as group_texts
from bot.config.groups.file import address_forms_by_channel
from bot.config.resolved_settings import unpriced_models_warning
from bot.config.roles import texts as role_texts
from bot.core.access import Access
from bot.core.channel import HealthReport
from bot.core.errors import ChatClosed, ModelFailed
from bot.core.findings import ok_finding
from bot.core.model import ModelReply
from bot.core.settings import ModelSettings, Settings
from bot.core.texts import operators, reasons
from bot.models.claude.operator_texts import NO_SUCH_EFFORT, SET_EFFORT
from bot.models.search_providers import texts as search_texts
from bot.ops.checks import machine, servers, texts
from bot.store import folder_lock
from channels.discord import operator_texts as discord_texts
from channels.telegram import operator_texts as telegram_texts
from tests.stand_ins import discord as dc
from tests.stand_ins import telegram as tg
from tests.stand_ins.discord import Intent
from tests.stand_ins.searching import KEYS, SearchStandIn
from tests.support.bench import Bench
from tests.support.doctor_visit import KEY, Outside, doctor, lines, outside, shell
from tests.support.named_chat import Named
from tests.support.patience import PATIENCE
from tests.support.shell import Shell
from tests.support.silent_server import silent
from tests.support.wording import says

__all__ = ["outside", "shell"]

pytestmark = pytest.mark.timeout(60)  # each run imports three large libraries


@pytest.mark.fast
async def test_of_a_tenant_that_is_well_every_line_is_ok(shell: Shell, outside: Outside) -> None:
    said = await doctor(shell)
    assert (said.status, lines(said, "wrong"), lines(said, "warning")) == (0, [], [])
    assert said.out.count("\nok ") + 1 == len(said.out.splitlines())
    there = lines(said, "ok")
    assert texts.CONFIG(path=shell.folder / "config.json") in there
    assert texts.MODEL_THERE(model="claude-sonnet-5-5") in there
    assert telegram_texts.READS_ITS_OWN(name="retinue_bot") in there
    assert discord_texts.ANSWERS(1, name="Retinue") in there
    outside.discord.verify()


async def test_doctor_asks_about_each_voice_and_tells_what_privacy_mode_hides(shell: Shell, outside: Outside) -> None:
    settings = outside.settings()
    voices = {"researcher": outside.telegram.add_bot(777, "Rita"), "writer": "778:revoked"}
    settings["channels"]["telegram"]["voices"] = voices
    shell.config(**settings).chmod(0o600)
    said = await doctor(shell)
    assert said.status == 1
    assert telegram_texts.VOICE_ANSWERS(role="researcher", name="rita_bot") in lines(said, "ok")
    refused = telegram_texts.VOICE_REFUSED(role="writer")
    assert lines(said, "wrong") == [f"{refused} → {telegram_texts.TOKEN_NOT_TAKEN}"]
    remedy = telegram_texts.LET_IT_READ_REPLIES(name="retinue_bot")
    assert lines(said, "warning") == [f"{telegram_texts.REPLIES_NOT_READ} → {remedy}"]
    outside.telegram.world.reads_all = True
    assert not lines(await doctor(shell), "warning")
    assert not [token for token in voices.values() if token in said.out]


async def test_a_voice_of_a_role_that_does_not_exist_is_told(shell: Shell, outside: Outside) -> None:
    settings = outside.settings()
    settings["channels"]["telegram"]["voices"] = {"riter": "778:of-nobody"}
    shell.config(**settings).chmod(0o600)
    said = await doctor(shell)
    key = "channels.telegram.voices.riter"
    wrong, *_ = lines(said, "wrong")
    assert says(wrong, role_texts.NO_ROLE_OF_SECRET, key=key, role="riter", nearest="writer")


@pytest.mark.parametrize(
    ("web", "told"),
    [
        (False, texts.WEB_OFF_AND_WANTED(reason=operators.WEB_IS_OFF, roles="researcher")),
        (True, texts.WEB_WITHOUT_SEARCH(reason=operators.NOBODY_SEARCHES)),
        ({"provider": "brave"}, texts.WEB_HERE(provider="brave")),
    ],
)
def test_doctor_tells_of_the_web_and_of_roles_without_it(web: object, told: str, shell: Shell) -> None:
    path = shell.config(model={"base_url": "http://127.0.0.1:1"}, web=web)
    assert [each.text for each in check_web_tools(load(path, variables={}))] == [told]


async def test_the_service_that_searches_is_asked(tmp_path: Path) -> None:
    async with SearchStandIn("tavily") as server:
        web = {"provider": "tavily", "base_url": server.base_url, "api_key": KEYS["tavily"], "run_here": "always"}

        async def checked(**changes: str) -> list[str]:
            config = Config.model_validate({"web": {**web, **changes}, "workspace": tmp_path})
            return [str(each) for each in await servers.check_search(config)]

        assert await checked() == [f"ok       {texts.WEB_SEARCHED(1, service='Tavily')}"]
        refused = search_texts.KEY_REFUSED(service="Tavily", status=401)
        assert await checked(api_key="wrong") == [f"wrong    {refused} → {texts.MEND_SEARCH}"]
        server.found = []
        nothing = texts.WEB_FOUND_NOTHING(service="Tavily", query=servers.CHECKING_QUERY)
        assert await checked() == [f"warning  {nothing} → {texts.LOOK_AT_ENGINES}"]
        assert await checked(run_here="if_needed") == []


def test_roles_whose_model_lacks_the_web_are_told(shell: Shell) -> None:
    path = shell.config(model={"roles": "qwen"})
    [told] = check_web_tools(load(path, variables={}))
    assert told.text == texts.WEB_NOT_BY_ALL(roles="researcher (qwen)")


def test_a_group_that_is_wrong_is_told_and_those_that_are_right(tmp_path: Path) -> None:
    path = Shell(tmp_path).config()
    assert [str(each) for each in check_groups(load(path, variables={}))] == [f"ok       {texts.NO_GROUPS}"]
    for name, front in {"home": "main: true", "notes": "address: telegram:5", "bad": "address: telegram:x"}.items():
        (tmp_path / "groups" / name).mkdir(parents=True)
        (tmp_path / "groups" / name / "instructions.md").write_text(f"---\n{front}\n---\nYou are.")
    wrong, ok = check_groups(load(path, variables={}))
    assert str(ok) == "ok       " + texts.GROUPS(groups=f"{texts.MAIN_GROUP(group='home')}, notes")
    problem = group_texts.NO_CHAT(example=address_forms_by_channel()["telegram"].example)
    fault = config_texts.WRONG_VALUE(key="address", problem=problem)
    told = texts.WRONG_GROUPS(fault=f"{tmp_path}/groups/bad/instructions.md: {fault}")
    assert str(wrong) == f"wrong    {told} → {texts.GROUP_IS_OFF}"
    (tmp_path / "groups" / "home" / "instructions.md").unlink()
    assert str([*check_groups(load(path, variables={}))][-1]) == f"ok       {texts.GROUPS_WITHOUT_MAIN(groups='notes')}"


async def test_a_bot_for_the_terminal_alone_is_no_mistake(shell: Shell, outside: Outside) -> None:
    shell.config(model={"base_url": outside.claude.base_url})
    said = await doctor(shell)
    assert said.status == 0, said.out
    assert not lines(said, "wrong")
    alone = texts.TERMINAL_ALONE(chat="retinue chat", setup="retinue setup", platforms="Telegram or Discord")
    assert alone in lines(said, "ok")
    shell.config()
    del shell.settings["ANTHROPIC_API_KEY"]
    said = await doctor(shell)
    assert said.status == 0, "the demo answers"


async def test_a_workspace_that_takes_nothing_is_wrong(shell: Shell, outside: Outside) -> None:
    (shell.folder / "workspace").write_text("no folder")
    said = await doctor(shell)
    assert said.status == 1
    assert any(line.startswith("workspace: ") for line in lines(said, "wrong"))


def test_a_demo_that_runs_in_its_own_folder_is_told(tmp_path: Path) -> None:
    with folder_lock.lock_data_folder(tmp_path / "demo"):
        assert list(machine.check_running_process(tmp_path)) == [ok_finding(texts.PROCESS_RUNS(process=os.getpid()))]


async def test_a_models_fault_that_the_running_bot_has_noted_is_told(shell: Shell) -> None:
    bench = Bench(shell.data)

    async def refused() -> ModelReply:
        raise ModelFailed(reasons.MODEL_AT_FAULT(), "there is no credit left (add some)")

    bench.model.says("lead", refused, "Hello")
    async with bench.run():
        bench.chat.hears("hello")
        await bench.chat.said()
        said = await doctor(shell)
        [fault] = lines(said, "wrong")
        name, wrong = f"model {ModelSettings().lead}", "there is no credit left (add some)"
        told = texts.FAULT(name=name, fault=wrong, time="20..").partition("..")[0]
        assert fault.startswith(told)
        bench.chat.hears("and now?")
        await bench.chat.said()
        assert lines(await doctor(shell), "wrong") == []


async def test_a_wrong_setting_is_told_and_no_further_check_is_made(shell: Shell) -> None:
    shell.config(busy="maybe")
    said = await doctor(shell)
    assert said.status == 1
    fault = f"{shell.folder / 'config.json'}: busy must be 'steer' or 'queue'"
    assert lines(said, "wrong") == [f"{texts.WRONG_CONFIG(fault=fault)} → {texts.MEND_THAT}"]


async def test_the_platforms_faults_are_told_with_their_remedies(shell: Shell, outside: Outside) -> None:
    outside.telegram.world.webhook = "https://elsewhere.example/hook"
    outside.discord.portal.intents = Intent(0)
    settings = outside.settings()
    settings["model"]["lead"] = "claude-sonnet-5-55"
    settings["swarm"] = {"roles": {"researcher": {"model": "claude-opus-5-55"}}}
    settings["channels"]["telegram"] |= {"allow_from": "*", "owner": None}
    shell.config(**settings)
    said = await doctor(shell)
    assert said.status == 1
    webhook, intent = lines(said, "wrong")
    remove = telegram_texts.LET_SETUP_REMOVE_WEBHOOK(command="retinue setup")
    assert webhook == f"{telegram_texts.WEBHOOK_SET} → {remove}"
    portal = "https://discord.com/developers/applications"
    switch = discord_texts.SWITCH_INTENT_ON(portal=portal, id=outside.discord.bot.id)
    assert intent == f"{discord_texts.READS_NOTHING} → {switch}"
    of_role, of_lead = sorted(line for line in lines(said, "warning") if line.startswith("model"))
    assert "has no model 'claude-opus-5-55'" in of_role
    assert "has no model 'claude-sonnet-5-55'" in of_lead
    public, ownerless = (line for line in lines(said, "warning") if line.startswith("telegram"))
    assert public == f"{texts.EVERYBODY(channel='telegram')} → {texts.LIST_PEOPLE(channel='telegram')}"
    set_owner = texts.SET_OWNER(channel="telegram", command="retinue setup")
    assert ownerless == f"{texts.NO_OWNER(channel='telegram')} → {set_owner}"


async def test_an_unsupported_effort_is_wrong_and_money_without_a_cap_a_warning(shell: Shell, outside: Outside) -> None:
    settings = outside.settings()
    settings["model"] |= {"base_url_is_anthropic": True, "lead": "claude-opus-4-6", "effort": "xhigh", "roles": "qwen"}
    shell.config(**settings)
    said = await doctor(shell)
    assert said.status == 1
    [effort] = lines(said, "wrong")
    assert says(effort, NO_SUCH_EFFORT, model="claude-opus-4-6", efforts="xhigh")
    assert effort.endswith(SET_EFFORT)
    assert any(unpriced_models_warning(["qwen"], Settings()) in line for line in lines(said, "warning"))


async def test_a_refused_key_and_refused_tokens_are_wrong_and_are_not_shown(shell: Shell) -> None:
    shell.settings.update(ANTHROPIC_API_KEY=KEY, TELEGRAM_BOT_TOKEN="1:mistyped", DISCORD_BOT_TOKEN="mistyped")
    said = await doctor(shell)
    assert said.status == 1
    model, telegram, discord = lines(said, "wrong")
    assert "API key → set model.api_key" in model
    assert telegram.startswith("telegram: Telegram refuses")
    assert "@BotFather" in telegram
    assert discord.startswith("discord: Discord refuses")
    assert "https://discord.com/developers/" in discord


async def test_offline_it_says_what_could_not_be_checked_and_finds_nothing_wrong(
    shell: Shell, outside: Outside
) -> None:
    async with outside.telegram.away(), outside.discord.away():
        settings = outside.settings()
        settings["model"]["base_url"] = "http://127.0.0.1:9"
        shell.config(**settings)
        said = await doctor(shell)
    assert (said.status, lines(said, "wrong")) == (0, [])
    for name, line in zip(("model", "telegram", "discord"), lines(said, "warning"), strict=True):
        assert line.startswith(texts.NOT_CHECKED(name=name, reason=""))


async def test_a_silent_server_does_not_hold_the_doctor_up(shell: Shell, outside: Outside) -> None:
    outside.telegram.faults.always("getMe", tg.Fault.BLACK_HOLE_UNREAD)
    outside.discord.faults.always(dc.EVERY, dc.Fault.BLACK_HOLE_BEFORE)
    path = shell.folder / "config.json"
    async with silent() as base_url:
        model = {"model": {"base_url": base_url, "api_key": KEY}}
        config = load(path, model, {**shell.settings, "ANTHROPIC_API_KEY": ""}).config
        async with asyncio.timeout(PATIENCE):
            found = await servers.check_model_and_channels(config, seconds=0.2)
    told = [finding.text for finding in found]
    assert told == [texts.NO_ANSWER(name=each, seconds=0.2) for each in ("model", "telegram", "discord")]


async def test_a_secret_readable_by_others_is_told(shell: Shell, outside: Outside) -> None:
    (shell.folder / "secrets").mkdir()
    secret = shell.folder / "secrets" / "channels__discord__token"
    secret.write_text(outside.discord.token)
    secret.chmod(0o640)
    settings = outside.settings()
    settings["channels"]["telegram"]["token"] = outside.telegram.token
    path = shell.config(**settings)
    path.chmod(0o644)
    shell.data.chmod(0o755)
    said = await doctor(shell)
    assert said.status == 1
    assert lines(said, "wrong") == [f"{texts.CONFIG_READABLE(path=path)} → chmod 600 {path}"]
    group, folder = lines(said, "warning")
    assert group == f"{texts.SECRET_READABLE_BY_GROUP(path=secret)} → {texts.UNLESS_MEANT(path=secret)}"
    assert folder == f"{texts.DATA_FOLDER_SHARED(path=shell.data)} → chmod 700 {shell.data}"


async def test_messages_set_aside_or_undelivered_are_told(shell: Shell) -> None:
    bench, chat = Bench(shell.data), Named("telegram")
    bench.chat = chat
    bench.model.says("lead", "Hello Ann")
    chat.faults.append(ChatClosed("the bot was blocked"))
    chat.condition = HealthReport(silent_seconds=1.0, fault="two bots poll")
    async with bench.run(access={"telegram": Access(is_public=True)}):
        chat.hears("hello")
        await chat.is_taken_in()
        while not bench.rows("SELECT 1 FROM chats WHERE closed_at IS NOT NULL"):  # noqa: ASYNC110 -- rows wake nobody
            await asyncio.sleep(0.01)
        while not bench.rows("SELECT 1 FROM channels WHERE fault != ''"):  # noqa: ASYNC110 -- as above
            await asyncio.sleep(0.01)
        said = await doctor(shell)
        assert "telegram: two bots poll (since 20" in said.out
        assert texts.PROCESS_RUNS(process=os.getpid()) in lines(said, "ok")
        assert said.status == 1
    aside = "UPDATE inbox SET state = 'aside', why = 'it crashed three times'"
    with sqlite3.connect(shell.data / "bot.db") as db:
        db.execute(aside)
    db.close()
    said = await doctor(shell)
    warnings = lines(said, "warning")
    assert any(line.endswith(f": it crashed three times → {texts.WRITER_KNOWS}") for line in warnings)
    assert any(line.startswith(texts.CHAT_SHUT(address="telegram:room", reason="")) for line in warnings)
    said_at, reason = bench.rows("SELECT said_at, reason FROM outbox")[0]
    lost = texts.NOT_DELIVERED(address="telegram:room", time=said_at[:16], reason=reason)
    assert f"{lost} → {texts.MEND_THE_REASON}" in lines(said, "wrong")


async def test_a_stranger_who_asks_is_told_with_the_command_that_lets_him_in(shell: Shell) -> None:
    bench, chat = Bench(shell.data), Named("telegram")
    bench.chat = chat
    async with bench.run(access={"telegram": Access(may_strangers_pair=True)}):
        chat.hears("let me in", by="Sam")
        await chat.said()
    said = await doctor(shell)
    [asking] = lines(said, "warning")
    stranger = texts.STRANGER_ASKS(name="Sam", id="Sam", channel="telegram")
    assert asking.startswith(f"{stranger} → retinue pair ")


async def test_a_damaged_file_is_wrong(shell: Shell) -> None:
    (shell.data / "bot.db").write_text("these are my notes, " * 1000)
    (shell.data / "bot.db").chmod(0o600)
    said = await doctor(shell)
    [damaged] = lines(said, "wrong")
    assert said.status == 1
    assert damaged.startswith(texts.DATABASE_FAILS(fault=shell.data / "bot.db"))
    assert damaged.endswith(f" → {texts.SEE_ABOVE}")
