"""A search finds texts of its own chat or group and no others, and does no more work in a large file."""

import random
from collections import Counter

from bot.core.messages import Address, GroupName
from bot.core.turn import SessionId
from bot.store import conversation_passages
from bot.store.connection import Connection
from tests.support.search import find, index_all, keep

WORDS = ("harvest", "passport", "bicycle", "cellar", "quokka", "2", "a", "1f", "ann")
MOST_TIMES_AS_MUCH = 1.5  # there may be more segments of the index to look into


def test_no_search_finds_a_text_of_another_chat_or_group(db: Connection) -> None:
    rng = random.Random(17)
    places = [
        (Address(channel=channel, chat=f"chat {n}", thread=thread), GroupName(group))
        for n in range(40)
        for channel, thread, group in (
            ("fake", None, ""),
            ("fake", "side", ""),
            ("other", None, ""),
            ("fake", None, f"g{n}"),
        )
    ]
    owner: dict[str, tuple[str, str]] = {}
    for number in range(1_200):
        place, group = rng.choice(places)
        text = f"text{number} {' '.join(rng.sample(WORDS, 3))}"
        owner[text] = ("", group) if group else (str(place.whole_chat), "")
        keep(db, text, address=place, group=group, session=f"{place}{group}#{rng.randrange(2)}")
        if number == 900:
            index_all(db)
    found = 0
    for place, group in places:
        own = ("", group) if group else (str(place.whole_chat), "")
        for query in (
            *WORDS,
            "harvest passport bicycle",
            "2_harvest 1f_quokka a_cellar",
            f"text{rng.randrange(1_200)}",
        ):
            texts = find(db, query, place, group)
            found += len(texts)
            assert {owner[text] for text in texts} <= {own}
    assert found > 3_000


def test_a_deleted_conversation_is_found_from_nowhere(db: Connection) -> None:
    for number in range(20):
        keep(db, "the quokka", "and more", address=Address(channel="fake", chat=f"chat {number}"), session=f"s{number}")
    index_all(db)
    conversation_passages.delete_words_of_sessions(db, [SessionId("s7")])
    for number in range(20):
        texts = find(db, "quokka", Address(channel="fake", chat=f"chat {number}"))
        assert bool(texts) == (number != 7)


def steps_of_search(db: Connection) -> int:
    steps = Counter[str]()
    db.set_progress_handler(lambda: steps.update(["all"]), 1)  # None: go on
    assert find(db, "harvest passport bik") != []
    db.set_progress_handler(None, 1)
    return steps["all"]


def test_a_search_works_as_little_among_many_chats_as_among_few(db: Connection) -> None:
    keep(db, *(f"harvest {n} passport bikini" for n in range(50)))
    index_all(db)
    few = steps_of_search(db)
    for chat in range(40):
        address = Address(channel="fake", chat=f"c{chat}")
        keep(db, *["harvest passport bikini"] * 40, address=address, session=f"c{chat}")
    index_all(db)
    assert steps_of_search(db) < MOST_TIMES_AS_MUCH * few
