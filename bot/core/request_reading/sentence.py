"""One sentence of a person with its words, as a lexicon sees it: where clauses begin and end, and which words are nouns
or parts of names."""

# ruff: noqa: RUF001  # quotation marks and dashes of several languages

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from bot.core.request_reading.lexicon import Lexicon, Words, all_built_in_lexicons

TOKEN_PATTERN = re.compile(r"[^\W\d_][\w'’\-]*")
NAME_BEFORE_PATTERN = re.compile(r"\w[@./]$|@$")  # a word between these and others is a part of a name or an address
NAME_BEHIND_PATTERN = re.compile(r"[@./]\w")
SENTENCE_END_PATTERN = re.compile(r"(?<=[.!?;])\s+(?=\S)|\n+|(?<=[a-zäöüß]\.)(?=[A-ZÄÖÜ])|\s+(?=\d{1,2}[.)]\s)")
BREAK_PATTERN = re.compile(r"[,;:()–—\n]| - ")


@dataclass(frozen=True, slots=True)
class Token:
    word: str
    begin: int
    end: int
    is_capital: bool
    follows_break: bool  # a comma, a colon or a bracket stands before it


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


def blank_out(text: str, phrases: Sequence[str]) -> str:
    """Return the text with spaces in place of these phrases."""
    if not phrases:
        return text
    pattern = r"(?<!\w)(?:" + "|".join(re.escape(each) for each in phrases) + r")(?!\w)"
    return re.sub(pattern, lambda found: " " * len(found[0]), text, flags=re.IGNORECASE)


class Sentence:
    """A sentence in the eyes of one lexicon. Small words of the other ones count too, also of the built-in ones that do
    not apply: “in seiner Mail” asks for nothing in English."""

    def __init__(self, sentence: str, lexicon: Lexicon, lexicons: Sequence[Lexicon], speaks_of_money: bool) -> None:
        self.sentence = sentence
        self.lexicon = lexicon
        self.grammar = lexicon.grammar
        known = {each.code: each for each in (*all_built_in_lexicons(), *lexicons)}
        self.others = [each for each in known.values() if each.code != lexicon.code]
        self.speaks_of_money = speaks_of_money
        self.text_of_phrases = blank_out(sentence, self.grammar.not_negations)
        self.is_urged = self.text_of_phrases != sentence  # “vergiss nicht, Anna zu schreiben”
        self.text = blank_out(self.text_of_phrases, self.grammar.not_acts)
        self.tokens = tokens_of(self.text)
        self.words = [each.word for each in self.tokens]

    def may_be_in_this_language(self) -> bool:
        """Return False if the small words of another language are far more."""
        counts = [sum(word in each.small_words for word in self.words) for each in (self.lexicon, *self.others)]
        return counts[0] * 2 >= max(counts)

    def has_request_to_you(self, words: Sequence[str]) -> bool:
        """Return True for “can you” and “you should”, but not for “should you …?”."""
        modals, you = self.grammar.modals - self.grammar.auxiliaries - self.grammar.doubting, self.grammar.you
        modals_behind = modals if self.grammar.verbs_stand_first else self.grammar.wishing_modals
        return any(
            (one in modals and other in you) or (one in you and other in modals_behind)
            for one, other in pairwise(words)
        )

    def is_part_of_name(self, at: int) -> bool:
        """Return True for “plan” in “plan.md”, and for “mail” in “ann@mail.example”, but not for “send/forward it”."""
        token = self.tokens[at]
        before, behind = self.text[: token.begin], self.text[token.end :]
        if before.endswith("/") and at and self.tokens[at - 1].end == token.begin - 1 and self.is_choice(at - 1):
            before = before[:-1] + " "
        if behind.startswith("/") and at + 1 < len(self.tokens) and self.tokens[at + 1].begin == token.end + 1:
            behind = " " + behind[1:] if self.is_choice(at) else behind
        return bool(NAME_BEFORE_PATTERN.search(before) or NAME_BEHIND_PATTERN.match(behind))

    def is_choice(self, at: int) -> bool:
        """Return True if a slash joins just two verbs, at the beginning of a clause: “send/forward the mail”."""
        first, second = self.tokens[at : at + 2]
        is_whole = not self.text[: first.begin][-1:].strip() and not self.text[second.end :][:1].strip()
        is_first = self.begins_clause(at) or self.words[at - 1] in self.grammar.you | self.grammar.infinitive_marks
        return is_whole and is_first and {first.word, second.word} <= self.known_verbs

    @cached_property
    def counting_words(self) -> set[str]:
        return {*self.grammar.numbers, *str(self.lexicon.time["one"]).split()}

    def begins_clause(self, at: int) -> bool:
        while at > 0 and not self.tokens[at].follows_break:
            word = self.words[at - 1]
            if word in self.grammar.joins:
                return True
            if word not in self.grammar.openers:
                return False
            at -= 1
        return True

    def break_before(self, at: int) -> int:
        """Return the first word behind the last comma before a word."""
        while at > 0 and not self.tokens[at].follows_break:
            at -= 1
        return at

    def break_behind(self, at: int) -> int:
        """Return the first word behind the next comma, or behind a word that begins another clause."""
        following = range(at + 1, len(self.tokens))
        ends = (n for n in following if self.tokens[n].follows_break or self.words[n] in self.grammar.describing)
        return next(ends, len(self.tokens))

    def is_noun(self, at: int) -> bool:
        """Return True for “the post”, and for “the build log” unless more words follow that a verb has: “in the channel
        post this”."""
        if at == 0 or self.tokens[at].follows_break:
            return False
        determiners = self.union_of("determiners")
        if self.words[at - 1] in determiners:
            return True
        is_second = at > 1 and self.words[at - 2] in self.grammar.articles and not self.tokens[at - 1].follows_break
        is_pair = self.words[at - 1] not in self.grammar.joins | self.grammar.openers
        return is_second and is_pair and not {*self.words[at + 1 : at + 2]} & (determiners | self.grammar.objects)

    def is_capital_noun(self, at: int) -> bool:
        is_inside = at > 0 and not self.tokens[at].follows_break
        return self.grammar.nouns_are_capital and self.tokens[at].is_capital and is_inside

    def clause_begin(self, at: int) -> int:
        """Return where the clause of a word begins: behind the last comma or “and”."""
        while at > 0 and not self.tokens[at].follows_break and self.words[at - 1] not in self.grammar.joins:
            at -= 1
        return at

    def list_around(self, at: int) -> tuple[int, int]:
        """Return the words between two commas around a word, with the parts before and behind them that belong to the
        same list: those that hold verbs alone, or an “or”."""
        return next((begin, end) for begin, end in self.lists if begin <= at < end)

    @cached_property
    def lists(self) -> list[tuple[int, int]]:
        """The parts between commas, those of one list together."""
        begins = [0, *(n for n in range(1, len(self.tokens)) if self.tokens[n].follows_break)]
        found, was_of_verbs = list[tuple[int, int]](), False
        for begin, end in pairwise([*begins, len(self.tokens)]):
            if found and (was_of_verbs or self.goes_on_with_list(begin, end)):
                found[-1] = found[-1][0], end
            else:
                found.append((begin, end))
            was_of_verbs = self.is_of_verbs(begin, end)
        return found

    def goes_on_with_list(self, begin: int, end: int) -> bool:
        return self.is_of_verbs(begin, end) or bool(self.grammar.alternatives & {*self.words[begin:end]})

    def is_of_verbs(self, begin: int, end: int) -> bool:
        """Return True if these words are verbs with small words around them: “please don't send”."""
        grammar = self.grammar
        verbs = self.known_verbs | grammar.other_verbs
        small = grammar.joins | grammar.openers | grammar.please | grammar.adverbs | self.union_of("negations")
        words = {*self.words[begin:end]} - grammar.modals - grammar.you
        return not words.isdisjoint(verbs) and words <= verbs | small | grammar.alternatives

    def contrast_before(self, begin: int, at: int) -> int:
        """Return the first word behind the last “but” between two places, else the first of them."""
        return next((n + 1 for n in range(at - 1, begin - 1, -1) if self.words[n] in self.grammar.contrasts), begin)

    def contrast_behind(self, at: int, end: int) -> int:
        return next((n for n in range(at + 1, end) if self.words[n] in self.grammar.contrasts), end)

    def ends_clause(self, at: int) -> bool:
        following = at + 1
        end = self.tokens[following].begin if following < len(self.tokens) else len(self.text)
        if any(sign.isdigit() for sign in self.text[self.tokens[at].end : end]):
            return False
        if following == len(self.tokens) or self.tokens[following].follows_break:
            return True
        return self.words[following] in self.grammar.joins | self.grammar.please

    def union_of(self, name: str) -> Words:
        words: Words = getattr(self.grammar, name)
        return words.union(*(getattr(each.grammar, name) for each in self.others))

    @cached_property
    def known_verbs(self) -> set[str]:
        return {*self.lexicon.verbs, *self.lexicon.infinitives, *self.lexicon.asked_of_you} | self.grammar.telling

    def follows_colon(self, at: int) -> bool:
        return ":" in self.text[self.tokens[at - 1].end : self.tokens[at].begin]
