"""What the operator is told of a secret that was kept back."""

import logging

import pytest

from bot.core.messages import OutboundKind
from bot.core.secret_search import SecretIndex
from bot.journal.removed_secrets import MAX_REMEMBERED_PLACES, RemovedSecretReporter
from tests.delivery.test_secret_search import HEX, KEY
from tests.support.bench import Bench


async def test_each_message_is_logged_once_by_its_id_and_the_setting(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    bench.model.says("lead", f"{KEY} and {HEX}, and again {KEY}", "nothing")
    counted: list[None] = []
    secrets = SecretIndex({"model.api_key": [KEY], "voice.api_key": [HEX]})
    async with bench.run(secrets=secrets, on_secret_kept_back=lambda: counted.append(None)):
        for _ in range(2):
            bench.chat.hears("go")
            await bench.chat.said(OutboundKind.REPLY)
    told = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert told == [
        "the secret of model.api_key, voice.api_key was about to go out with t1:reply, and was kept back;"
        " find out who has asked for it"
    ]
    assert len(counted) == 1


def test_a_place_that_was_reported_is_not_reported_again(caplog: pytest.LogCaptureFixture) -> None:
    counted: list[None] = []
    reporter = RemovedSecretReporter(lambda: counted.append(None))
    for _ in range(2):
        reporter.report("t1:board", frozenset({"a"}))
    for number in range(MAX_REMEMBERED_PLACES + 5):
        reporter.report(f"t{number}", frozenset({"a"}))
    assert len(counted) == MAX_REMEMBERED_PLACES + 6
