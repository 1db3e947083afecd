"""Where a verb stands in its sentence: whether it may ask there."""

from itertools import pairwise

from bot.core.request_reading.sentence import Sentence

WORDS_THAT_NEGATION_REACHES = 3
WORDS_BEFORE_INFINITIVE = 4  # in which a tale may begin: “I had to pay”
WORDS_OF_PLACE = 4


class VerbPlaces(Sentence):
    """A sentence that knows whether the word at a place is negated, told, wished for or a heading."""

    def is_wished_for(self, at: int) -> bool:
        """Return True for a verb behind words that ask: “can you … send”, “please … send”, “I want you to send”."""
        grammar, before = self.grammar, self.words[self.break_before(at) : at]
        if before and before[-1] in grammar.infinitive_marks:
            if self.is_urged_to(at):
                return True  # “make sure to send it”
            plain = [word for word in before if word not in grammar.openers | grammar.adverbs]
            has_duty = any(
                (one in grammar.you and other in grammar.duties) or (one in grammar.duties and other in grammar.you)
                for one, other in pairwise(plain)
            )
            if (has_duty or before[0] in grammar.using) and not grammar.auxiliaries & {*before}:
                return True  # “you have to send it”, “I need you to send it”, “use the shell to delete it”
        if grammar.please & {*before} or self.has_request_to_you(before):
            return before[-1] not in grammar.infinitive_marks or not grammar.waiting & {*before}
        plain = [word for word in before if word not in grammar.modals | grammar.adverbs or word in grammar.auxiliaries]
        return any(one in grammar.wishing and other in grammar.wishes for one, other in pairwise(plain)) and (
            not grammar.auxiliaries & {*plain}
        )

    def is_urged_to(self, at: int) -> bool:
        """Return True if words such as “make sure to” stand before a verb."""
        *before, _ = self.text_of_phrases[: self.tokens[at].begin].lower().split()
        return f" {' '.join(before)}".endswith(tuple(f" {words}" for words in self.grammar.urging))

    def follows_place(self, at: int) -> bool:
        """Return True for “to each user write the message” and “on Monday send the mail”."""
        grammar, begin = self.grammar, self.clause_begin(at)
        before = self.words[begin:at]
        if not 1 < len(before) <= WORDS_OF_PLACE or before[0] not in grammar.places or before[-1].endswith("s"):
            return False
        times = self.lexicon.words_of_time
        names = (
            n for n in range(begin, at) if self.tokens[n].is_capital and self.words[n] not in times | grammar.places
        )
        has_subject = grammar.tellers & {*before} or any(True for _ in names)
        has_object = {*self.words[at + 1 : at + 2]} & (grammar.determiners | grammar.objects)
        return bool(has_object and not has_subject and (grammar.determiners | times) & {*before[1:]})

    def is_listed_in_tale(self, at: int) -> bool:
        """Return True for “pay” in “I have to call mum, pay the rent and buy milk”."""
        grammar, before = self.grammar, self.words[:at]
        opening = next((n for n in range(1, at) if self.words[n] in grammar.infinitive_marks), 0)
        if not opening or self.words[opening - 1] not in grammar.tales or not grammar.tellers & {*before[:opening]}:
            return False
        if (grammar.please | grammar.contrasts) & {*before} or self.has_request_to_you(before):
            return False
        joined = (n for n in range(opening, len(self.words) - 1) if self.words[n] in grammar.joins)
        return any(self.words[n + 1] in self.known_verbs | grammar.other_verbs for n in joined)

    def is_heading(self, at: int) -> bool:
        """Return True for a noun that begins a sentence: “Mail from Bob: …”, “Frage: …”, “Order status?”."""
        word, following = self.words[at], self.words[at + 1 : at + 2]
        if word not in self.grammar.also_nouns or any(each not in self.grammar.openers for each in self.words[:at]):
            return False
        is_question = self.sentence.rstrip(" \"'”“)").endswith("?") and not self.grammar.please & {*self.words}
        if not following:
            return is_question or self.grammar.verbs_stand_first
        if following[0] in self.union_of("sources") or self.follows_colon(at + 1):
            return True
        if self.grammar.verbs_stand_first:
            return is_question or self.tokens[at + 1].follows_break
        is_pair = f"{word}-{following[0]}" in self.lexicon.verbs  # “set up a call?”
        has_object = is_pair or following[0] in self.grammar.determiners | self.grammar.objects
        return is_question and not has_object and not self.tokens[at + 1].is_capital

    def is_for_asker(self, at: int) -> bool:
        """Return True for what is only to be told here: “write me …”, “tell us …”, “answer in German”."""
        grammar, end = self.grammar, self.break_behind(at)
        following = [word for word in self.words[at + 1 : end] if word not in grammar.manners | grammar.please]
        if self.words[at] in grammar.telling and following and following[0] in grammar.selves:
            return True
        if self.words[at] not in grammar.answers:
            return False
        match following:
            case []:
                return end > at + 1  # “antworte kurz”
            case [way]:
                return way in grammar.ways  # “in German”: the languages are manners
            case [way, number, *_]:
                return way in grammar.ways and number in self.counting_words  # “in one sentence”
            case _:
                return False

    def is_followed_by_teller(self, at: int) -> bool:
        """Return True for “schreibe ich”, but not for “schreib ihr”."""
        following = self.words[at + 1 : at + 2]
        return bool(following) and following[0] in self.grammar.tellers - self.grammar.you - {"es"}

    def is_negated(self, at: int) -> bool:
        """Return True if a negation reaches a verb: one of its part of the sentence, up to a word such as “but”. It
        reaches all verbs of a list: “don't send, forward or mail it”."""
        negations, behind = self.union_of("negations"), self.union_of("negations_after")
        begin, end = self.list_around(at)
        before = self.words[self.contrast_before(begin, at) : at]
        pairs = {f"{one}-{other}" for one, other in pairwise(before)}
        near = self.words[max(0, at - WORDS_THAT_NEGATION_REACHES) : at]
        after = self.words[at + 1 : self.contrast_behind(at, end)]
        if self.grammar.negation_reaches_breaks:
            near = []
        else:
            after = after[:WORDS_THAT_NEGATION_REACHES]
        return bool(negations & {*before, *near, *pairs} or behind & {*after})

    def is_described(self, at: int) -> bool:
        """Return True if the verb stands in a clause that describes, such as “what people post”."""
        before = self.words[self.clause_begin(at) : at]
        if self.grammar.please & {*before} or self.has_request_to_you(before):
            return False
        return bool(self.grammar.describing & {*before})

    def is_told(self, at: int) -> bool:
        """Return True for a tale: “the amount I pay”, “Tom will pay”, “I had to pay”."""
        grammar = self.grammar
        begin = max(self.break_before(at), at - 8)
        before = [word for word in self.words[begin:at] if word not in grammar.adverbs]
        if before and before[-1] in grammar.infinitive_marks:
            opening = {*before[-1 - WORDS_BEFORE_INFINITIVE : -1]}
            return bool(grammar.tales & opening) and not grammar.you & opening  # “you have to send it”
        has_modal = False
        while before and before[-1] in grammar.modals:
            before.pop()
            has_modal = True
        if not before:
            return False
        if before[-1] in grammar.you:
            return not has_modal and not (len(before) > 1 and before[-2] in grammar.modals)
        if before[-1] in self.union_of("tellers") or self.is_plural_subject(at - 1):
            return True
        return has_modal and before[-1] not in grammar.openers

    def has_named_subject(self, at: int) -> bool:
        """Return True if only names stand before a verb in its sentence: “Customers pay”, “Ann and Ben share”."""
        grammar = self.grammar
        no_names = self.known_verbs | grammar.other_verbs | grammar.openers | grammar.adverbs | grammar.please
        no_names |= self.union_of("determiners") | grammar.modals | self.lexicon.words_of_time
        names = [place for place in range(at) if self.words[place] not in grammar.joins]
        if not names or names[-1] != at - 1 or any(self.tokens[place].follows_break for place in range(1, at + 1)):
            return False
        return all(self.tokens[place].is_capital and self.words[place] not in no_names for place in names)

    def is_plural_subject(self, at: int) -> bool:
        """Return True for “the instructions” before a verb."""
        is_named = at > 0 and self.words[at - 1] in self.grammar.determiners and not self.tokens[at].follows_break
        return is_named and self.words[at].endswith("s") and not self.tokens[at + 1].follows_break
