"""`/model` and `/effort`: the owner chooses the lead's model and effort in a chat, from its next conversation on."""

from dataclasses import replace

from bot.core import phrases
from bot.core.limits import DecisionTerms
from bot.core.messages import NO_GROUP, Address, InboundMessage
from bot.core.prices import canonical_model_id, newest_model_of_family
from bot.core.prompt_prefix import PromptPrefix
from bot.core.rights import EVERY_RIGHT
from bot.core.texts import people_models
from bot.journal import admission
from bot.journal.openings import RoleResolver, find_group_at_address
from bot.store import health_rows, sessions
from bot.store.connection import Connection
from bot.store.sessions import ModelChoice

RESET_CHOICE_WORD = "default"  # the word that takes a choice back


def answer_model_command(db: Connection, message: InboundMessage, terms: DecisionTerms, resolver: RoleResolver) -> str:
    """Answer `/model`: say which model the lead uses, or choose the named one."""
    known = terms.resolved_settings.efforts_by_choosable_model
    if refusal := model_choice_refusal(db, message, terms, resolver):
        return refusal
    name = message.text.partition(" ")[2].strip()
    at = message.address
    usual, before = lead_prefix_without_choice(resolver, at), sessions.load_model_choice(db, at)
    if not name:
        chosen = describe_current_and_next_model(db, message, usual, before, terms)
        return "\n".join([chosen, phrases.usable_models_text(known), people_models.HOW_TO_CHOOSE()])
    model = next((each for each in (name, canonical_model_id(name)) if each in known), "")
    model = model or newest_model_of_family(name.casefold(), known)
    if not model and name.casefold() != RESET_CHOICE_WORD:
        return phrases.unknown_model_text(name, known)
    choice = replace(before, model=model)
    later = usual.with_model_and_effort(choice.model, choice.effort)
    efforts = known.get(later.model, frozenset())
    if model and efforts and later.effort not in efforts:
        return phrases.unknown_effort_text(model, later.effort, efforts)
    said = save_model_choice_and_confirm(db, message, usual, choice, terms)
    if before.model and before.model != usual.model and not sessions.is_model_chosen_in_any_chat(db, before.model):
        health_rows.clear_model_fault(db, before.model)  # no chat uses this model any more
    return said


def answer_effort_command(db: Connection, message: InboundMessage, terms: DecisionTerms, resolver: RoleResolver) -> str:
    """Answer `/effort`: say with what effort the lead works, or choose the named one."""
    if refusal := model_choice_refusal(db, message, terms, resolver):
        return refusal
    level = message.text.partition(" ")[2].strip().casefold()
    at = message.address
    usual, before = lead_prefix_without_choice(resolver, at), sessions.load_model_choice(db, at)
    model = usual.with_model_and_effort(before.model, before.effort).model
    efforts = terms.resolved_settings.efforts_by_choosable_model.get(model, frozenset())
    if not level:
        known = phrases.usable_efforts_text(model, efforts)
        chosen = describe_current_and_next_model(db, message, usual, before, terms)
        return "\n".join([chosen, known, people_models.HOW_TO_CHOOSE()])
    is_default = level == RESET_CHOICE_WORD
    if not is_default and level not in efforts:
        return phrases.unknown_effort_text(model, level, efforts)
    return save_model_choice_and_confirm(db, message, usual, replace(before, effort="" if is_default else level), terms)


def model_choice_refusal(db: Connection, message: InboundMessage, terms: DecisionTerms, resolver: RoleResolver) -> str:
    """Return why this person may not choose in this chat; empty if they may."""
    if terms.resolved_settings.is_demo:
        return people_models.NO_MODEL_IN_DEMO()
    if admission.rights_of_sender(db, message.address, message.sender, message.group_chat, terms) != EVERY_RIGHT:
        return people_models.OWNER_CHOOSES()
    group = find_group_at_address(db, message.address, resolver.last_loaded_groups())
    return people_models.GROUP_CHOOSES(group=group) if group else ""


def lead_prefix_without_choice(resolver: RoleResolver, at: Address) -> PromptPrefix:
    """Return the lead's prefix in a chat, with the model and effort that it uses if nothing was chosen."""
    resolved = resolver.resolve_agent_or_lead(NO_GROUP, resolver.last_loaded_groups(), EVERY_RIGHT, at)
    assert resolved, "there is always a lead"
    return resolved.prefix


def save_model_choice_and_confirm(
    db: Connection, message: InboundMessage, usual: PromptPrefix, choice: ModelChoice, terms: DecisionTerms
) -> str:
    sessions.save_model_choice(db, message.address, choice, message.sender.id, terms.now)
    return people_models.NEXT_MODEL(model=describe_model_choice(usual, choice, terms))


def describe_current_and_next_model(
    db: Connection, message: InboundMessage, usual: PromptPrefix, later: ModelChoice, terms: DecisionTerms
) -> str:
    current = sessions.find_current_session(db, message.address, NO_GROUP)
    now = describe_model_choice(usual, current[1] if current else later, terms)
    return phrases.current_model_text(now, describe_model_choice(usual, later, terms))


def describe_model_choice(usual: PromptPrefix, choice: ModelChoice, terms: DecisionTerms) -> str:
    """Return the model and effort that the lead has with this choice, in words."""
    prefix = usual.with_model_and_effort(choice.model, choice.effort)
    efforts = terms.resolved_settings.efforts_by_choosable_model.get(prefix.model, frozenset())
    if prefix.effort not in efforts:
        return prefix.model
    return people_models.MODEL_WITH_EFFORT(model=prefix.model, effort=prefix.effort)
