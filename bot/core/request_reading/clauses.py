"""The acts that a person's words ask for, each with the part of the sentence for which it speaks."""

# quotation marks of people

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bot.core.acts import ActKind
from bot.core.request_reading.lexicon import Lexicon
from bot.core.request_reading.own_words import without_dictation
from bot.core.request_reading.sentence import BREAK_PATTERN, split_sentences, tokens_of
from bot.core.request_reading.sentence_reader import Found, SentenceReader

LIST_ITEM_PATTERN = re.compile(r"\s*(?:[-*•]|\d{1,2}[.)])\s")
MAX_SENTENCE_WORDS = 150  # a longer one is rather pasted, and asks for nothing


@dataclass(frozen=True, slots=True)
class NamedAct:
    """An act that the words ask for, and the part of the sentence that speaks of it."""

    kinds: frozenset[ActKind]
    clause: str
    verb_at: int  # where its verb begins in the clause

    @property
    def part(self) -> str:
        """The words between two commas around its verb."""
        breaks = [each.start() for each in BREAK_PATTERN.finditer(self.clause)]
        begin = max((at + 1 for at in breaks if at < self.verb_at), default=0)
        return self.clause[begin : min((at for at in breaks if at > self.verb_at), default=len(self.clause))]


def list_named_acts(words: str, lexicons: Sequence[Lexicon]) -> Iterator[NamedAct]:
    speaks_of_money = any(lexicon.money.search(words) for lexicon in lexicons)
    is_list_told = False
    for line in without_dictation(words).split("\n"):
        is_list_told = is_list_told and (not line.strip() or bool(LIST_ITEM_PATTERN.match(line)))
        if is_list_told:
            continue
        for sentence in split_sentences(line):
            if len(sentence.split()) > MAX_SENTENCE_WORDS:
                continue
            readers = [SentenceReader(sentence, lexicon, lexicons, speaks_of_money) for lexicon in lexicons]
            found = [each for reader in readers for each in reader]
            yield from join_with_clauses(sentence, found, lexicons)
            if any(reader.goes_on_being_told for reader in readers):
                break
            is_list_told = any(reader.begins_noted_list() for reader in readers)


def join_with_clauses(sentence: str, found: Sequence[Found], lexicons: Sequence[Lexicon]) -> Iterator[NamedAct]:
    """Yield the acts with their parts of the sentence. Words that two lexicons know are one act."""
    verbs = list[Found]()
    for each in sorted(found, key=lambda each: (each.begin, -each.end)):
        if verbs and verbs[-1].begin <= each.begin < verbs[-1].end:
            last = verbs.pop()
            each = Found(last.begin, max(last.end, each.end), last.kinds | each.kinds)
        verbs.append(each)
    bounds = clause_bounds(sentence, verbs, lexicons)
    for verb in verbs:
        if verb.kinds:
            number = next(number for number, (begin, end) in enumerate(bounds) if begin <= verb.begin < end)
            begin, end = bounds[number]
            others = without_openers(sentence[begin : verb.begin] + " " + sentence[verb.end : end], lexicons)
            if not others and number + 1 < len(bounds):  # “delete and archive the old files”
                end = bounds[number + 1][1]
            yield NamedAct(verb.kinds, sentence[begin:end], verb.begin - begin)


def without_openers(text: str, lexicons: Sequence[Lexicon]) -> list[str]:
    openers = {word for lexicon in lexicons for word in (*lexicon.grammar.openers, *lexicon.grammar.joins)}
    return [each.word for each in tokens_of(text) if each.word not in openers]


def clause_bounds(sentence: str, verbs: Sequence[Found], lexicons: Sequence[Lexicon]) -> list[tuple[int, int]]:
    """Return the parts of a sentence. A comma or an “and” divides it if a verb stands on each side."""
    joins = {word for lexicon in lexicons for word in lexicon.grammar.joins}
    places = [each.begin for each in tokens_of(sentence) if each.follows_break or each.word in joins]
    bounds, begin = list[tuple[int, int]](), 0
    for place, following in pairwise([*places, len(sentence)]):
        has_verb_before = any(begin <= verb.begin < place for verb in verbs)
        if has_verb_before and any(place <= verb.begin < following for verb in verbs):
            bounds.append((begin, place))
            begin = place
    return [*bounds, (begin, len(sentence))]
