"""`/model` and `/effort`: the owner chooses by what the lead is played in a chat, from its next conversation on."""

from dataclasses import replace

from bot import model_phrases as phrases
from bot.journal import admission
from bot.journal.openings import Castings, whose
from bot.limits import Terms
from bot.messages import NO_GROUP, InboundMessage
from bot.prefix import Prefix
from bot.prices import newest_of, plain
from bot.rights import ALL
from bot.store import choices, pulse
from bot.store.choices import Choice
from bot.store.connection import Connection
from bot.texts import people_models


def obey_model(db: Connection, message: InboundMessage, terms: Terms, castings: Castings) -> str:
    """Tell by what the lead is played, or choose the model that is named."""
    known = terms.settings.models
    if refusal := refuse(db, message, terms, castings):
        return refusal
    usual, before, name = usual_prefix(castings), choices.of(db, message.address), named(message)
    if not name:
        return "\n".join([told(db, message, usual, before, terms), phrases.models(known), people_models.HOW_TO_CHOOSE])
    model = next((each for each in (name, plain(name)) if each in known), "") or newest_of(name.casefold(), known)
    if not model and name.casefold() != phrases.DEFAULT:
        return phrases.unknown_model(name, known)
    choice = replace(before, model=model)
    later = played_by(usual, choice)
    efforts = known.get(later.model, frozenset())
    if model and efforts and later.effort not in efforts:
        return phrases.no_effort(model, later.effort, efforts)
    said = choose(db, message, usual, choice, terms)
    if before.model and before.model != usual.model and not choices.are_for(db, before.model):
        pulse.clear_model_fault(db, before.model)  # of a model that nobody needs any more
    return said


def obey_effort(db: Connection, message: InboundMessage, terms: Terms, castings: Castings) -> str:
    """Tell with what effort the lead works, or choose the one that is named."""
    if refusal := refuse(db, message, terms, castings):
        return refusal
    usual, before, level = usual_prefix(castings), choices.of(db, message.address), named(message).casefold()
    model = played_by(usual, before).model
    efforts = terms.settings.models.get(model, frozenset())
    if not level:
        known = phrases.efforts(model, efforts)
        return "\n".join([told(db, message, usual, before, terms), known, people_models.HOW_TO_CHOOSE])
    is_default = level == phrases.DEFAULT
    if not is_default and level not in efforts:
        return phrases.no_effort(model, level, efforts)
    return choose(db, message, usual, replace(before, effort="" if is_default else level), terms)


def refuse(db: Connection, message: InboundMessage, terms: Terms, castings: Castings) -> str:
    """Why this person chooses nothing in this chat; empty if they may."""
    if terms.settings.is_demo:
        return people_models.NO_MODEL_IN_DEMO
    if admission.rights_of(db, message.address, message.sender, message.group_chat, terms) != ALL:
        return people_models.OWNER_CHOOSES
    group = whose(db, message.address, castings.groups())
    return people_models.GROUP_CHOOSES(group=group) if group else ""


def usual_prefix(castings: Castings) -> Prefix:
    """What the lead is played by where nothing was chosen."""
    casting = castings.of(NO_GROUP, castings.groups(), ALL)
    assert casting, "there is always a lead"
    return casting.prefix


def named(message: InboundMessage) -> str:
    return message.text.partition(" ")[2].strip()


def choose(db: Connection, message: InboundMessage, usual: Prefix, choice: Choice, terms: Terms) -> str:
    choices.put(db, message.address, choice, message.sender.id, terms.now)
    return people_models.NEXT_MODEL(model=words(played_by(usual, choice), terms))


def told(db: Connection, message: InboundMessage, usual: Prefix, later: Choice, terms: Terms) -> str:
    now = choices.of_conversation(db, message.address) or later
    return phrases.current(words(played_by(usual, now), terms), words(played_by(usual, later), terms))


def played_by(usual: Prefix, choice: Choice) -> Prefix:
    return usual.played_by(choice.model, choice.effort)


def words(prefix: Prefix, terms: Terms) -> str:
    return phrases.played(prefix.model, prefix.effort, terms.settings.models.get(prefix.model, frozenset()))
