"""What a person leaves out: “all files except taxes.pdf”, “but not to Eve”, “keep taxes.pdf”."""

import re
from collections.abc import Iterator, Sequence, Set
from functools import lru_cache

from bot.core.request_reading.lexicon import Lexicon
from bot.core.request_reading.sentence import Token, split_sentences, tokens_of


@lru_cache(maxsize=8)
def without_exclusions(words: str, lexicons: Sequence[Lexicon]) -> str:
    """Return the words without what is left out in them. It begins with a word such as “except” or “not”, and ends with
    its sentence, or before another verb that asks behind a comma or a join: “don't delete a.md, delete b.md”."""
    phrases = [re.escape(phrase) for lexicon in lexicons for phrase in lexicon.grammar.not_negations]
    plain = re.sub(rf"(?<!\w)(?:{'|'.join(phrases)})(?!\w)", blank, words, flags=re.IGNORECASE) if phrases else words
    return " \n".join(
        "".join(iterate_kept(sentence, tokens_of(sentence), lexicons)) for sentence in split_sentences(plain)
    )


def blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def iterate_kept(sentence: str, tokens: Sequence[Token], lexicons: Sequence[Lexicon]) -> Iterator[str]:
    """Yield the parts of a sentence that are not left out."""
    negations = {word for lexicon in lexicons for word in lexicon.grammar.negations | lexicon.grammar.negations_after}
    excluding = negations | {word for lexicon in lexicons for word in lexicon.grammar.exclusions}
    begin, is_left_out, is_negation = 0, False, False
    for at, token in enumerate(tokens):
        found = {token.word, "-".join(each.word for each in tokens[at : at + 2])} & excluding
        if not is_left_out and found and not is_part_of_address(sentence, token):
            yield sentence[begin : token.begin] + " , "
            is_left_out, is_negation = True, bool(found & negations)
        elif (
            is_left_out
            and not found
            and begins_request(sentence, tokens, at, lexicons)
            and (not is_negation or begins_another(tokens, at, lexicons, negations))
        ):
            begin, is_left_out = token.begin, False
    if not is_left_out:
        yield sentence[begin:]


def begins_another(tokens: Sequence[Token], at: int, lexicons: Sequence[Lexicon], negations: Set[str]) -> bool:
    """Return True if a verb behind a negation belongs to no list of what is not to be done, such as “send, forward or
    mail it”."""
    grammars = [lexicon.grammar for lexicon in lexicons]
    joins = {word for grammar in grammars for word in (*grammar.joins, *grammar.openers)}
    contrasts = {word for grammar in grammars for word in grammar.contrasts}
    alternatives = {word for grammar in grammars for word in grammar.alternatives}
    first = at
    while first > 0 and not tokens[first].follows_break and tokens[first - 1].word in joins:
        first -= 1
    between = {each.word for each in tokens[first:at]}
    if between & contrasts:
        return True
    end = next((n for n in range(at + 1, len(tokens)) if tokens[n].follows_break), len(tokens))
    is_list = alternatives & {each.word for each in tokens[first:end]} or tokens[first - 1].word in negations
    is_verb = any(tokens[first - 1].word in lexicon.verbs for lexicon in lexicons)
    return tokens[first].follows_break and not is_list and not is_verb


def is_part_of_address(sentence: str, token: Token) -> bool:
    """Return True for a word within a path, a name or an address: “not-yet.md”, “x/keep/y”."""
    before, behind = sentence[: token.begin][-1:], sentence[token.end :][:2]
    return before in {"/", ".", "@", "_", "-"} or (behind[:1] in {"/", ".", "@", "_"} and behind[1:].isalnum())


def begins_request(sentence: str, tokens: Sequence[Token], at: int, lexicons: Sequence[Lexicon]) -> bool:
    """Return True for a verb, behind a comma or a join, that asks for something else: “…, but send it to Ann”."""
    joins = {word for lexicon in lexicons for word in (*lexicon.grammar.joins, *lexicon.grammar.openers)}
    word, first = tokens[at].word, at
    if is_part_of_address(sentence, tokens[at]):
        return False
    if not any(word in lexicon.verbs or word in lexicon.grammar.other_verbs for lexicon in lexicons):
        return False
    while first > 0 and not tokens[first].follows_break and tokens[first - 1].word in joins:
        first -= 1
    return tokens[first].follows_break or first < at
