"""The gate: whether a call may run, or a person has to be asked first. It is a pure function, and the only place that
decides it.

Once a conversation holds words of others, its model may be fooled. From then on a call with a consequential effect runs
only if the person's own words ask for this kind of act, and if who, where, which and how much stand in them too, or in
parts of results that no outsider writes. docs/security.md says what that promises, and what it does not.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum, StrEnum, auto
from typing import NamedTuple

from bot.core.acts import CONSEQUENTIAL_EFFECTS, SENDING_EFFECTS, Act, ActKind, Critical, Effect, Part
from bot.core.grants import TARGET_PARTS, WEB_GRANT, grant_of, grantable_target
from bot.core.request_reading import RequestReading
from bot.core.request_reading.amounts import amounts_in, amounts_to_pay
from bot.core.request_reading.counts import has_no_bound
from bot.core.request_reading.exclusions import without_exclusions
from bot.core.request_reading.given_names import is_name_given
from bot.core.request_reading.open_times import is_single_time, is_time_left_open
from bot.core.request_reading.paths import FILE_NAME_PATTERN, is_path_named, list_file_names
from bot.core.request_reading.pointers import is_web_address, list_codes, list_pointers
from bot.core.request_reading.time_values import names_time
from bot.core.request_reading.values import (
    as_number,
    fold,
    is_address_written,
    is_in_many_requests,
    is_said_by,
    is_written,
    plain_address,
    site_of,
    stands_as_name,
    stands_in,
)
from bot.core.sources import Flags
from bot.core.unseen_links import iterate_links, normalize_link

MAX_UNASKED_DELEGATIONS = 6  # of one request, once words of others were read
CHOOSING_EFFECTS = SENDING_EFFECTS | {Effect.DESTROYS, Effect.RUNS_CODE}  # of what must be named where it is asked for
NAMING_PARTS = TARGET_PARTS | {Part.NAME}
PAYMENT_PARTS = TARGET_PARTS | {Part.MUCH}  # what tells who gets a payment, or how much it is
SEARCH_PATTERN = re.compile(r"[\w\s.,:;!?'\"()&+-]*")
MAX_SEARCH_LENGTH = 200
PLAIN_VALUE_PATTERN = re.compile(r"\d{1,5}|true|false")  # of a query: how many results, from which line on, whether so
LIST_NUMBER_PATTERN = re.compile(r"(?m)(?:^|(?<=\s))\d{1,2}[.)]\s")  # “1. the file … 2. the mail” names no ids
TARGET_PATTERN = re.compile(r"\w[^\s,;'\"()<>]*\w")  # what may have the shape of an address or an account
TOKEN_PATTERN = re.compile(r"[^\W_]+")


class Reason(StrEnum):
    """Why a person is asked about a call."""

    ACT_NOT_ASKED_FOR = "act"
    THING_NOT_NAMED = "thing"
    VALUE_FROM_OUTSIDE = "value"
    VALUE_NOT_MEANT = "meant"
    POINTER_IN_TEXT = "pointer"
    SITE_WAS_READ = "site"
    WEB_AFTER_PRIVATE = "web"
    TEXT_TO_DESCRIBED_PERSON = "text"
    NOTHING_OF_PAYMENT = "payment"
    TOO_MANY = "count"
    TOO_MUCH_WORK = "work"
    REACHES_HOSTS = "hosts"


class Doubt(NamedTuple):
    """Why a call may not run unasked. `value` is what it is about, if it is about one."""

    reason: Reason
    value: str = ""


class Origin(Enum):
    """Where the text of a critical argument stands."""

    PERSON = auto()  # in what the person wrote
    TRUSTED = auto()  # in a part of a result that no outsider writes
    OUTSIDER = auto()  # only where an outsider may have written, or nowhere


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEvidence:
    """What is known when a call is judged."""

    flags: Flags
    request: RequestReading  # the person's words for this request
    words: str  # all that the person wrote in the conversation
    now: datetime  # on the person's clock
    trusted: Mapping[str, AbstractSet[str]] = field(default_factory=dict)  # normalized values by their type
    owned: Mapping[tuple[str, str], AbstractSet[str]] = field(default_factory=dict)  # by type and owner: see `trust`
    read_sites: AbstractSet[str] = frozenset()  # whose pages were read
    shown_links: AbstractSet[str] = frozenset()  # that others have shown to the bot, normalized
    grants: AbstractSet[tuple[str, str]] = frozenset()  # what a person has allowed: a tool, and a normalized value
    made_so_far: AbstractSet[str] = frozenset()  # the paths of the files that this request has made
    acts_so_far: Sequence[AbstractSet[ActKind]] = ()  # of this request, in all its delegations
    delegations_so_far: int = 0  # of this request


def judge_call(act: Act, known: CallEvidence) -> Doubt | None:
    """Return why a person has to be asked about a call; None if it may run."""
    return next(find_doubts(act, known), None)


def find_doubts(act: Act, known: CallEvidence) -> Iterator[Doubt]:
    """Yield all that a person has to be asked about a call, the first reason first; nothing if it may run."""
    if act.is_of_server:
        if known.flags.private and WEB_GRANT not in known.grants:
            yield Doubt(Reason.WEB_AFTER_PRIVATE)
        return
    is_way_out = bool(act.hosts) and known.flags.private
    if not known.flags.untrusted and not is_way_out and not is_unknown(act):
        return
    if act.is_own_work:
        if known.delegations_so_far >= MAX_UNASKED_DELEGATIONS:
            yield Doubt(Reason.TOO_MUCH_WORK, str(MAX_UNASKED_DELEGATIONS))
        return
    if is_granted(act, known) or is_about_what_it_has_made(act, known):
        return
    if act.hosts:  # what a command sends there is not to be seen in its arguments
        yield Doubt(Reason.REACHES_HOSTS, act.hosts)
        return
    if act.is_query:
        yield from find_doubts_about_query(act, known)
        return
    finders: Sequence[Callable[[Act, CallEvidence], Iterator[Doubt]]] = (
        find_doubts_about_kind,
        find_doubts_about_values,
        find_doubts_about_text,
        find_doubts_about_payment,
        find_doubts_about_count,
    )
    for find in finders:
        yield from find(act, known)


def is_unknown(act: Act) -> bool:
    """Return True for a call that nobody has described, and whose result anybody may write."""
    return not (act.kinds or act.is_query or act.is_own_work) and Effect.READS_UNTRUSTED in act.effects


def is_granted(act: Act, known: CallEvidence) -> bool:
    target = grantable_target(act)
    return target is not None and grant_of(act, target) in known.grants


def is_about_what_it_has_made(act: Act, known: CallEvidence) -> bool:
    """Return True for a change of a file that the same request has made: nobody else has put anything into it."""
    targets = [value for critical, value in act.values if critical.part in NAMING_PARTS] if "file" in act.things else []
    is_change = bool(act.kinds) and act.kinds <= {ActKind.CHANGE, ActKind.MAKE}
    is_harmless = not act.effects & (SENDING_EFFECTS | {Effect.DESTROYS})
    return is_change and is_harmless and bool(targets) and all(target in known.made_so_far for target in targets)


def find_doubts_about_query(act: Act, known: CallEvidence) -> Iterator[Doubt]:
    """After private things were read, what is asked elsewhere must be the person's own words."""
    if not known.flags.private:
        if known.flags.knows_memories:
            yield from find_doubts_about_addresses(act, known)
        return
    for critical, value in act.values:
        if critical.part is Part.WHERE:
            if not stands_in_words_or_is_made_of_them(value, known.words):
                yield Doubt(Reason.WEB_AFTER_PRIVATE, value)
        elif critical.part is Part.TEXT:
            if not is_said_by(value, known.words):
                yield Doubt(Reason.TEXT_TO_DESCRIBED_PERSON)
        elif origin_of(act, critical, value, known, is_target=True) is not Origin.PERSON:
            yield Doubt(Reason.VALUE_FROM_OUTSIDE, value)
    texts = (line for line in act.free_text.split("\n") if not PLAIN_VALUE_PATTERN.fullmatch(line))
    if not is_said_by("\n".join(texts), known.words):
        yield Doubt(Reason.TEXT_TO_DESCRIBED_PERSON)


def find_doubts_about_addresses(act: Act, known: CallEvidence) -> Iterator[Doubt]:
    """An address that nobody has shown or written may tell the memories that the conversation began with."""
    for text in (*(value for _, value in act.values), *act.free_text.split("\n")):
        for address in list_addresses(text):
            if normalize_link(address) not in known.shown_links and not is_address_written(address, known.words):
                yield Doubt(Reason.WEB_AFTER_PRIVATE, address)


def list_addresses(text: str) -> list[str]:
    """Return what a query may ask: the whole text if it may be an address, or the links in it. A single word with a dot
    may be a host; among other words, it is more likely a name."""
    is_word = len(text.split()) == 1
    if is_word and ("/" in text or list_pointers(text)):
        return [text]
    return list(iterate_links(text))


def stands_in_words_or_is_made_of_them(value: str, words: str) -> bool:
    """Return True for an address that the person wrote, or a search whose every word the person wrote."""
    is_address = "/" in value or bool(list_pointers(value))
    if is_address_written(value, words) if is_address else stands_in(value, words):
        return True
    known, asked = ({word.casefold() for word in TOKEN_PATTERN.findall(text)} for text in (words, value))
    is_plain = SEARCH_PATTERN.fullmatch(value) is not None and len(value) <= MAX_SEARCH_LENGTH
    return is_plain and not is_address and bool(asked) and asked <= known


def find_doubts_about_kind(act: Act, known: CallEvidence) -> Iterator[Doubt]:
    if not known.request.names(act.kinds):
        yield Doubt(Reason.ACT_NOT_ASKED_FOR)
    if act.things and not (known.request.speaks_of(act.things) or is_file_named(act, known)):
        yield Doubt(Reason.THING_NOT_NAMED)


def is_file_named(act: Act, known: CallEvidence) -> bool:
    """Return True if the act is about a file whose name the person has written: that speaks of a file, too."""
    targets = [value for critical, value in act.values if critical.part in NAMING_PARTS]
    files = [value for value in targets if FILE_NAME_PATTERN.search(value)] if "file" in act.things else []
    words, lexicons = known.request.words, known.request.lexicons
    return any(stands_in(value, words) or is_path_named(value, words, lexicons) for value in files)


def find_doubts_about_values(act: Act, known: CallEvidence) -> Iterator[Doubt]:
    is_sending, lacking = bool(act.effects & SENDING_EFFECTS), list[str]()
    for critical, value in act.values:
        if is_sending and critical.part is Part.WHERE and site_of(value) in known.read_sites:
            yield Doubt(Reason.SITE_WAS_READ, site_of(value))
        origin = origin_of(act, critical, value, known, is_target=is_sending)
        is_to_be_chosen = Effect.DESTROYS in act.effects and critical.part is Part.WHICH  # by the person alone
        is_from_outside = origin is Origin.OUTSIDER and not is_left_open(act, critical, value, known)
        if is_from_outside or (is_to_be_chosen and origin is not Origin.PERSON):
            lacking.append(value)
    written = {value for value in lacking if is_written(value, known.words)}
    for value in sorted(dict.fromkeys(lacking), key=lambda each: each in written):
        yield Doubt(Reason.VALUE_NOT_MEANT if value in written else Reason.VALUE_FROM_OUTSIDE, value)


def is_left_open(act: Act, critical: Critical, value: str, known: CallEvidence) -> bool:
    """Return True for the time of something new, if the person has named no time at all: somebody has to choose it."""
    done = act.effects & CONSEQUENTIAL_EFFECTS
    is_new = Effect.MAKES_NEW in done and done <= {Effect.MAKES_NEW, Effect.SENDS_OUT}
    request = known.request
    is_open = is_single_time(value) and is_time_left_open(request.words, known.now, request.lexicons)
    return critical.part is Part.WHEN and is_new and is_open


def find_doubts_about_text(act: Act, known: CallEvidence) -> Iterator[Doubt]:
    """What is sent names no address but those that the person or a trusted part of a result has named; after private
    things were read, no long number either. To somebody who is only described it then says only what the person says.
    """
    if not act.effects & SENDING_EFFECTS:
        return
    codes = list_codes(act.free_text) if known.flags.private else []
    for pointer in (*list_pointers(act.free_text), *codes):
        lexicons = known.request.lexicons
        words = plain_address(without_exclusions(known.words, lexicons))
        is_said = stands_in(pointer, words, is_target=not is_web_address(pointer), lexicons=lexicons)
        if not is_said and not any(pointer in values for values in known.trusted.values()):
            yield Doubt(Reason.POINTER_IN_TEXT, pointer)
    if ActKind.PAY in act.kinds or not known.flags.private:
        return
    recipients = [(critical, value) for critical, value in act.values if critical.part is Part.WHO]
    is_described = any(origin_of(act, *each, known, is_target=True) is Origin.TRUSTED for each in recipients)
    if is_described and not is_said_by(act.free_text, known.words):
        yield Doubt(Reason.TEXT_TO_DESCRIBED_PERSON)


def find_doubts_about_payment(act: Act, known: CallEvidence) -> Iterator[Doubt]:
    """Of a payment the person has said who gets it or how much it is."""
    values = [each for each in act.values if each[0].part in PAYMENT_PARTS]
    origins = (origin_of(act, *each, known, is_target=True) for each in values)
    if ActKind.PAY in act.kinds and Origin.PERSON not in origins:
        yield Doubt(Reason.NOTHING_OF_PAYMENT)


def find_doubts_about_count(act: Act, known: CallEvidence) -> Iterator[Doubt]:
    """Of an act that the person has asked for, there are no more than they have named."""
    allowed = known.request.count_named(act.kinds, act.things) if known.request.names(act.kinds) else None
    if allowed is not None and sum(bool(kinds & act.kinds) for kinds in known.acts_so_far) >= allowed:
        yield Doubt(Reason.TOO_MANY, str(allowed))


def origin_of(act: Act, critical: Critical, value: str, known: CallEvidence, *, is_target: bool = False) -> Origin:
    """Return where the text of a critical argument stands. If `is_target`, something goes to it: what the person names
    only as a source is no target."""
    if is_of_person(act, critical, value, known, is_target=is_target):
        return Origin.PERSON
    if critical.is_own_id:
        return Origin.TRUSTED
    trusted = trust(critical, known)
    is_trusted = is_one_of(value, trusted, is_number=critical.part is Part.MUCH)
    return Origin.TRUSTED if is_trusted and not has_named_another(act, critical, trusted, known) else Origin.OUTSIDER


def trust(critical: Critical, known: CallEvidence) -> AbstractSet[str]:
    """Return the trusted values of a type. Those that are somebody's count only if the request names their owner; of
    several amounts none does, since it is not said which."""
    words = LIST_NUMBER_PATTERN.sub(" ", without_exclusions(known.request.words, known.request.lexicons))
    named = [
        values
        for (each, owner), values in known.owned.items()
        if each == critical.type and not is_in_many_requests(owner) and stands_in(owner, words)
    ]
    owned = frozenset[str]().union(*named)
    is_unclear = critical.part is Part.MUCH and len({as_number(each) or each for each in owned}) > 1
    return frozenset(known.trusted.get(critical.type, ())) | (frozenset() if is_unclear else owned)


def has_named_another(act: Act, critical: Critical, trusted: AbstractSet[str], known: CallEvidence) -> bool:
    """Return True if the person has named a value of this type, but not the one at hand: then no other will do. What
    only looks like one must be named wherever the words ask for this kind of act: “reply to ann@team.example”."""
    words = LIST_NUMBER_PATTERN.sub(" ", known.words)
    if any(stands_in(each, words) for each in trusted):
        return True
    if critical.part is Part.MUCH:
        return bool(list_amounts(act, known))
    clauses = [each.clause for each in known.request.acts if each.kinds & act.kinds]
    return bool(critical.shape and clauses) and all(names_target(critical.shape, each, known) for each in clauses)


def names_target(shape: str, words: str, known: CallEvidence) -> bool:
    """Return True if the words name something of this shape to which something may go."""
    alike = (each for each in TARGET_PATTERN.findall(words) if re.search(shape, each))
    return any(stands_in(each, words, is_target=True, lexicons=known.request.lexicons) for each in alike)


def is_one_of(value: str, trusted: AbstractSet[str], *, is_number: bool) -> bool:
    if fold(value) in trusted:
        return True
    number = as_number(value) if is_number else None
    return number is not None and any(as_number(each) == number for each in trusted)


def is_of_person(act: Act, critical: Critical, value: str, known: CallEvidence, *, is_target: bool) -> bool:
    words, lexicons = words_that_choose(act, critical, known), known.request.lexicons
    if critical.shape and not re.search(critical.shape, value):
        return False
    if any(stands_in(each, words) for each in dict(critical.said_as).get(value, ())):
        return True
    match critical.part:
        case Part.NAME:
            return is_name_given(value, known.words, lexicons, is_file="file" in act.things)
        case Part.MUCH:
            number = as_number(value)
            return stands_in(value, words) if number is None else number in list_amounts(act, known)
        case Part.WHERE:
            return stands_in(plain_address(value), plain_address(words), is_target=is_target, lexicons=lexicons)
        case Part.WHO:
            if is_target and not critical.shape:
                return stands_as_name(value, words, lexicons)
            return stands_in(value, words, is_target=is_target, lexicons=lexicons)
        case Part.WHEN:
            return names_time(value, known.request.words, known.now, lexicons)  # an old “tomorrow” is over
        case Part.TEXT:
            return is_said_by(value, known.words)
        case Part.WHICH:
            return stands_in(value, words) or is_path_named(value, words, lexicons)
        case Part.VALUE:
            return stands_in(value, words)


def words_that_choose(act: Act, critical: Critical, known: CallEvidence) -> str:
    """Return the words in which a value counts as named. If the words that ask for this kind of act hold one like it,
    only those do; what is left out, as in “all files except taxes.pdf”, never does."""
    lexicons = known.request.lexicons
    if act.is_query:
        return known.words
    if not act.effects & CHOOSING_EFFECTS:
        return without_exclusions(known.words, lexicons)
    acts = [each for each in known.request.acts if each.kinds & act.kinds]
    clauses = [each.clause for each in acts]
    if Effect.DESTROYS in act.effects:  # “delete all files, taxes.pdf stays”
        clauses = [each.part if has_no_bound(each.part, lexicons) else each.clause for each in acts]
    if act.kinds == {ActKind.RUN} or any(holds_alike(act, critical, each) for each in clauses):
        return without_exclusions("\n".join(clauses), lexicons)
    words = words_up_to(clauses, known.words) if Effect.DESTROYS in act.effects else known.words
    return without_exclusions(words, lexicons)


def holds_alike(act: Act, critical: Critical, clause: str) -> bool:
    """Return True if the words hold something like the value of a critical argument."""
    if critical.shape:
        return any(re.search(critical.shape, each) for each in TARGET_PATTERN.findall(clause))
    if critical.part is Part.WHERE:
        return any(map(is_web_address, list_pointers(clause)))
    return critical.part in NAMING_PARTS and "file" in act.things and bool(list_file_names(clause))


def words_up_to(clauses: Sequence[str], words: str) -> str:
    """Return the words to the end of the last clause: “delete it” speaks of what was named before."""
    ends = [words.rfind(each) + len(each) for each in clauses if each in words]
    return words[: max(ends)] if ends else words


def list_amounts(act: Act, known: CallEvidence) -> frozenset[float]:
    if Effect.SPENDS in act.effects:
        return amounts_to_pay(known.request, act.kinds)
    return amounts_in(known.request.words, known.request.lexicons, is_money=False)
