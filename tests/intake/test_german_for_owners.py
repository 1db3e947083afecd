"""An owner whose app is German reads German: buttons about rights, and what a tap on them answers."""

from bot.core.languages import ENGLISH, speaking
from bot.core.languages.language_file import BUILT_IN_LANGUAGES
from bot.core.messages import OutboundKind
from bot.core.phrases import list_rights
from bot.core.rights import EVERY_RIGHT, NO_RIGHTS, Right
from tests.intake.test_people_rights import SHARED
from tests.support.bench import Bench
from tests.support.spoken_german import find_english


async def test_buttons_about_rights_are_german_and_work(bench: Bench) -> None:
    async with bench.run(access=SHARED):
        bench.chat.hears("/people fake Eve", by="Owner", chat="office", language="de")
        asked = (await bench.chat.part(OutboundKind.QUESTION)).message
        typed = [f"bot.core.texts.people_access.RIGHTS.{right}: {right}" for right in Right]  # names, as one types them
        assert [each for each in find_english([asked.text, *asked.options]) if each not in typed] == []
        assert "Nehmen: das Web (web)" in asked.options
        bench.chat.taps(asked.id, "Geben: Gedächtnis (memory)", by="Owner", chat="office")
        said = [(await bench.chat.part()).message for _ in range(2)]
    assert "Nehmen: Gedächtnis (memory)" in next(each.options for each in said if each.options)
    assert bench.select("person", "rights") == [("Eve",)]


def test_all_rights_and_none_have_german_words() -> None:
    with speaking(BUILT_IN_LANGUAGES.get("de") or ENGLISH):
        assert (list_rights(EVERY_RIGHT), list_rights(NO_RIGHTS)) == ("alles", "nichts")
