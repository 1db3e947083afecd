"""Sessions and chapters as rows: which one is current, how long its prompt is, and what it has read."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.core.content_blocks import text_block
from bot.core.messages import NO_GROUP, GroupName
from bot.core.turn import SessionId
from bot.store import sessions, transcript
from bot.store.connection import Connection
from bot.store.sessions import ModelChoice
from bot.store.transcript import CountedTokens
from tests.support.rows import NOW, PREFIX, ROOM, add_root_turn


def test_the_newest_session_of_an_address_and_group_is_current(db: Connection) -> None:
    assert sessions.find_current_session(db, ROOM, NO_GROUP) is None
    choice = ModelChoice(model="opus")
    for opener in (1, 2):
        sessions.add_session(db, ROOM, NO_GROUP, opener, choice, NOW)
    sessions.add_session(db, ROOM, GroupName("mail"), 3, ModelChoice(), NOW)
    assert sessions.find_current_session(db, ROOM, NO_GROUP) == ("fake:room#2", choice)


def test_the_next_chapter_numbers_its_entries_on(db: Connection) -> None:
    turn = add_root_turn(db)
    transcript.append_entry(db, turn, "user", [text_block("hello")])
    later = replace(PREFIX, system="lead, changed")
    sessions.mark_chapter_closing(db, turn.session, later)
    closing = sessions.get_current_chapter(db, turn.session)
    assert (closing.is_closing, closing.next) == (True, later.hash)
    sessions.open_next_chapter(db, turn.session, later)
    chapter = sessions.get_current_chapter(db, turn.session)
    assert (chapter.number, chapter.seq, chapter.prefix, chapter.is_closing) == (2, 1, later.hash, False)
    assert sessions.load_prefix(db, later.hash) == later


def test_a_cache_is_counted_until_it_lets_go(db: Connection) -> None:
    turn, until = add_root_turn(db), NOW + timedelta(minutes=5)
    counted = CountedTokens(length=1_000, cached=800, cached_until=until)
    transcript.append_entry(db, turn, "assistant", [text_block("hello")], counted=counted)
    chapter = sessions.get_current_chapter(db, turn.session)
    assert (chapter.with_cache_as_of(NOW).uncached_tokens, chapter.with_cache_as_of(until).uncached_tokens) == (
        200,
        1_000,
    )
    sessions.update_current_chapter(db, turn.session, cached=0)
    assert sessions.get_current_chapter(db, turn.session).uncached_tokens == 1_000


def test_a_length_that_is_at_most_so_much_lowers_the_estimate_only(db: Connection) -> None:
    turn = add_root_turn(db)
    for counted in (
        CountedTokens(length=1_000, cached=0, cached_until=NOW),
        CountedTokens(length=5_000, cached=4_000, cached_until=NOW, is_upper_bound=True),
    ):
        transcript.append_entry(db, turn, "assistant", [text_block("hello")], counted=counted)
    chapter = sessions.get_current_chapter(db, turn.session)
    assert 1_000 < chapter.tokens == chapter.cached < 1_050


def test_sources_add_up(db: Connection) -> None:
    turn = add_root_turn(db)
    for sources in ({"web"}, set(), {"files"}):
        sessions.add_session_sources(db, turn.session, frozenset(sources))
    assert sessions.load_session_sources(db, turn.session) == {"web", "files"}


def test_refusals_count_until_an_answer(db: Connection) -> None:
    turn = add_root_turn(db)
    sessions.increment_session_failures(db, turn.session, "refusals")
    sessions.increment_session_failures(db, turn.session, "unaccepted")
    chapter = sessions.get_current_chapter(db, turn.session)
    assert (chapter.refusals, chapter.unaccepted) == (1, 1)
    sessions.reset_session_failures(db, turn.session)
    chapter = sessions.get_current_chapter(db, turn.session)
    assert (chapter.refusals, chapter.unaccepted) == (0, 0)


def test_a_session_without_a_chapter_is_an_error(db: Connection) -> None:
    with pytest.raises(LookupError):
        sessions.get_current_chapter(db, SessionId("nowhere"))
