"""The reading of a request: which kinds of act a person's words ask for, how many, and which things they name.

It is a lexicon, no model: nothing that the bot has read can talk it into anything. Words that it does not understand
name nothing; then the gate asks the person.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.core.acts import ActKind
from bot.core.request_reading.clauses import NamedAct, list_named_acts
from bot.core.request_reading.counts import count_things
from bot.core.request_reading.lexicon import Lexicon, Thing, plain_thing
from bot.core.request_reading.paths import CODE_ENDINGS, DOCUMENT_ENDINGS
from bot.core.request_reading.sentence import blank_out

# What things look like in any language
LOOKS = {
    "file": re.compile(
        rf"\w(?:{'|'.join(map(re.escape, (DOCUMENT_ENDINGS + CODE_ENDINGS).split()))})(?!\w)", re.IGNORECASE
    ),
    "mail": re.compile(r"\w@[\w-]+\.\w"),
    "web page": re.compile(r"https?://|\bwww\.\w", re.IGNORECASE),
    "channel": re.compile(r"(?<!\w)#\w"),
}


@dataclass(frozen=True, slots=True)
class RequestReading:
    words: str
    lexicons: tuple[Lexicon, ...]
    acts: tuple[NamedAct, ...]

    def names(self, kinds: frozenset[ActKind]) -> bool:
        """Return True if the words ask for an act of one of these kinds."""
        return any(act.kinds & kinds for act in self.acts)

    def count_named(self, kinds: frozenset[ActKind], things: frozenset[str]) -> int | None:
        """Return for how many acts of these kinds the words ask; None is no bound: "all", "each", or a plural of these
        things without a number."""
        total = 0
        for act in self.acts:
            if act.kinds & kinds:
                named = count_things(act, self._list_things(things), self.lexicons)
                if named is None:
                    return None
                total += named
        return total

    def speaks_of(self, things: frozenset[str]) -> bool:
        """Return True if the words hold a word for one of these things, or one of the things itself, such as the name
        of a file. A thing that is no key of a lexicon is a word that stands for itself."""
        if any(name in LOOKS and LOOKS[name].search(self.words) for name in things):
            return True
        found = self._list_things(things)
        return any(each.one.search(self.words) or each.many.search(self.words) for each in found)

    def _list_things(self, names: Iterable[str]) -> list[Thing]:
        known = [lexicon.things[name] for name in names for lexicon in self.lexicons if name in lexicon.things]
        return known + [plain_thing(name) for name in names]


def read_request(words: str, lexicons: Sequence[Lexicon]) -> RequestReading:
    """Return what the words ask for. `words` are what a person wrote; `own_words` leaves out what they pasted."""
    acts = () if is_for_later(words, lexicons) else tuple(list_named_acts(words, lexicons))
    return RequestReading(words, tuple(lexicons), acts)


def is_for_later(words: str, lexicons: Sequence[Lexicon]) -> bool:
    """Return True if nothing is to be done yet: “show it to me first”."""
    phrases = [phrase for lexicon in lexicons for phrase in lexicon.grammar.not_yet]
    return blank_out(words, phrases) != words
