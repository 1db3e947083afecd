"""What `/privacy` says of back-ups: they are the exception of what is deleted."""

import pytest

from bot.core.languages import speaking
from bot.core.languages.language_file import BUILT_IN_LANGUAGES
from bot.core.texts import people_accounts
from tests.support.bench import Bench
from tests.support.engine_options import engine_options


@pytest.mark.parametrize(("code", "backups"), [("en", "back-ups"), ("de", "Sicherungen")])
def test_privacy_names_back_ups_as_the_exception(code: str, backups: str) -> None:
    language = BUILT_IN_LANGUAGES.get(code)
    assert language
    with speaking(language):
        told = people_accounts.PRIVACY(kept=people_accounts.KEPT_FOREVER())
    assert backups in told.partition("/forget everything")[2]


async def test_privacy_says_that_the_talk_of_group_chats_goes_along(bench: Bench) -> None:
    async with bench.run(**engine_options(group_chats__talk_messages=7)):
        bench.chat.hears("/privacy")
        assert people_accounts.TALK_GOES_ALONG(7) in await bench.chat.said()
    async with bench.run(**engine_options(group_chats__talk_messages=0)):
        bench.chat.hears("/privacy")
        assert "group chats" not in await bench.chat.said()
