"""What Discord's apps show of the slash commands in the languages of the bot."""

from bot.core.command_menus import CommandMenu
from bot.core.languages import ENGLISH, Language
from bot.core.languages.language_file import BUILT_IN_LANGUAGES
from bot.core.texts import people
from channels.discord import people_texts
from channels.discord.locales import LOCALES, MAX_COMMAND_DESCRIPTION_LENGTH, menus_by_locale
from channels.discord.slash_commands import COMMAND_OPTIONS, FILE_OPTIONS
from tests.stand_ins.discord import Route
from tests.stand_ins.discord.translations import LOCALES as REAL_LOCALES
from tests.stand_ins.discord.translations import shown_to
from tests.support.discord_channel import Town

GERMAN = BUILT_IN_LANGUAGES.get("de") or ENGLISH
SENTENCES_OF_OPTIONS = [
    sentence for options in (*COMMAND_OPTIONS.values(), *FILE_OPTIONS.values()) for _, sentence in options
]
ENGLISH_MENU = CommandMenu(language=ENGLISH, commands=[(name[1:], help()) for name, help in people.COMMANDS.items()])
GERMAN_MENU = CommandMenu(language=GERMAN, commands=[("help", "was ich verstehe"), ("stop", "anhalten")])


def menus_of(*codes: str) -> list[CommandMenu]:
    return [CommandMenu(language=Language(code=code, name=code), commands=[]) for code in codes]


def served(*codes: str) -> dict[str, str]:
    """Return by locale the language that it gets, if the bot has these languages and the operator's is the first."""
    return {locale: menu.language.code for locale, menu in menus_by_locale(menus_of(*codes)).items()}


def test_our_locales_are_those_that_discord_accepts() -> None:
    assert set(LOCALES) == REAL_LOCALES


def test_a_language_has_the_locales_of_its_tag() -> None:
    assert served("en", "de", "pt-br", "es") == {"de": "de", "pt-BR": "pt-br", "es-ES": "es", "es-419": "es"}
    assert served("en", "es", "es-419") == {"es-ES": "es", "es-419": "es-419"}
    assert served("en", "pt", "zh-hant") == {"pt-BR": "pt", "zh-CN": "zh-hant", "zh-TW": "zh-hant"}


def test_the_operators_language_is_shown_to_everybody_else() -> None:
    assert served("de", "en") == {"en-GB": "en", "en-US": "en"}
    assert served("de", "de-at", "en-gb", "en") == {"en-GB": "en-gb", "en-US": "en"}
    assert served("de") == served("de", "tlh") == served() == {}


async def test_commands_and_their_options_are_shown_in_german(town: Town) -> None:
    async with town.at_work(menus=[ENGLISH_MENU, GERMAN_MENU]):
        await town.server.until(lambda: town.server.world.commands)
    commands = {each["name"]: each for each in town.server.world.commands}
    assert shown_to(commands["help"], "de") == "was ich verstehe"
    assert shown_to(commands["help"], "fr") == people.COMMANDS["/help"].english
    assert shown_to(commands["ask"], "de") == GERMAN.forms[people_texts.ASK][0]
    [which] = commands["stop"]["options"]
    assert shown_to(which, "de") == GERMAN.forms[people_texts.WHICH_TO_STOP][0]
    assert shown_to(commands["new"], "de") == people.COMMANDS["/new"].english, "this menu has no German for it"


async def test_a_new_language_is_registered_once(town: Town) -> None:
    for number, menus in enumerate([[ENGLISH_MENU], [ENGLISH_MENU, GERMAN_MENU], [ENGLISH_MENU, GERMAN_MENU]], 1):
        async with town.at_work(menus=menus):
            await town.server.until(lambda: len(town.server.to(Route.COMMANDS)) == number)  # noqa: B023
            town.ask("hello")
            await town.door.messages(number)
    assert len(town.server.to(Route.PUT_COMMANDS)) == 2


def test_no_german_description_is_cut() -> None:
    sentences = [*people.COMMANDS.values(), people_texts.ASK, *SENTENCES_OF_OPTIONS]
    texts = [form for sentence in sentences for form in (sentence.english, GERMAN.forms[sentence][0])]
    assert [text for text in texts if len(text) > MAX_COMMAND_DESCRIPTION_LENGTH] == []


async def test_who_waits_long_reads_in_the_language_of_their_app(town: Town) -> None:
    town.ann.locale = "de"
    async with town.at_work(menus=[ENGLISH_MENU, GERMAN_MENU]):
        await town.server.until(lambda: town.server.world.commands)
        ours, theirs = town.ann.command(town.general, "status"), town.bob.command(town.general, "status")
        await town.server.until(lambda: all(each.original and each.original.text for each in (ours, theirs)))
    assert ours.original
    assert theirs.original
    assert [ours.original.text, theirs.original.text] == [
        GERMAN.forms[people_texts.HAS_ARRIVED][0],
        people_texts.HAS_ARRIVED.english,
    ]


async def test_in_a_channel_without_answers_the_refusal_is_german(town: Town) -> None:
    town.ann.locale = "de"
    async with town.at_work(menus=[ENGLISH_MENU, GERMAN_MENU], answer_in=frozenset({"1"})):
        await town.server.until(lambda: town.server.world.commands)
        done = town.ann.command(town.general, "status")
        await town.server.until(lambda: done.original)
    assert done.original
    assert done.original.text.startswith("In diesem Kanal soll ich nicht antworten.")
