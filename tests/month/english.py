"""Look for English in a German month: nothing that the bot itself says to people may be English.

What the model says, and what people write, is English here, since the situations are. So two things are looked for: the
sentences of the bot's catalogues, and English words in what is left of a text when the words of model and people are
taken out of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bot.core.rights import Right
from tests.support.spoken_german import find_english

if TYPE_CHECKING:
    from tests.month.family import Family

WORD = re.compile(r"[A-Za-z']+")
ENGLISH_WORDS = frozenset(
    WORD.findall(
        "the is are you your this that of to and with for please it what which cannot can't nothing has have i'm i've "
        "been by from there"
    )
)
QUOTED = re.compile("„[^“]*“|“[^”]*”|`[^`]*`")
RIGHT = re.compile(rf"\((?:{'|'.join(Right)})\)")  # as /people expects it
SAID_BY_KEY = frozenset({"text", "caption", "content", "label", "description", "title", "name", "value"})
NOT_SAID = frozenset({"getUpdates", "getFile", "getMe"})
SHORTEST_OWN = 3  # letters of a line of somebody else, so that it is taken out of a text


@dataclass
class OwnWords:
    """Finds English in what the bot says by itself."""

    others: set[str] = field(default_factory=set)  # lines of the model and of people

    def learn(self, texts: Iterable[str]) -> None:
        """Take texts of the model or of people."""
        for text in texts:
            self.others |= {line.strip() for line in text.splitlines() if len(line.strip()) >= SHORTEST_OWN}

    def english_in(self, text: str) -> str:
        """Return what is English in a text; empty if nothing is."""
        left = RIGHT.sub("", self.without_others(text))
        if found := find_english([left]):
            return ", ".join(found)
        words = [word for word in WORD.findall(QUOTED.sub("", left)) if word.casefold() in ENGLISH_WORDS]
        return f"the words {words}" if words else ""

    def without_others(self, text: str) -> str:
        lines = [line for line in text.splitlines() if not self.is_of_others(line)]
        left = "\n".join(lines)
        for each in sorted((one for one in self.others if one in left), key=len, reverse=True):
            left = left.replace(each, "")
        return left

    def is_of_others(self, line: str) -> bool:
        begun = line.strip().removesuffix("…").strip()
        return any(begun in each for each in self.others)


@dataclass
class EnglishWatch:
    """Reads what was sent to the platforms since it looked last."""

    family: Family
    calls: int = 0
    requests: int = 0
    asked: int = 0
    words: OwnWords = field(default_factory=OwnWords)

    def find(self) -> list[str]:
        """Return the English sentences that have come to people since."""
        self.learn_words()
        texts = list(dict.fromkeys(self.new_texts()))
        return [f"{each!r} is English: {why}" for each in texts if (why := self.words.english_in(each))]

    def skip(self) -> None:
        """Look at nothing of what has been said until now."""
        list(self.new_texts())

    def new_texts(self) -> Iterator[str]:
        calls, requests = self.family.telegram.calls[self.calls :], self.family.discord.requests[self.requests :]
        self.calls += len(calls)
        self.requests += len(requests)
        for call in calls:
            if call.method not in NOT_SAID and call.parameters.get("language_code") != "en":  # the English menu
                yield from said(call.parameters)
        for request in requests:
            names_are_said = "/commands" not in request.path  # the names of commands are the same in all languages
            yield from (text for text in said(request.body) if names_are_said or " " in text)

    def learn_words(self) -> None:
        new = self.family.claude.requests[self.asked :]
        self.asked += len(new)
        self.words.learn(text for each in new for text in strings(each.reply))
        for place in self.family.places.values():
            self.words.learn([*place.written, place.name])


def said(value: Any, key: str = "") -> Iterator[str]:
    """Yield the texts that people are shown, from the parameters of a call or the body of a request."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from said(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from said(inner, key)
    elif isinstance(value, str):
        if value[:1] in ("{", "[") and (inner := parsed(value)) is not None:
            yield from said(inner, key)
        elif key in SAID_BY_KEY:
            yield value


def parsed(value: str) -> Any:
    try:
        found = json.loads(value)
    except ValueError:
        return None
    return found if isinstance(found, dict | list) else None


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, Iterable):
        for inner in value:
            yield from strings(inner)
