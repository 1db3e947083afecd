"""Find the verbs that ask for an act in one sentence, by one lexicon.

A verb asks if it stands as a request: not as a noun, not in a tale of what was or is, not in a negation, not in a
question after a fact, and not in what somebody else is to be told.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.core.acts import ActKind
from bot.core.request_reading.lexicon import Lexicon, Verb
from bot.core.request_reading.own_words import QUOTATION_PATTERN
from bot.core.request_reading.verb_places import VerbPlaces

WORDS_BEFORE_REPORT = 3  # “says to”, “told us that”
WORDS_OF_HEADING = 3
TELLING_KINDS = frozenset({ActKind.SEND, ActKind.MAKE})  # a colon after such a verb begins what is told or noted
NO_KINDS: frozenset[ActKind] = frozenset()


@dataclass(frozen=True, slots=True)
class Found:
    """A verb or phrase at a place of a sentence; without kinds it is no act."""

    begin: int
    end: int
    kinds: frozenset[ActKind]


class SentenceReader(VerbPlaces):
    """Reads a sentence by one lexicon."""

    def __init__(self, sentence: str, lexicon: Lexicon, lexicons: Sequence[Lexicon], speaks_of_money: bool) -> None:
        super().__init__(sentence, lexicon, lexicons, speaks_of_money)
        quoted = [found.span() for found in QUOTATION_PATTERN.finditer(sentence)]
        self.is_dictated = [any(begin < each.begin < end for begin, end in quoted) for each in self.tokens]
        self.goes_on_being_told = False  # what follows the sentence belongs to what is told behind its colon
        if self.may_be_in_this_language():
            self.mark_what_is_told()

    def __iter__(self) -> Iterator[Found]:
        if self.may_be_in_this_language() and not (self.is_question_after_a_fact() or self.is_question_how()):
            replaced = set[int]()
            for found, replaces_verb in self.find_phrases():
                replaced |= {found.begin} if replaces_verb else set()
                yield found
            for at, token in enumerate(self.tokens):
                if token.begin not in replaced and (kinds := self.kinds_asked_by(at)) is not None:
                    yield Found(token.begin, token.end, kinds)

    def is_question_after_a_fact(self) -> bool:
        """Return True for “Which files does Tom share?”, but not for “Can you share the file?”."""
        if not self.sentence.rstrip(" \"'”“)").endswith("?"):
            return False
        words = [word for word in self.words if word not in self.grammar.openers]
        if not words or words[0] not in self.grammar.asking:
            return False
        return not self.has_request_to_you(self.words) and not self.grammar.please & {*self.words}

    def is_question_how(self) -> bool:
        """Return True for “How would you reply to Ann”: it asks for words, not for the act."""
        words = [word for word in self.words if word not in self.grammar.openers]
        is_asked = len(words) > 2 and words[0] in self.grammar.asking_how and self.has_request_to_you(words[1:3])
        return is_asked and not self.grammar.please & {*words}

    def find_phrases(self) -> Iterator[tuple[Found, bool]]:
        """Yield the phrases that ask, and whether each replaces its verb."""
        for phrase in self.lexicon.phrases:
            for found in phrase.pattern.finditer(self.text_of_phrases):
                inside = [
                    at for at, each in enumerate(self.tokens) if found.start() < each.end and each.begin < found.end()
                ]
                if not inside:
                    continue
                asks = self.is_infinitive_asked(inside[-1]) if phrase.is_infinitive else self.may_ask(inside[0])
                if asks:
                    yield Found(found.start(), found.end(), frozenset({phrase.kind})), phrase.replaces_verb

    def kinds_asked_by(self, at: int) -> frozenset[ActKind] | None:
        """Return the kinds of act for which a word asks; none if it is another verb that asks, None if it is no verb or
        asks for nothing."""
        if self.is_part_of_name(at):
            return None
        word = self.words[at]
        pair = f"{word}-{self.words[at + 1]}" if at + 1 < len(self.words) else ""
        kinds, lexicon = NO_KINDS, self.lexicon
        if self.may_ask(at):
            kinds |= self.kinds_of(lexicon.verbs.get(pair) or lexicon.verbs.get(word, ()), at)
        if word in lexicon.asked_of_you and self.is_asked_of_you(at):
            kinds |= self.kinds_of(lexicon.asked_of_you[word], at)
        if word in lexicon.infinitives and self.is_infinitive_asked(at):
            kinds |= self.kinds_of(lexicon.infinitives[word], at)
        if self.is_for_asker(at) or (word in self.grammar.writing and self.grammar.drafts & {*self.words}):
            kinds -= {ActKind.SEND}
        if kinds and word in self.grammar.money_verbs and self.speaks_of_money:
            kinds |= {ActKind.PAY}
        is_other = word in self.grammar.other_verbs and not self.is_noun(at)
        return kinds if kinds or is_other else None

    def kinds_of(self, verbs: Sequence[Verb], at: int) -> frozenset[ActKind]:
        """Return the kinds of the verbs whose particles stand behind them, else those of verbs without particles:
        “sag Anna ab” does not tell her anything."""
        with_particle = [verb.kinds for verb in verbs if verb.particle and self.has_particle(verb.particle, at)]
        plain = [verb.kinds for verb in verbs if not verb.particle]
        return NO_KINDS.union(*(with_particle or plain))

    def has_particle(self, particle: str, at: int) -> bool:
        places = [place for place in range(at + 1, len(self.words)) if self.words[place] == particle]
        if particle in self.grammar.particles_at_end:
            return any(self.ends_clause(place) for place in places)
        return bool(places)

    def may_ask(self, at: int) -> bool:
        """Return True if the word stands as a request."""
        if self.is_dictated[at] or self.is_negated(at) or self.is_heading(at):
            return False
        if self.grammar.verbs_stand_first:
            is_noun = self.is_capital_noun(at) or self.is_followed_by_teller(at)
            return self.begins_clause(at) and not is_noun
        if at == 0 or self.is_noun(at):
            return at == 0
        if self.is_described(at) or self.is_told(at) or self.has_named_subject(at) or self.is_listed_in_tale(at):
            return False
        return self.begins_clause(at) or self.is_wished_for(at) or self.follows_place(at)

    def is_asked_of_you(self, at: int) -> bool:
        """Return True for “schickst du …?” and “ich möchte, dass du … schickst”."""
        if self.is_dictated[at] or self.is_negated(at):
            return False
        grammar = self.grammar
        if self.words[at + 1 : at + 2] and self.words[at + 1] in grammar.familiar:
            return self.begins_clause(at)
        begin = self.break_before(at)
        words = self.words[begin:at]
        wish = {*self.words[:begin]}
        return (
            len(words) > 1 and words[1] in grammar.you and bool(grammar.wishes & wish) and not grammar.negations & wish
        )

    def is_infinitive_asked(self, at: int) -> bool:
        """Return True for “kannst du … löschen”, “bitte … löschen”, “löschen Sie” and “die alte Datei löschen”."""
        grammar = self.grammar
        if self.is_dictated[at] or self.is_negated(at) or self.is_capital_noun(at):
            return False
        following = {*self.words[at + 1 : at + 2]}
        if following == {"sie"} and self.begins_clause(at):
            return True
        if following & grammar.wishing_modals and grammar.you & {*self.words[self.break_before(at) : at]}:
            return True  # “es wäre schön, wenn du … könntest”
        describing = (n for n in range(at - 1, -1, -1) if self.words[n] in grammar.describing)
        described_from = next(describing, -1)
        before = self.words[described_from + 1 : at]
        has_wish = "ich" in before and bool(grammar.wishes & {*before})
        if self.has_request_to_you(before) or has_wish:
            return True
        if described_from >= 0 and not any(token.follows_break for token in self.tokens[described_from + 1 : at + 1]):
            return False
        finite = grammar.tellers | grammar.modals | grammar.tales
        if self.is_urged or grammar.please & {*before}:
            return not finite & {*before}
        has_mark = bool(grammar.infinitive_marks & {*before}) or self.has_mark_within(at)
        is_doubted = self.sentence.rstrip(" \"'”“)").endswith("?")
        return not finite & {*before} and not has_mark and not is_doubted and self.ends_clause(at)

    def has_mark_within(self, at: int) -> bool:
        """Return True for “weiterzuleiten”, which is “zu” and “weiterleiten”."""
        word, infinitives = self.words[at], self.lexicon.infinitives
        return any(
            mark in word[1:] and word.replace(mark, "", 1) in infinitives for mark in self.grammar.infinitive_marks
        )

    def mark_what_is_told(self) -> None:
        """Note which words stand in what somebody is to be told, in what is noted, or in what somebody says: “tell Ben
        to delete the file”, “write down: pay the rent”, “the page says to run it”."""
        phrases = {found.end: found for found, _ in self.find_phrases() if found.kinds & TELLING_KINDS}
        at = 0
        if (heading := self.find_heading()) is not None:
            at = self.mark_dictated(heading)
        while at < len(self.tokens):
            at += 1
            end, following = self.tokens[at - 1].end, at
            if at < len(self.tokens) and self.reports(at - 1):
                at = self.mark_dictated(at)
                continue
            phrase = phrases.get(end) or phrases.get(end + 1)
            is_known = self.words[at - 1] in self.known_verbs | self.grammar.dictating
            kinds = self.kinds_asked_by(at - 1) if is_known else None
            if phrase is None and kinds is None:
                continue
            is_telling = phrase is not None or self.words[at - 1] in self.grammar.telling
            all_kinds = (kinds or NO_KINDS) | (phrase.kinds if phrase else NO_KINDS)
            places = range(following, len(self.tokens))
            begin = next((n for n in places if self.begins_dictation(n, is_telling, all_kinds)), None)
            if begin is not None:
                at = self.mark_dictated(begin)

    def find_heading(self) -> int | None:
        """Return the first word behind “Note:” or “To do:”."""
        before_colon = range(1, min(len(self.tokens), 1 + WORDS_OF_HEADING))
        return next(
            (n for n in before_colon if self.follows_colon(n) and self.grammar.headings & {*self.words[:n]}), None
        )

    def begins_noted_list(self) -> bool:
        """Return True for “Here is my to-do list:”: what follows in its lines is noted, and asks for nothing."""
        return self.sentence.rstrip().endswith(":") and bool(self.grammar.headings & {*self.words})

    def reports(self, at: int) -> bool:
        """Return True for “he says”, and for “the rules say:”."""
        word, grammar = self.words[at], self.grammar
        if word in grammar.telling and self.follows_colon(at + 1):
            return True
        if word in grammar.wishes and self.words[at - 1 : at] == ["ich"]:
            return False  # “ich will, dass du …”
        openings = grammar.told_after | grammar.infinitive_marks | grammar.tellers | grammar.you | grammar.please
        for following in range(at + 1, min(at + 1 + WORDS_BEFORE_REPORT, len(self.tokens))):
            if word not in grammar.reporting or self.words[following] in grammar.joins:
                return False
            if self.words[following] in openings or self.tokens[following].follows_break:
                return True
        return False

    def begins_dictation(self, at: int, is_telling: bool, kinds: frozenset[ActKind]) -> bool:
        if self.follows_colon(at) and (kinds & TELLING_KINDS or self.grammar.dictating & {*self.words[:at]}):
            return True
        if not is_telling:
            return False
        if self.words[at] in self.grammar.told_after:
            return True
        commands = bool(self.grammar.commanding & {*self.words[:at]})
        if commands and self.words[at] in self.grammar.tellers and {*self.words[at + 1 : at + 2]} & self.grammar.modals:
            return True  # “tell Ann she should …”
        is_mark = at > 1 and self.words[at - 1] in self.grammar.infinitive_marks
        if commands and is_mark and self.words[at - 2] not in self.grammar.commanding:
            return self.words[at] not in self.grammar.determiners and not self.tokens[at].is_capital
        if self.grammar.told_after_breaks and self.tokens[at].follows_break:
            return True
        pair = "-".join(self.words[at : at + 2])  # “to call off the meeting”
        is_verb = not self.known_verbs.isdisjoint({self.words[at], pair})
        return is_verb and self.words[at - 1] in self.grammar.infinitive_marks

    def mark_dictated(self, begin: int) -> int:
        """Mark the words from there on, and return the first behind them. What follows “then” is asked for again, and
        so is a verb after “and” or a comma, except in what is told with “to” or behind a colon."""
        grammar = self.grammar
        is_infinitive = self.words[begin - 1] in grammar.infinitive_marks
        is_report = self.words[begin - 1] in grammar.reporting
        has_colon = self.follows_colon(begin)
        for at in range(begin, len(self.tokens)):
            has_colon = has_colon or (is_report and self.follows_colon(at))
            if not has_colon and at > begin:
                if self.words[at] in grammar.told_until | (grammar.please if is_report else frozenset()):
                    return at
                follows = self.words[at - 1] in grammar.joins or (is_report and self.tokens[at].follows_break)
                goes_on = is_infinitive or bool(grammar.modals & {*self.words[begin:at]})  # “that I can come and pay”
                if self.words[at] in self.lexicon.verbs and follows and not goes_on:
                    return at
                if is_report and self.tokens[at].follows_break and self.has_request_to_you(self.words[at : at + 2]):
                    return at
            self.is_dictated[at] = True
        self.goes_on_being_told = self.goes_on_being_told or has_colon
        return len(self.tokens)
