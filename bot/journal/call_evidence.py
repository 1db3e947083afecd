"""What the gate is told about a call: the conversation's flags, the person's words, what is trusted and allowed, and
what the request has done so far. All of it is in rows."""

from collections.abc import Collection, Sequence

from bot.core.clients import is_of_client
from bot.core.gate import CallEvidence
from bot.core.grants import WEB_GRANT
from bot.core.limits import DecisionTerms
from bot.core.messages import NO_GROUP, GroupName, MessageId
from bot.core.reply_plan import DELEGATE_TOOL_NAME
from bot.core.request_reading import read_request
from bot.core.request_reading.own_words import own_words
from bot.core.sources import Flags, flags_of
from bot.core.turn import CallId, Turn, TurnId, delegation_of_report
from bot.journal.clock import zone_of_person
from bot.journal.languages import language_of_person
from bot.store import held_calls, known_values, schedules, turns, written_words
from bot.store.connection import Connection
from bot.store.known_values import ValueKind
from bot.store.schedules import Schedule
from bot.store.sessions import Chapter

MAX_REPORTS_FOLLOWED = 5  # from a turn that reads a report to the turn that has asked for it


def load_call_evidence(
    db: Connection, turn: Turn, flags: Flags, terms: DecisionTerms, besides: Collection[CallId]
) -> CallEvidence:
    """Return what is known when a turn's call is judged. The calls in `besides` do not count as made."""
    above = list_turn_and_turns_above(db, turn)
    top = above[-1]
    request, conversation = load_words_of_person(db, top)
    known = known_values.load_known_values(db, [each.session for each in above])
    tops = [top, *list_requests_of_reports(db, top)]
    channel = turn.address.channel
    language = language_of_person(db, channel, turn.person, terms)
    trusted, owned = known_values.split_by_owner(known[ValueKind.TRUSTED])
    return CallEvidence(
        flags=flags,
        request=read_request(request, terms.resolved_settings.lexicons.choose(language.code)),
        words=conversation,
        now=terms.now.astimezone(zone_of_person(db, channel, turn.person, terms)),
        trusted=trusted,
        owned=owned,
        read_sites=frozenset().union(*known[ValueKind.SITE].values()),
        grants=known_values.grants_of_person(known[ValueKind.GRANT], turn.person, other_group(turn, top)),
        made_so_far=held_calls.list_paths_made_below(db, top.id, turn.group),
        acts_so_far=[acts for each in tops for acts in held_calls.list_acts_below(db, each.id, besides)],
        delegations_so_far=held_calls.count_calls_below(db, top.id, DELEGATE_TOOL_NAME, besides),
    )


def load_evidence_of_schedule(db: Connection, schedule: Schedule, terms: DecisionTerms) -> CallEvidence:
    """Return what is known when the condition of a schedule runs a tool: what was read, and what its person had
    written, when the schedule was made."""
    channel, person = schedule.address.channel, schedule.person
    language = language_of_person(db, channel, person, terms)
    return CallEvidence(
        flags=flags_of(schedule.sources, person),
        request=read_request(schedule.words, terms.resolved_settings.lexicons.choose(language.code)),
        words=schedule.words,
        now=terms.now.astimezone(zone_of_person(db, channel, person, terms)),
    )


def find_withheld_tools(db: Connection, turn: Turn, chapter: Chapter) -> frozenset[str]:
    """Return the tools of the model's server that are not offered: nobody can judge what the server does with them in
    the course of one request. After private things were read, one yes of a person offers them again."""
    if not may_withhold_tools(turn, chapter):
        return frozenset()
    above = list_turn_and_turns_above(db, turn)
    known = known_values.load_known_values(db, [each.session for each in above])
    grants = known_values.grants_of_person(known[ValueKind.GRANT], turn.person, other_group(turn, above[-1]))
    return frozenset() if WEB_GRANT in grants else chapter.served


def may_withhold_tools(turn: Turn, chapter: Chapter) -> bool:
    return bool(chapter.served) and flags_of(chapter.sources, turn.person).private


def list_turn_and_turns_above(db: Connection, turn: Turn) -> Sequence[Turn]:
    """Return a turn and all turns above it, also those that it goes on for in the background; the topmost is last."""
    found = [turn]
    while "/" in found[-1].id:
        found.append(turns.get_turn(db, found[-1].parent_id))
    return found


def find_topmost_turn(db: Connection, turn: Turn) -> Turn:
    """Return the topmost turn above a turn: what a person allows holds in its conversation."""
    return list_turn_and_turns_above(db, turn)[-1]


def other_group(turn: Turn, top: Turn) -> GroupName:
    """Return the group in which a turn works, if the agent that answers its person works elsewhere: there the same name
    is another file, and the same number another thing. NO_GROUP if both work in one place."""
    return turn.group if turn.group != top.group else NO_GROUP


def load_words_of_person(db: Connection, top: Turn) -> tuple[str, str]:
    """Return what the person of a topmost turn wrote to its request, and all that they wrote in its conversation. For a
    run of a schedule that is what they wrote when it was made; for a turn that reads a report, what the request says
    that the report is for."""
    written = written_words.list_written_texts(db, top.person, top.session, top.id)
    is_task = is_of_client(top.address)
    request = [own_words(each.text, is_task=is_task) for each in written if each.is_of_request]
    others = [own_words(each.text, is_task=is_task) for each in written if not each.is_of_request]
    if top.schedule and (schedule := schedules.find_schedule(db, top.schedule)):
        request.append(schedule.words)  # they were read so when it was made
    for origin in list_requests_of_reports(db, top):
        asked = written_words.list_written_texts(db, origin.person, origin.session, origin.id)
        request += [own_words(each.text) for each in asked if each.is_of_request]
    joined = "\n".join(request)
    return joined, "\n".join([*others, joined])


def load_words_of_request(db: Connection, turn: Turn) -> str:
    """Return what the person wrote to the request that a turn belongs to."""
    return load_words_of_person(db, find_topmost_turn(db, turn))[0]


def list_requests_of_reports(db: Connection, top: Turn) -> list[Turn]:
    """Return the topmost turns that have begun the delegations whose reports a turn has read, and so on."""
    found: dict[TurnId, Turn] = {}
    ahead = [top]
    for _ in range(MAX_REPORTS_FOLLOWED):
        keys = [key for each in ahead for key in written_words.list_reports_taken_by_turn(db, each.id)]
        origins = [origin for key in keys if (origin := delegation_of_report(MessageId(key)))]
        tops = [find_topmost_turn(db, turns.get_turn(db, origin)) for origin in origins]
        ahead = [each for each in tops if each.id not in found and each.person == top.person]
        found |= {each.id: each for each in ahead}
    return list(found.values())
