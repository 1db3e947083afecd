"""Which requests a turn has made, what is kept of how each was built, and which entries each held."""

from dataclasses import replace

from bot.core.content_blocks import text_block, tool_result_block
from bot.core.prices import Micros, Usage
from bot.core.sent_request import BodyDigest, SentRequest
from bot.core.turn import PaidModelRequest, RequestId, Turn
from bot.core.web import WebUseLimits
from bot.store import found_words, ledger, sent_requests, sessions, transcript
from bot.store.connection import Connection
from bot.store.found_words import Reading
from tests.support.rows import NOW, PREFIX, add_call, add_root_turn

DIGEST = BodyDigest.of_parts([b"system", b"tools", b"options", b"hello"])
SENT = SentRequest(
    last_entry=2,
    cache_lifetime="1h",
    server_tools=frozenset({"web_search"}),
    withheld_tools=frozenset({"web_fetch"}),
    web_use_limits=WebUseLimits(uses_per_tool=3, tokens_per_page=8_000),
    may_lose_thinking=True,
    pays_for_substitute=True,
    has_form=True,
    layout={"user": "abc"},
    digest=DIGEST,
)
BARE = replace(
    SENT,
    server_tools=frozenset(),
    withheld_tools=frozenset(),
    web_use_limits=WebUseLimits(uses_per_tool=0, tokens_per_page=0),
    may_lose_thinking=False,
    pays_for_substitute=False,
    has_form=False,
)


def add_request(db: Connection, turn: Turn, sent: SentRequest | None) -> RequestId:
    """Add a request that was settled."""
    opened = PaidModelRequest(id=RequestId(0), max_tokens=100, attempt=1, model="claude-sonnet-5", reserved=Micros(9))
    ledger.add_open_request(db, turn, NOW.date(), opened)
    [booked] = ledger.list_open_booked_requests(db, turn.id)
    ledger.close_request(db, booked.id, "settled", Micros(5), Usage(input=3), sent)
    return booked.id


def test_what_is_kept_of_each_request_comes_back(db: Connection) -> None:
    turn = add_root_turn(db)
    ids = [add_request(db, turn, sent) for sent in (SENT, BARE, None)]
    found = sent_requests.list_requests_of_turn(db, turn.id)
    assert [each.id for each in found] == ids
    assert [each.sent for each in found] == [SENT, BARE, None]
    assert [(each.state, each.cost, each.max_tokens) for each in found] == [("settled", 5, 100)] * 3
    assert sent_requests.find_request(db, ids[1]) == found[1]
    assert sent_requests.find_request(db, RequestId(99)) is None


def test_a_request_held_the_entries_of_its_chapter_up_to_its_last(db: Connection) -> None:
    turn = add_root_turn(db)
    for text in ("one", "two", "three"):
        transcript.append_entry(db, turn, "user", [text_block(text)])
    sessions.open_next_chapter(db, turn.session, replace(PREFIX, system="later"))
    transcript.append_entry(db, turn, "user", [text_block("four")])
    held = [sent_requests.load_entries_of_request(db, turn.session, last) for last in (2, 3, 4)]
    texts = [[entry.content[0]["text"] for entry in each.entries] for each in held if each]
    assert texts == [["one", "two"], ["one", "two", "three"], ["four"]]
    assert [each.prefix_hash == PREFIX.hash for each in held if each] == [True, True, False]
    db.execute("DELETE FROM entries")
    assert sent_requests.load_entries_of_request(db, turn.session, 3) is None


def test_digests_are_forgotten_and_the_rest_stays(db: Connection) -> None:
    turn, other = add_root_turn(db), add_root_turn(db, 2)
    add_request(db, turn, SENT)
    add_request(db, turn, None)
    add_request(db, other, SENT)
    sent_requests.forget_digests(db, [turn.session])
    found = [each.sent for each in sent_requests.list_requests_of_turn(db, turn.id)]
    assert found == [replace(SENT, digest=None), None]
    assert [each.sent for each in sent_requests.list_requests_of_turn(db, other.id)] == [SENT]


def test_digests_tell_which_parts_differ() -> None:
    now = BodyDigest.of_parts([b"system", b"other tools", b"options", b"hell0", b"and more"])
    assert list(DIGEST.differing_parts(now)) == ["tools", 1, 2]
    assert list(now.differing_parts(DIGEST)) == ["tools", 1, 2]
    assert list(DIGEST.differing_parts(DIGEST)) == []


def test_digests_go_with_a_result_that_is_deleted_in_their_conversation(db: Connection) -> None:
    turn = add_root_turn(db)
    call = add_call(db, turn, "1/0")
    transcript.append_entry(db, turn, "user", [tool_result_block("toolu", "a memory", is_error=False)])
    add_request(db, turn, SENT)
    found_words.delete_results(db, [Reading(call, turn.id, "toolu", turn.session)])
    assert [each.sent for each in sent_requests.list_requests_of_turn(db, turn.id)] == [replace(SENT, digest=None)]
