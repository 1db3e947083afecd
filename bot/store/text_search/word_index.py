"""The index of words in FTS5: which texts of a scope have a word.

Each word in the index begins with a mark of its scope: the number of the scope's row. So a search reads only what its
own chat or group has, even if others have much or use the word often. What was said in conversations is also indexed
under EVERYWHERE, for the operator's search in all of them. FTS5's own bm25() would weigh a word by all
scopes together. The index holds no texts: their rows do, with their stems.

Rows are written without their stems and indexed later, in batches. A search reads those of its own scope that are not
indexed yet beside the index. So nothing has to be indexed in the transaction that writes a text, and a file of an older
version, or another setting of languages, is indexed while the bot works.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.store.connection import Connection
from bot.store.text_search.scopes import ScopeId
from bot.store.text_search.words import SPEAKER_MARK, SearchedWord

MAX_TEXTS_PER_WORD = 400  # texts with a word, at most, that a search considers: the newest
MAX_UNINDEXED_TEXTS = 2_000  # texts of its scope, at most, that a search reads beside the index: the newest
MERGED_PAGES_PER_STEP = 500  # pages that one step of a purge rewrites at most: about 50 ms
FIRST_STEPS = 4  # of a purge, which are done at once: enough for a small index
ALL_IDS = range(2**63 - 1)
MARK_END = "_"  # between the mark of a scope and a word, which never has this sign


@dataclass(frozen=True, slots=True, kw_only=True)
class WordIndex:
    """An FTS5 table, and the table of the texts that it indexes. Each text has an `id`, a `text`, a `scope`, and its
    `stems`, which are NULL until it is indexed."""

    name: str
    texts: str
    is_searched_everywhere: bool = False  # its words are also indexed under EVERYWHERE


EVERYWHERE = ScopeId(0)  # instead of a scope: all of them; no scope has this number
MEMORY_INDEX = WordIndex(name="memory_words", texts="memories")
CONVERSATION_INDEX = WordIndex(name="said_words", texts="said", is_searched_everywhere=True)
INDEXES = (MEMORY_INDEX, CONVERSATION_INDEX)


@dataclass(frozen=True, slots=True, kw_only=True)
class WordHits:
    """The texts that a searched word fits: with one of its stems, or only as the beginning of a longer one."""

    word_matches: frozenset[int]
    prefix_matches: frozenset[int]


def find_hits(
    db: Connection,
    index: WordIndex,
    scopes: Sequence[ScopeId],
    words: Sequence[SearchedWord],
    unindexed: Sequence[tuple[int, str]] = (),
    ids: range = ALL_IDS,
) -> list[WordHits]:
    """Return the newest texts of these scopes, with ids in this range, that each word fits, in the order of the words.
    `unindexed` are the stems of texts that are not in the index, by their ids."""
    found = []
    for word in words:
        stems = [mark(scope) + stem for scope in scopes for stem in word.stems]
        word_matches = set(match(db, index, stems, ids)) if scopes else set[int]()
        word_matches |= {id for id, stems in unindexed if any(f" {stem} " in stems for stem in word.stems)}
        prefix_matches: set[int] = set()
        if word.beginning:
            beginnings = [mark(scope) + word.beginning for scope in scopes]
            if scopes:
                prefix_matches |= set(match(db, index, beginnings, ids, is_whole=False))
            prefix_matches |= {id for id, stems in unindexed if f" {word.beginning}" in stems}
        only_prefix = frozenset(prefix_matches - word_matches)
        found.append(WordHits(word_matches=frozenset(word_matches), prefix_matches=only_prefix))
    return found


def find_named_speakers(
    db: Connection, index: WordIndex, scopes: Sequence[ScopeId], words: Sequence[str], unindexed: Sequence[str] = ()
) -> list[str]:
    """Return those of the words that are part of the name of somebody who has said something in these scopes."""
    sql = f"SELECT 1 FROM {index.name} WHERE {index.name} MATCH ? LIMIT 1"
    sought = {word: " OR ".join(f'"{mark(scope)}{SPEAKER_MARK}{word}"' for scope in scopes) for word in words}
    new = "".join(unindexed)
    return [word for word in words if f" {SPEAKER_MARK}{word} " in new or (scopes and db.has_rows(sql, sought[word]))]


def match(db: Connection, index: WordIndex, words: Sequence[str], ids: range, *, is_whole: bool = True) -> list[int]:
    """Return the ids of the newest texts with one of these words. They have only letters and digits, and a mark: no
    operator of FTS5."""
    sought = " OR ".join(f'"{word}"' if is_whole else f'"{word}"*' for word in words)
    where = f"{index.name} MATCH ? AND rowid >= ? AND rowid < ?"
    sql = f"SELECT rowid FROM {index.name} WHERE {where} ORDER BY rowid DESC LIMIT {MAX_TEXTS_PER_WORD}"
    return [row["rowid"] for row in db.fetch_rows(sql, sought, ids.start, ids.stop)]


def mark(scope: int) -> str:
    return f"{scope:x}{MARK_END}"


def marked_words(index: WordIndex, scope: int, stems: str) -> str:
    """Return the words of a text as the index has them."""
    marks = [mark(scope), *([mark(EVERYWHERE)] if index.is_searched_everywhere else [])]
    return " ".join(each + stem for each in marks for stem in stems.split())


def add_to_index(db: Connection, index: WordIndex, id: int, scope: ScopeId, stems: str) -> None:
    db.execute(f"UPDATE {index.texts} SET scope = ?, stems = ? WHERE id = ?", (scope, stems, id))
    db.execute(f"INSERT INTO {index.name} (rowid, words) VALUES (?, ?)", (id, marked_words(index, scope, stems)))


def remove_from_index(db: Connection, index: WordIndex, where: str, *values: object) -> None:
    """Remove these texts from the index, before their rows are deleted. FTS5 only marks their words as deleted.
    They are gone from the file when all steps of `purge_index` are done."""
    rows = db.fetch_rows(f"SELECT id, scope, stems FROM {index.texts} WHERE stems IS NOT NULL AND {where}", *values)
    if not rows:
        return
    gone = [(row["id"], marked_words(index, row["scope"], row["stems"])) for row in rows]
    db.executemany(f"INSERT INTO {index.name} ({index.name}, rowid, words) VALUES ('delete', ?, ?)", gone)
    db.execute("UPDATE search_indexes SET purge = 'needed' WHERE name = ?", (index.name,))
    for _ in range(FIRST_STEPS):
        if not purge_index(db, index):
            break


def purge_index(db: Connection, index: WordIndex) -> bool:
    """Do one step of overwriting the words of deleted texts, if there are any. Return True if it needs more steps.
    FTS5 keeps such words until it merges the segments that hold them, so we tell it to merge all segments. (Its option
    'secure-delete' would delete at once. But only newer versions of SQLite have it, and older ones cannot read the file
    that it leaves.) A million texts take about 50 steps, so that nobody waits for them."""
    row = db.fetch_row("SELECT purge FROM search_indexes WHERE name = ?", index.name)
    if row is None or not row["purge"]:
        return False
    if is_first := row["purge"] == "needed":
        # Until the end of a transaction FTS5 has what was deleted in memory, where no merge finds it. A savepoint has
        # it written.
        db.execute("SAVEPOINT words_written")
        db.execute("RELEASE words_written")
    before = db.total_changes
    # A negative number first puts all segments on one level.
    pages = -MERGED_PAGES_PER_STEP if is_first else MERGED_PAGES_PER_STEP
    db.execute(f"INSERT INTO {index.name} ({index.name}, rank) VALUES ('merge', ?)", (pages,))
    is_over = not is_first and db.total_changes - before < 2  # FTS5's own sign that there was nothing to merge
    db.execute("UPDATE search_indexes SET purge = ? WHERE name = ?", ("" if is_over else "begun", index.name))
    return not is_over


def empty_index(db: Connection, index: WordIndex) -> None:
    """Forget the stems of all texts, so that they are indexed again."""
    db.execute(f"INSERT INTO {index.name} ({index.name}) VALUES ('delete-all')")
    db.execute(f"UPDATE {index.texts} SET stems = NULL WHERE stems IS NOT NULL")
