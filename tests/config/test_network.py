"""`network.proxy` and `network.ca_file` hold for the model and for both platforms."""

import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from bot.config import texts as config_texts
from bot.core.texts import logs, setting_values
from bot.ops.checks import texts
from channels.telegram import operator_texts as telegram_texts
from tests.stand_ins import proxy
from tests.stand_ins.proxy import Authority, Proxy, secured
from tests.support.config_folder import Home, home
from tests.support.doctor_visit import lines
from tests.support.run_command import Service, served

__all__ = ["home"]

NO_PROXY = config_texts.WRONG_VALUE(key="network.proxy", problem=setting_values.NOT_A_PROXY)
pytestmark = [pytest.mark.timeout(120), pytest.mark.skipif(not proxy.OPENSSL, reason="there is no openssl here")]
MODEL, TELEGRAM, DISCORD, GATEWAY = "model.example", "telegram.example", "discord.example", "gateway.example"


@dataclass
class Company:
    """A network with nothing but a proxy; what is behind it has certificates of the company's own authority."""

    proxy: Proxy
    authority: Authority
    service: Service


@pytest.fixture
async def company(tmp_path: Path) -> AsyncIterator[Company]:
    async with AsyncExitStack() as stack:
        service = await stack.enter_async_context(served(tmp_path))
        authority = Authority.made(tmp_path, MODEL, TELEGRAM, DISCORD, GATEWAY)
        company = Company(await stack.enter_async_context(Proxy().open()), authority, service)
        places = {
            MODEL: service.claude.base_url,
            TELEGRAM: service.telegram.base_url,
            DISCORD: service.discord.base_url,
            GATEWAY: service.discord.gateway_url,
        }
        for name, address in places.items():
            port = urlsplit(address).port
            assert port
            company.proxy.ways[name] = await stack.enter_async_context(secured(port, authority))
        settings = service.shell.settings
        settings["RETINUE_MODEL__BASE_URL"] = f"https://{MODEL}"
        settings["RETINUE_CHANNELS__TELEGRAM__BASE_URL"] = f"https://{TELEGRAM}{urlsplit(places[TELEGRAM]).path}"
        settings["RETINUE_CHANNELS__DISCORD__BASE_URL"] = f"https://{DISCORD}{urlsplit(places[DISCORD]).path}"
        settings["RETINUE_CHANNELS__DISCORD__GATEWAY_URL"] = f"wss://{GATEWAY}"
        settings["RETINUE_NETWORK__PROXY"] = company.proxy.address
        settings["RETINUE_NETWORK__CA_FILE"] = str(authority.ca_file)
        yield company


async def test_a_run_reaches_all_three_by_the_proxy_and_trusts_the_authority(company: Company) -> None:
    service = company.service
    service.claude.script.say("Hello Ann", "Hello Owner")
    ann = service.telegram.person(7, "Ann")
    room, private = service.telegram.private(ann), service.discord.owner.private()
    async with service.run() as process:
        room.say(ann, "hello")
        await service.telegram.until(lambda: room.texts()[-1:] == ["Hello Ann"])
        service.discord.owner.say(private, "hello")
        await service.discord.until(
            lambda: [each.text for each in service.discord.said(private)][-1:] == ["Hello Owner"]
        )
        status, errors = await service.stopped(process, signal.SIGTERM)
    assert status == 0
    assert proxy.PASSWORD not in errors
    assert set(company.proxy.asked) == {f"CONNECT {name}:443" for name in (MODEL, TELEGRAM, DISCORD, GATEWAY)}


async def test_doctor_asks_by_the_proxy_too(company: Company) -> None:
    said = await company.service.shell.retinue("doctor")
    there = lines(said, "ok")
    assert texts.MODEL_THERE(model="claude-sonnet-5-5") in there
    assert telegram_texts.READS_ITS_OWN(name="retinue_bot") in there
    assert any(line.startswith("discord: Retinue answers") for line in there)
    assert proxy.PASSWORD not in said.out + said.err


@pytest.mark.parametrize("missing", ["RETINUE_NETWORK__PROXY", "RETINUE_NETWORK__CA_FILE"])
async def test_without_the_one_or_the_other_nobody_is_reached(company: Company, missing: str) -> None:
    del company.service.shell.settings[missing]
    said = await company.service.shell.retinue("doctor")
    told = lines(said, "warning")
    for name in ("model", "telegram", "discord"):
        assert any(line.startswith(texts.NOT_CHECKED(name=name, reason="")) for line in told)


async def test_setup_asks_by_the_proxy_too(company: Company) -> None:
    shell = company.service.shell
    answers = ["y", "y", "y", "y", "n", "y", "y", "y", "y"]
    said = await shell.retinue("setup", stdin="\n".join(answers) + "\n")
    assert "the token belongs to @retinue_bot" in said.out
    assert f"CONNECT {MODEL}:443" in company.proxy.asked
    assert f"CONNECT {DISCORD}:443" in company.proxy.asked


@pytest.mark.fast
async def test_plain_addresses_go_by_the_proxy_too(company: Company) -> None:
    service = company.service
    company.proxy.ways[MODEL] = urlsplit(service.claude.base_url).port or 0
    service.shell.settings["RETINUE_MODEL__BASE_URL"] = f"http://{MODEL}"
    said = await service.shell.retinue("doctor")
    assert texts.MODEL_THERE(model="claude-sonnet-5-5") in lines(said, "ok"), said.out.splitlines()[-4:]
    assert f"GET {MODEL}:80" in company.proxy.asked


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("proxy", "proxy.example:3128", NO_PROXY),
        ("proxy", "socks5://proxy.example:3128", NO_PROXY),
        ("proxy", "http://proxy.example", NO_PROXY),
        ("ca_file", "missing.pem", "network.ca_file: cannot read"),
        ("ca_file", "config.json", logs.NO_CERTIFICATE.partition("{path}")[2]),
    ],
)
def test_an_impossible_setting_is_told_at_the_start(home: Home, key: str, value: str, says: str) -> None:
    telegram = {"enabled": True, "token": "1:" + "a" * 35}
    home.config({"network": {key: value}, "model": {"api_key": "sk"}, "channels": {"telegram": telegram}})
    said = home.retinue("run")
    assert said.status == 2
    assert says in said.err
