"""The acts that a person's words ask for, each with the part of the sentence for which it speaks."""

# quotation marks of people

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bot.core.acts import ActKind
from bot.core.request_reading.lexicon import Lexicon
from bot.core.request_reading.own_words import without_dictation
from bot.core.request_reading.sentence import split_sentences, tokens_of
from bot.core.request_reading.sentence_reader import Found, SentenceReader

MAX_SENTENCE_WORDS = 150  # a longer one is rather pasted, and asks for nothing


@dataclass(frozen=True, slots=True)
class NamedAct:
    """An act that the words ask for, and the part of the sentence that speaks of it."""

    kinds: frozenset[ActKind]
    clause: str


def list_named_acts(words: str, lexicons: Sequence[Lexicon]) -> Iterator[NamedAct]:
    speaks_of_money = any(lexicon.money.search(words) for lexicon in lexicons)
    for sentence in split_sentences(without_dictation(words)):
        if len(sentence.split()) > MAX_SENTENCE_WORDS:
            continue
        found = [each for lexicon in lexicons for each in SentenceReader(sentence, lexicon, lexicons, speaks_of_money)]
        yield from join_with_clauses(sentence, found, lexicons)


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
            yield NamedAct(verb.kinds, sentence[begin:end])


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
