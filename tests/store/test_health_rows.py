"""How channels and models are doing, as rows that other processes read."""

from datetime import timedelta

from bot.store import health_rows
from bot.store.connection import Connection
from tests.support.rows import NOW

LATER = NOW + timedelta(minutes=5)


def test_a_note_without_a_good_moment_keeps_the_one_before(db: Connection) -> None:
    health_rows.save_channel_health(db, "telegram", NOW, "", None)
    health_rows.save_channel_health(db, "telegram", None, "no network", LATER)
    [row] = health_rows.list_health_rows(db)
    assert row == health_rows.HealthRow(name="telegram", good_at=NOW, fault="no network", fault_since=LATER)


def test_a_model_has_failed_since_its_first_fault(db: Connection) -> None:
    assert health_rows.longest_model_fault_began_at(db) == ""
    assert health_rows.save_model_fault(db, "opus", "no credit", NOW) == NOW
    assert health_rows.save_model_fault(db, "opus", "no key", LATER) == NOW
    assert health_rows.save_model_fault(db, "haiku", "no key", LATER) == LATER
    assert health_rows.list_model_fault_texts(db) == ["no key"]
    assert health_rows.longest_model_fault_began_at(db) == NOW.isoformat()


def test_a_start_forgets_what_is_wrong_and_not_since_when(db: Connection) -> None:
    health_rows.save_model_fault(db, "opus", "no credit", NOW)
    health_rows.clear_model_fault_texts(db)
    assert health_rows.list_model_fault_texts(db) == []
    assert health_rows.list_failing_models(db) == ["opus"]
    assert health_rows.save_model_fault(db, "opus", "no credit", LATER) == NOW


def test_an_answer_clears_one_models_fault(db: Connection) -> None:
    for model in ("opus", "haiku"):
        health_rows.save_model_fault(db, model, "no credit", NOW)
    health_rows.clear_model_fault(db, "opus")
    assert health_rows.list_failing_models(db) == ["haiku"]
