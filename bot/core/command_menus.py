"""The menus of commands: what each command is for, in a language."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.core.languages import Language, speaking
from bot.core.texts import Sentence, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandMenu:
    language: Language
    commands: Sequence[tuple[str, str]]  # (name, what it is for)

    def say(self, sentence: Sentence, **values: Value) -> str:
        """Return a sentence in the language of the menu."""
        with speaking(self.language):
            return sentence(**values)
