"""The bot's token, and those of interactions, are in nothing that anybody reads."""

import logging
import re
from collections.abc import AsyncIterator

import pytest

from bot.core.errors import ConfigError
from channels.discord import operator_texts
from channels.discord.channel import Discord
from tests.stand_ins.discord import Drop, Fault, Route, pointed_at
from tests.support.discord_channel import QUICK, Town, at, message, send, settled

SECRET = "MTU3MzkyNzA5NTI3.very-secret.token"


@pytest.fixture
async def town() -> AsyncIterator[Town]:
    async with settled() as found:
        found.server.portal.token = SECRET
        yield found


async def test_no_token_is_ever_logged(town: Town, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    tokens = [SECRET]
    async with town.at_work() as channel:
        said = [repr(channel), repr(channel.gateway), repr(channel.gateway.client), repr(vars(channel.gateway))]
        town.server.drops.at("MESSAGE_CREATE", Drop.MALFORMED)
        town.ask("bad")
        tokens.append(town.ann.command(town.general, "status").token)
        await town.door.until(lambda: len(town.door.events) == 2)
        for fault in (Fault.RESET_AFTER, Fault.UNAVAILABLE, Fault.BANNED, Fault.RATE_LIMITED_240, Fault.NOT_JSON):
            town.server.faults.on(Route.SEND, fault)
            with pytest.raises((OSError, Exception)) as error:
                await send(channel, message("hello", at(town.general), id=fault))
            said += [repr(error.value), str(error.value), repr(error.value.__context__)]
        town.server.gateway.cut()
        await town.sessions(2)
        town.server.portal.token = "another"
        with pytest.raises(Exception, match=re.escape(operator_texts.REFUSES_TOKEN)) as refused:
            await send(channel, message("hello", at(town.general), id="last"))
        said += [str(refused.value), channel.health().fault]
    logged = "\n".join(f"{record.getMessage()} {record.exc_text} {record.args}" for record in caplog.records)
    assert operator_texts.AWAY.partition("(")[0] in logged
    assert not [token for token in tokens for text in (*said, logged, repr(town.door.events)) if token in text]


async def test_the_token_is_not_in_the_word_that_refuses_it(town: Town) -> None:
    channel = Discord(f"{SECRET}-old", town.server.base_url, town.server.gateway_url, timing=QUICK)
    with pointed_at(town.server), pytest.raises(ConfigError) as error:
        await channel.run(town.door)
    assert SECRET not in f"{error.value!r} {error.value.__context__!r} {error.value.__cause__!r}"


@pytest.mark.parametrize("token", ["two words", "line\nbreak", "schlüssel", ""])
def test_a_token_that_none_can_be_is_refused_at_once(token: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(operator_texts.TOKEN_FORM)) as error:
        Discord(token)
    assert not token or token not in str(error.value)
