"""The languages of Discord's apps, and which of our languages each of them gets in the menu of slash commands."""

from collections.abc import Mapping, Sequence

from bot.core.command_menus import CommandMenu
from bot.core.texts import Sentence, Value

# The locales that Discord accepts in translations, by docs.discord.com/developers/reference#locales
LOCALES = (
    *("id", "da", "de", "en-GB", "en-US", "es-ES", "es-419", "fr", "hr", "it", "lt", "hu", "nl", "no", "pl", "pt-BR"),
    *("ro", "fi", "sv-SE", "vi", "tr", "cs", "el", "bg", "ru", "uk", "hi", "th", "zh-CN", "ja", "zh-TW", "ko"),
)
MAX_COMMAND_DESCRIPTION_LENGTH = 100  # characters

MenuByLocale = Mapping[str, CommandMenu]


def menus_by_locale(menus: Sequence[CommandMenu]) -> dict[str, CommandMenu]:
    """Return the menu of each locale. A language whose tag is a locale has that one, and each other language all
    locales of its first part: `es` has es-ES and es-419. The first menu is left out: Discord shows it to all others."""
    found: dict[str, CommandMenu] = {}
    for locale in LOCALES:
        names = (locale.casefold(), locale.partition("-")[0])
        fitting = [menu for name in names for menu in menus if menu.language.code == name]
        fitting += [menu for menu in menus if menu.language.code.partition("-")[0] == names[1]]
        if fitting and fitting[0] is not menus[0]:
            found[locale] = fitting[0]
    return found


def help_by_locale(name: str, menus: MenuByLocale) -> dict[str, str]:
    """Return what a command is for, by locale."""
    found = {locale: dict(menu.commands).get(name, "") for locale, menu in menus.items()}
    return {locale: help[:MAX_COMMAND_DESCRIPTION_LENGTH] for locale, help in found.items() if help}


def sentence_by_locale(sentence: Sentence, menus: MenuByLocale) -> dict[str, str]:
    return {locale: menu.say(sentence)[:MAX_COMMAND_DESCRIPTION_LENGTH] for locale, menu in menus.items()}


def say_in_locale(locale: str, menus: MenuByLocale, sentence: Sentence, **values: Value) -> str:
    """Return a sentence in the language of somebody's app, or else in the one that is spoken."""
    return menus[locale].say(sentence, **values) if locale in menus else sentence(**values)
