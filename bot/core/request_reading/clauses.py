"""Find the verbs that ask for an act, and the part of the sentence for which each speaks.

A verb asks if it stands as a request: not as a noun, not in a tale of what was or is, not in a negation, not in a
question after a fact, not in what somebody else is to be told, and not in quotation marks.
"""

# ruff: noqa: RUF001  # quotation marks and dashes of several languages

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bot.core.acts import ActKind
from bot.core.request_reading.lexicon import Lexicon, Verb, Words
from bot.core.request_reading.own_words import without_dictation

SENTENCE_END_PATTERN = re.compile(r"(?<=[.!?;])\s+(?=\S)|\n+|(?<=[a-zäöüß]\.)(?=[A-ZÄÖÜ])|\s+(?=\d+[.)]\s)")
TOKEN_PATTERN = re.compile(r"[^\W\d_][\w'’\-]*")
BREAK_PATTERN = re.compile(r"[,;:()–—\n]| - ")
WORDS_THAT_NEGATION_REACHES = 3
TELLING_KINDS = frozenset({ActKind.SEND, ActKind.MAKE})  # a colon after such a verb begins what is told or noted
GENERAL_OPENERS = 3


@dataclass(frozen=True, slots=True)
class NamedAct:
    """An act that the words ask for, and the part of the sentence that speaks of it."""

    kinds: frozenset[ActKind]
    clause: str


@dataclass(frozen=True, slots=True)
class Token:
    word: str
    begin: int
    end: int
    is_capital: bool
    follows_break: bool  # a comma, a colon or a bracket stands before it

    @property
    def span(self) -> tuple[int, int]:
        return self.begin, self.end


@dataclass(frozen=True, slots=True)
class Found:
    """A verb or phrase at a place of a sentence; no kinds if it is no act."""

    begin: int
    end: int
    kinds: frozenset[ActKind]
    lexicon: Lexicon


def list_named_acts(words: str, lexicons: Sequence[Lexicon]) -> Iterator[NamedAct]:
    speaks_of_money = any(word in words.lower() for lexicon in lexicons for word in lexicon.grammar.money)
    for sentence in split_sentences(without_dictation(words)):
        found = [each for lexicon in lexicons for each in SentenceReader(sentence, lexicon, lexicons, speaks_of_money)]
        yield from join_with_clauses(sentence, found, lexicons)


def split_sentences(text: str) -> list[str]:
    return [each for each in SENTENCE_END_PATTERN.split(text) if each.strip()]


def tokens_of(sentence: str) -> list[Token]:
    found, end = list[Token](), 0
    for each in TOKEN_PATTERN.finditer(sentence):
        word = each[0].lower().replace("’", "'")
        has_break = bool(BREAK_PATTERN.search(sentence[end : each.start()]))
        found.append(Token(word, each.start(), each.end(), each[0][0].isupper(), has_break))
        end = each.end()
    return found


def join_with_clauses(sentence: str, found: list[Found], lexicons: Sequence[Lexicon]) -> Iterator[NamedAct]:
    """Yield the acts with their parts of the sentence. Words that two lexicons know are one act."""
    by_place: dict[int, Found] = {}
    for each in sorted(found, key=lambda each: (each.begin, -each.end)):
        overlapping = next((other for other in by_place.values() if other.begin <= each.begin < other.end), None)
        if overlapping:
            kinds = overlapping.kinds | each.kinds
            by_place[overlapping.begin] = Found(overlapping.begin, max(overlapping.end, each.end), kinds, each.lexicon)
        else:
            by_place[each.begin] = each
    verbs = list(by_place.values())
    bounds = clause_bounds(sentence, verbs, lexicons)
    for verb in verbs:
        if verb.kinds:
            number = next(number for number, (begin, end) in enumerate(bounds) if begin <= verb.begin < end)
            begin, end = bounds[number]
            if not TOKEN_PATTERN.search(sentence[verb.end : end]) and begin + 1 >= 0:
                stands_alone = not TOKEN_PATTERN.search(without_openers(sentence[begin : verb.begin], lexicons))
                if stands_alone and number + 1 < len(bounds):  # “delete and archive the old files”
                    end = bounds[number + 1][1]
            yield NamedAct(verb.kinds, sentence[begin:end])


def without_openers(text: str, lexicons: Sequence[Lexicon]) -> str:
    openers = {word for lexicon in lexicons for word in (*lexicon.grammar.openers, *lexicon.grammar.joins)}
    return " ".join(each.word for each in tokens_of(text) if each.word not in openers)


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


class SentenceReader:
    """Finds the verbs and phrases of one lexicon in a sentence. Small words of all lexicons are known."""

    def __init__(self, sentence: str, lexicon: Lexicon, lexicons: Sequence[Lexicon], speaks_of_money: bool) -> None:
        self.sentence = sentence
        self.lexicon = lexicon
        self.grammar = lexicon.grammar
        self.others = [each for each in lexicons if each is not lexicon]
        self.speaks_of_money = speaks_of_money
        self.text = self.blank_out(self.grammar.not_negations + self.grammar.not_acts)
        self.tokens = tokens_of(self.text)
        self.words = [each.word for each in self.tokens]
        self.is_dictated = self.find_dictated_words()

    def __iter__(self) -> Iterator[Found]:
        if not self.is_question_after_a_fact():
            yield from self.find_phrases()
            yield from self.find_verbs()

    def blank_out(self, phrases: Sequence[str]) -> str:
        if not phrases:
            return self.sentence
        pattern = r"(?<!\w)(?:" + "|".join(re.escape(each) for each in phrases) + r")(?!\w)"
        return re.sub(pattern, lambda found: " " * len(found[0]), self.sentence, flags=re.IGNORECASE)

    def is_question_after_a_fact(self) -> bool:
        """Return True for “Which files does Tom share?”, but not for “Can you share the file?”."""
        if not self.sentence.rstrip(" \"'”“)").endswith("?"):
            return False
        grammar = self.grammar
        words = [word for word in self.words if word not in grammar.openers]
        if not words or words[0] not in grammar.asking:
            return False
        asks_you = any(one in grammar.modals and other in grammar.you for one, other in pairwise(self.words))
        return not asks_you and not grammar.please & {*self.words}

    def find_phrases(self) -> Iterator[Found]:
        for pattern, kind in self.lexicon.phrases:
            for found in pattern.finditer(self.text):
                at = next((at for at, each in enumerate(self.tokens) if each.end > found.start()), len(self.tokens))
                if at < len(self.tokens) and self.may_ask(at):
                    yield Found(found.start(), found.end(), frozenset({kind}), self.lexicon)

    def find_verbs(self) -> Iterator[Found]:
        for at, token in enumerate(self.tokens):
            pair = f"{token.word}-{self.words[at + 1]}" if at + 1 < len(self.tokens) else ""
            verbs = self.lexicon.verbs.get(pair) or self.lexicon.verbs.get(token.word, ())
            kinds = self.kinds_of(verbs, at)
            if kinds and token.word in self.grammar.money_verbs and self.speaks_of_money:
                kinds |= {ActKind.PAY}
            is_other = token.word in self.grammar.other_verbs
            if (kinds or is_other) and self.may_ask(at):
                yield Found(token.begin, token.end, kinds, self.lexicon)

    def kinds_of(self, verbs: Sequence[Verb], at: int) -> frozenset[ActKind]:
        """Return the kinds of the verbs whose particles stand behind them."""
        kinds = frozenset[ActKind]()
        for verb in verbs:
            if not verb.particle or verb.particle in self.words[at + 1 :]:
                kinds |= verb.kinds
        return kinds

    def may_ask(self, at: int) -> bool:
        """Return True if the word stands as a request."""
        if self.is_dictated[at] or self.is_negated(at):
            return False
        if at == 0 or self.is_noun(at):
            return at == 0
        return not self.is_described(at) and not self.is_told(at)

    def is_negated(self, at: int) -> bool:
        before = self.words[max(0, at - WORDS_THAT_NEGATION_REACHES) : at]
        after = self.words[at + 1 : at + 1 + WORDS_THAT_NEGATION_REACHES]
        negations = self.union_of("negations")
        return bool(negations & {*before} or self.grammar.negations_after & {*after})

    def is_noun(self, at: int) -> bool:
        return not self.tokens[at].follows_break and self.words[at - 1] in self.union_of("determiners")

    def is_described(self, at: int) -> bool:
        """Return True if the verb stands in a clause that describes, such as “what people post”."""
        grammar, begin = self.grammar, self.clause_begin(at)
        before = self.words[begin:at]
        if grammar.please & {*before} or any(m in grammar.modals and y in grammar.you for m, y in pairwise(before)):
            return False
        return bool(grammar.describing & {*before})

    def clause_begin(self, at: int) -> int:
        """Return where the clause of a word begins: after the last comma, or the last “and” before a verb."""
        while at > 0 and not self.tokens[at].follows_break and self.words[at - 1] not in self.grammar.joins:
            at -= 1
        return at

    def is_told(self, at: int) -> bool:
        """Return True for a tale: “the amount I pay”, “Tom will pay”, “I had to pay”."""
        grammar = self.grammar
        before = [word for word in self.words[max(0, at - 6) : at] if word not in grammar.adverbs]
        if before and before[-1] in grammar.infinitive_marks:
            return bool(grammar.tales & {*before[-4:-1]})
        modal = False
        while before and before[-1] in grammar.modals:
            before.pop()
            modal = True
        if not before:
            return False
        if before[-1] in grammar.you:
            return not modal and not (len(before) > 1 and before[-2] in grammar.modals)
        if before[-1] in self.union_of("tellers"):
            return True
        return modal and before[-1] not in grammar.openers

    def union_of(self, name: str) -> Words:
        words: Words = getattr(self.grammar, name)
        return words.union(*(getattr(each.grammar, name) for each in self.others))

    def find_dictated_words(self) -> list[bool]:
        """Return for each word whether it stands in what somebody is to be told, or in what is noted: “tell Ben to
        delete the file”, “write down: pay the rent”."""
        grammar = self.grammar
        marks = [False] * len(self.tokens)
        self.is_dictated = marks
        at = 0
        while at < len(self.tokens):
            at += 1
            if self.words[at - 1] not in self.known_verbs or not self.may_ask(at - 1):
                continue
            kinds = self.kinds_of(self.lexicon.verbs.get(self.words[at - 1], ()), at - 1)
            is_telling = self.words[at - 1] in grammar.telling
            begin = next((n for n in range(at, len(marks)) if self.begins_dictation(n, is_telling, kinds)), None)
            if begin is not None:
                at = self.mark_dictated(begin)
        return marks

    @property
    def known_verbs(self) -> set[str]:
        return {*self.lexicon.verbs} | self.grammar.telling

    def begins_dictation(self, at: int, is_telling: bool, kinds: frozenset[ActKind]) -> bool:
        token = self.tokens[at]
        if ":" in self.text[self.tokens[at - 1].end : token.begin] and kinds & TELLING_KINDS:
            return True
        if not is_telling:
            return False
        if token.word in self.grammar.told_after:
            return True
        is_infinitive = token.word in self.known_verbs and self.words[at - 1] in self.grammar.infinitive_marks
        return is_infinitive

    def mark_dictated(self, begin: int) -> int:
        """Mark the words from there on. What follows “then” is asked for again, and so is a verb after “and” or a comma
        in what is told with “that”."""
        is_infinitive = self.words[begin - 1] in self.grammar.infinitive_marks if begin else False
        has_colon = ":" in self.text[self.tokens[begin - 1].end : self.tokens[begin].begin] if begin else False
        for at in range(begin, len(self.tokens)):
            word, before = self.words[at], self.words[at - 1]
            if not has_colon and at > begin:
                if word in self.grammar.told_until:
                    return at
                if not is_infinitive and word in self.lexicon.verbs and before in self.grammar.joins:
                    return at
            self.is_dictated[at] = True
        return len(self.tokens)
