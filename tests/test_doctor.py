"""`retinue doctor`: what it finds wrong and how it says to mend it; over sockets where others are asked."""

import asyncio
import sqlite3
from pathlib import Path

import pytest

from bot.access import Access
from bot.channel import Health
from bot.claude.operator_texts import SET_EFFORT
from bot.cli.checks import live
from bot.cli.doctor import of_groups, of_web
from bot.config import load
from bot.errors import ChatClosed, ModelFailed
from bot.limits import DEFAULTS
from bot.model import ModelReply
from bot.texts import reasons
from bot.wiring import uncapped
from tests.conftest import Bench
from tests.doctoring import KEY, Outside, doctor, lines, outside, shell
from tests.mute import silent
from tests.named import Named
from tests.patience import PATIENCE
from tests.servers import discord as dc
from tests.servers import telegram as tg
from tests.servers.discord import Intent
from tests.shell import Shell

__all__ = ["outside", "shell"]

pytestmark = pytest.mark.timeout(60)  # each run imports three large libraries


async def test_of_a_tenant_that_is_well_every_line_is_ok(shell: Shell, outside: Outside) -> None:
    said = await doctor(shell)
    assert (said.status, lines(said, "wrong"), lines(said, "warning")) == (0, [], [])
    assert said.out.count("\nok ") + 1 == len(said.out.splitlines())
    assert f"config: {shell.folder / 'config.json'}" in said.out
    for words in ("claude-sonnet-5-5 is there", "@retinue_bot answers", "Retinue answers; it is in 1 server"):
        assert words in said.out
    outside.discord.verify()


async def test_whether_there_is_a_web_is_told_and_who_goes_without(shell: Shell, outside: Outside) -> None:
    shell.config(**outside.settings())
    assert "ok       web: off, since model.base_url is not Anthropic's own: its server has no tools for the web; " in (
        told := (await shell.retinue("doctor")).out
    )
    assert "; researcher would use it" in told


def test_who_is_without_the_web_for_its_model_is_told(shell: Shell) -> None:
    path = shell.config(model={"roles": "qwen"})
    [told] = of_web(load(path, variables={}))
    assert told.text == (
        "web: searched and fetched by the model's server; not by researcher (qwen), whose model is no Claude"
    )


def test_a_group_that_is_wrong_is_told_and_those_that_are_right(tmp_path: Path) -> None:
    path = Shell(tmp_path).config()
    assert [str(each) for each in of_groups(load(path, variables={}))] == ["ok       groups: none"]
    for name, front in {"home": "main: true", "notes": "address: telegram:5", "bad": "address: telegram:x"}.items():
        (tmp_path / "groups" / name).mkdir(parents=True)
        (tmp_path / "groups" / name / "instructions.md").write_text(f"---\n{front}\n---\nYou are.")
    wrong, ok = of_groups(load(path, variables={}))
    assert str(ok) == "ok       groups: home (main), notes"
    assert str(wrong).startswith(f"wrong    groups: {tmp_path}/groups/bad/instructions.md: address names no chat")
    assert str(wrong).endswith(" → till then nobody answers in its chat; the other groups go on")


async def test_a_bot_for_the_terminal_alone_is_no_mistake(shell: Shell, outside: Outside) -> None:
    shell.config(model={"base_url": outside.claude.base_url})
    said = await doctor(shell)
    assert said.status == 0, said.out
    assert not lines(said, "wrong")
    assert "`retinue chat` talks in the terminal" in said.out
    shell.config()
    del shell.settings["ANTHROPIC_API_KEY"]
    said = await doctor(shell)
    assert said.status == 0, "the demo answers"


async def test_a_workspace_that_takes_nothing_is_wrong(shell: Shell, outside: Outside) -> None:
    (shell.folder / "workspace").write_text("no folder")
    said = await doctor(shell)
    assert said.status == 1
    assert any(line.startswith("workspace: ") for line in lines(said, "wrong"))


async def test_a_models_fault_that_the_running_bot_has_noted_is_told(shell: Shell) -> None:
    bench = Bench(shell.data)

    async def refused() -> ModelReply:
        raise ModelFailed(reasons.MODEL_AT_FAULT, "there is no credit left (add some)")

    bench.model.says("lead", refused, "Hello")
    async with bench.run():
        bench.chat.hears("hello")
        await bench.chat.said()
        said = await doctor(shell)
        [fault] = lines(said, "wrong")
        assert fault.startswith(f"model {DEFAULTS.lead_model}: there is no credit left (add some) (since 20")
        bench.chat.hears("and now?")
        await bench.chat.said()
        assert lines(await doctor(shell), "wrong") == []


async def test_a_wrong_setting_is_told_and_no_further_check_is_made(shell: Shell) -> None:
    shell.config(busy="maybe")
    said = await doctor(shell)
    assert said.status == 1
    assert lines(said, "wrong") == [
        f"config: {shell.folder / 'config.json'}: busy must be 'steer' or 'queue' → mend that, then look again"
    ]


async def test_what_the_platforms_find_wrong_is_told_with_its_remedy(shell: Shell, outside: Outside) -> None:
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
    assert webhook.endswith("→ run retinue setup, which offers to remove it")
    portal = f"https://discord.com/developers/applications/{outside.discord.bot.id}/bot"
    assert portal in intent
    assert intent.endswith("switch on Message Content Intent")
    of_role, of_lead = sorted(line for line in lines(said, "warning") if line.startswith("model"))
    assert "has no model 'claude-opus-5-55'" in of_role
    assert "has no model 'claude-sonnet-5-55'" in of_lead
    public, ownerless = (line for line in lines(said, "warning") if line.startswith("telegram"))
    assert public.startswith("telegram: everybody on it may talk to the bot")
    assert ownerless.endswith("→ set channels.telegram.owner to your numeric id, or run retinue setup")


async def test_an_effort_that_a_model_lacks_is_wrong_and_money_without_a_cap_a_warning(
    shell: Shell, outside: Outside
) -> None:
    settings = outside.settings()
    settings["model"] |= {"base_url_is_anthropic": True, "lead": "claude-opus-4-6", "effort": "xhigh", "roles": "qwen"}
    shell.config(**settings)
    said = await doctor(shell)
    assert said.status == 1
    [effort] = lines(said, "wrong")
    assert effort.startswith("model: claude-opus-4-6 has no effort xhigh")
    assert effort.endswith(SET_EFFORT)
    assert any(uncapped(["qwen"], DEFAULTS) in line for line in lines(said, "warning"))


async def test_a_refused_key_and_refused_tokens_are_wrong_and_are_not_shown(shell: Shell) -> None:
    shell.settings.update(ANTHROPIC_API_KEY=KEY, TELEGRAM_BOT_TOKEN="1:mistyped", DISCORD_BOT_TOKEN="mistyped")
    said = await doctor(shell)
    assert said.status == 1
    model, telegram, discord = lines(said, "wrong")
    assert "refused the API key → set model.api_key in the config" in model
    assert telegram.startswith("telegram: Telegram refuses the token; copy it again from @BotFather")
    assert discord.startswith("discord: Discord refuses the token; make a new one: https://discord.com/developers/")


async def test_offline_it_says_what_could_not_be_checked_and_finds_nothing_wrong(
    shell: Shell, outside: Outside
) -> None:
    async with outside.telegram.away(), outside.discord.away():
        settings = outside.settings()
        settings["model"]["base_url"] = "http://127.0.0.1:9"
        shell.config(**settings)
        said = await doctor(shell)
    assert (said.status, lines(said, "wrong")) == (0, [])
    assert [line.split(":")[0] for line in lines(said, "warning")] == ["model", "telegram", "discord"]
    assert said.out.count("could not be checked") == 3


async def test_who_does_not_answer_does_not_hold_it_up(shell: Shell, outside: Outside) -> None:
    outside.telegram.faults.always("getMe", tg.Fault.BLACK_HOLE_UNREAD)
    outside.discord.faults.always(dc.EVERY, dc.Fault.BLACK_HOLE_BEFORE)
    path = shell.folder / "config.json"
    async with silent() as base_url:
        model = {"model": {"base_url": base_url, "api_key": KEY}}
        config = load(path, model, {**shell.settings, "ANTHROPIC_API_KEY": ""}).config
        async with asyncio.timeout(PATIENCE):
            found = await live.all_of(config, seconds=0.2)
    texts = [finding.text for finding in found]
    assert texts == [
        f"{each}: could not be checked: no answer within 0.2 s" for each in ("model", "telegram", "discord")
    ]


async def test_who_else_may_read_a_secret_is_told(shell: Shell, outside: Outside) -> None:
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
    assert lines(said, "wrong") == [f"secrets: others may read {path}, which holds one → chmod 600 {path}"]
    group, folder = lines(said, "warning")
    assert group == f"secrets: the group may read {secret} → chmod 600 {secret}, unless that is meant"
    assert folder == f"data folder: others on this machine may look into {shell.data} → chmod 700 {shell.data}"


async def test_what_a_bot_has_set_aside_or_could_not_say_is_told(shell: Shell) -> None:
    bench, chat = Bench(shell.data), Named("telegram")
    bench.chat = chat
    bench.model.says("lead", "Hello Ann")
    chat.faults.append(ChatClosed("the bot was blocked"))
    chat.condition = Health(silent_seconds=1.0, fault="two bots poll")
    async with bench.run(access={"telegram": Access(is_public=True)}):
        chat.hears("hello")
        await chat.is_taken_in()
        while not bench.rows("SELECT 1 FROM chats WHERE closed_at IS NOT NULL"):  # noqa: ASYNC110 -- rows wake nobody
            await asyncio.sleep(0.01)
        while not bench.rows("SELECT 1 FROM channels WHERE fault != ''"):  # noqa: ASYNC110 -- as above
            await asyncio.sleep(0.01)
        said = await doctor(shell)
        assert "telegram: two bots poll (since 20" in said.out
        assert "process: the bot runs as process " in said.out
        assert said.status == 1
    with sqlite3.connect(shell.data / "bot.db") as db:
        db.execute("UPDATE inbox SET state = 'aside', why = 'it crashed three times'")
    db.close()
    said = await doctor(shell)
    assert any(": it crashed three times → who wrote it was told" in line for line in lines(said, "warning"))
    assert any(line.startswith("chats: telegram:room takes nothing: ") for line in lines(said, "warning"))
    assert any(line.startswith("not delivered, and nobody told: to telegram:room") for line in lines(said, "wrong"))


async def test_a_stranger_who_asks_is_told_with_the_command_that_lets_him_in(shell: Shell) -> None:
    bench, chat = Bench(shell.data), Named("telegram")
    bench.chat = chat
    async with bench.run(access={"telegram": Access(may_knock=True)}):
        chat.hears("let me in", by="Sam")
        await chat.said()
    said = await doctor(shell)
    [asking] = lines(said, "warning")
    assert asking.startswith("pairing: Sam (id Sam) asks to be let in on telegram → retinue pair ")


async def test_a_damaged_file_is_wrong(shell: Shell) -> None:
    (shell.data / "bot.db").write_text("these are my notes, " * 1000)
    (shell.data / "bot.db").chmod(0o600)
    said = await doctor(shell)
    [damaged] = lines(said, "wrong")
    assert said.status == 1
    assert "bot.db is damaged" in damaged
