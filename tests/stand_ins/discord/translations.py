"""Names and descriptions of commands in other languages, by the locale of a person's app."""

import re
from typing import Any

from tests.stand_ins.discord.errors import form, length
from tests.stand_ins.discord.snowflakes import Json

NAME = re.compile(r"[-_\w]{1,32}")
LOCALES = frozenset(
    (
        *("id", "da", "de", "en-GB", "en-US", "es-ES", "es-419", "fr", "hr", "it", "lt", "hu", "nl", "no", "pl"),
        *("pt-BR", "ro", "fi", "sv-SE", "vi", "tr", "cs", "el", "bg", "ru", "uk", "hi", "th", "zh-CN", "ja", "zh-TW"),
        "ko",
    )
)
TRANSLATED = ("name", "description")


def check_translations(where: str, named: Json) -> None:
    """Refuse translations of a command or option that the API refuses."""
    for field in TRANSLATED:
        field_name = f"{where}.{field}_localizations"
        given = named.get(f"{field}_localizations") or {}
        if not isinstance(given, dict):
            raise form(field_name, "DICT_TYPE_CONVERT", "Only dictionaries may be used in a DictType")
        for locale, text in given.items():
            if locale not in LOCALES:
                raise form(field_name, "BASE_TYPE_CHOICES", f"Value must be one of {sorted(LOCALES)}.")
            if field == "name" and not is_name(text):
                raise form(field_name, "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
            if field == "description" and (not isinstance(text, str) or not 1 <= len(text) <= 100):
                raise length(field_name, 1, 100)


def is_name(text: Any) -> bool:
    return isinstance(text, str) and bool(NAME.fullmatch(text)) and text == text.lower()


def without_translations(command: Json) -> Json:
    def plain(named: Json) -> Json:
        return {key: value for key, value in named.items() if not key.endswith("_localizations")}

    return {**plain(command), "options": [plain(option) for option in command.get("options") or []]}


def shown_to(named: Json, locale: str) -> str:
    """Return the description that an app of this locale shows. Without a translation it shows the plain one."""
    return str((named.get("description_localizations") or {}).get(locale) or named["description"])
