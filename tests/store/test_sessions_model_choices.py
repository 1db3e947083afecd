"""The model that was chosen for a chat: one per chat, with all its threads."""

from dataclasses import replace

from bot.core.messages import PersonId
from bot.store import sessions
from bot.store.connection import Connection
from bot.store.sessions import ModelChoice
from tests.support.rows import NOW, OTHER, ROOM

OWNER = PersonId("Owner")


def test_the_newest_choice_counts_for_the_whole_chat(db: Connection) -> None:
    sessions.save_model_choice(db, ROOM, ModelChoice(model="opus"), OWNER, NOW)
    sessions.save_model_choice(db, ROOM, ModelChoice(model="haiku", effort="low"), OWNER, NOW)
    assert sessions.load_model_choice(db, replace(ROOM, thread="7")) == ModelChoice(model="haiku", effort="low")
    assert sessions.load_model_choice(db, OTHER) == ModelChoice()


def test_a_model_is_chosen_while_some_chat_has_it(db: Connection) -> None:
    sessions.save_model_choice(db, ROOM, ModelChoice(model="opus"), OWNER, NOW)
    assert sessions.is_model_chosen_in_any_chat(db, "opus")
    sessions.save_model_choice(db, ROOM, ModelChoice(), OWNER, NOW)
    assert not sessions.is_model_chosen_in_any_chat(db, "opus")
