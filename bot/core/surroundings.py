"""Where a turn works, as the model reads it at the beginning of a chapter."""

from collections.abc import Sequence

from bot.core.content_blocks import sanitize_and_shorten_name
from bot.core.languages import ENGLISH, current_language
from bot.core.limits import DecisionTerms
from bot.core.rights import FILE_RIGHTS
from bot.core.texts import model
from bot.core.turn import Turn


def turn_surroundings_text(turn: Turn, terms: DecisionTerms, zone: str = "", remembered: Sequence[str] = ()) -> str:
    """Return where a turn works. It is part of the first message, because the prefix is the same for all chats. `zone`
    is the time zone that its person has set; empty if they have set none."""
    address, person = turn.address, sanitize_and_shorten_name(turn.asker)
    chat = model.CHAT(channel=address.channel, chat=address.chat, person=person)
    if address.thread:
        chat = model.THREAD(channel=address.channel, chat=address.chat, thread=address.thread, person=person)
    facts = [
        model.TODAY_IN_ZONE(day=terms.today, time_zone=terms.resolved_settings.operator_time_zone),
        chat,
        *([terms.surroundings_by_channel.get(address.channel, "")] if turn.is_root or turn.is_direct else []),
        *([times_of_messages_text(person, zone, terms)] if turn.is_root else []),
        *([language_text(person)] if turn.is_root or turn.is_direct else []),
        *([model.GROUP(group=turn.group)] if turn.group else []),
        *([model.PATHS] if terms.resolved_settings.writable_workspace and turn.rights & FILE_RIGHTS else []),
        *remembered,
    ]
    return model.SURROUNDINGS(facts="\n".join(filter(None, facts)))


def times_of_messages_text(person: str, zone: str, terms: DecisionTerms) -> str:
    of_operator = terms.resolved_settings.operator_time_zone
    known = model.ZONE_OF_PERSON(person=person, zone=zone) if zone else model.ZONE_NOT_KNOWN(person=person)
    return f"{model.TIMES(zone=of_operator)}\n{known}"


def language_text(person: str) -> str:
    """Return in which language the bot itself speaks to the turn's person. Empty if it is English: a model answers in
    the language of the words before it, and without any in English."""
    language = current_language()
    if language is ENGLISH:
        return ""
    return model.LANGUAGE_OF_PERSON(person=person, language=language.name, code=language.code)
