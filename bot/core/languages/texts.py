"""What operators read about the files of languages."""

from bot.core.texts import Text

NO_SUCH_LANGUAGE = Text(
    'language: "{name}" is not known; known are {known}; put the file of another one into {folder} '
    "(docs/languages.md says how to write it)"
)
UNREADABLE = Text("{path}: cannot read the file: {reason}")
NO_NAME = Text('{path}: the table [language] with the key name is missing; write, for example, name = "Français"')
NOT_A_LANGUAGE = Text("{path}: not a usable language file: {reason}")
NO_SUCH_CATALOGUE = Text("{path}: [{name}] is no catalogue of this version; remove that table")
SENTENCE_NOT_USED = Text("{path}: {catalogue}, {name}: {fault}; people read it in English")
NO_SUCH_KEY = Text("{key} is no key of this version")
BAD_HEADER = Text("{key} must be {what}")
A_TEXT = Text("a text")
LIST_OF_TEXTS = Text("a list of {count} texts")
MONEY_FORM = Text("a text with {{amount}}, and no other placeholder")
PLURAL_RULE = Text(
    "a rule that chooses from 0 to {last}, because plural_forms is {count}; for {number} it chooses {chosen}"
)
NOT_WRITABLE = Text("a placeholder cannot be written so ({reason})")
NO_SUCH_SENTENCE = Text("this version has no such sentence")
MUST_BE_TEXT = Text("must be a text")
MUST_BE_LIST = Text("must be a list of {count} texts, one for each plural form")
OTHER_PLACEHOLDERS = Text("must have exactly these placeholders: {names}")
NONE = Text("none")
