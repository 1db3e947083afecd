"""Token caps: how much a turn's next request may write and read, so that what it may use holds.

Tokens that are read from the cache are not counted. The output of a request counts again when the next one sends it.
"""

from bot.core import web
from bot.core.turn import Turn
from bot.store import turns
from bot.store.connection import Connection
from bot.store.sessions import Chapter

LEAST_OUTPUT = 1_024  # tokens: a request that may write less is not made
LAST_WORDS_NOTE_TOKENS = 128  # tokens, at most, of the words that say which request is a turn's last


def tokens_left(db: Connection, turn: Turn) -> int:
    """Return how many tokens a turn, and all above it, may still use."""
    return min(each.limits.tokens - each.spent.tokens for each in (turn, *turns.turns_above(db, turn)))


def output_allowance(db: Connection, turn: Turn, chapter: Chapter, *, is_last: bool) -> int:
    """Return how many tokens a turn's next request may write. If it is not the last, the tokens of the last words are
    kept back, and those of what the model's server may find for it."""
    left = tokens_left(db, turn) - chapter.new_tokens - LAST_WORDS_NOTE_TOKENS
    if is_last or chapter.is_closing:
        return left
    level = web.web_level_for_tokens(chapter.served, chapter.web_level, turn.limits.tokens)
    return (left - web.tokens_of_web_pages(chapter.served, level) - LEAST_OUTPUT) // 2


def tokens_for_results(db: Connection, turn: Turn, chapter: Chapter) -> int:
    """Return how many tokens the results of a step may add, so that the turn can still say its last words."""
    return tokens_left(db, turn) - chapter.new_tokens - LAST_WORDS_NOTE_TOKENS - LEAST_OUTPUT


def may_say_last_words(db: Connection, turn: Turn, chapter: Chapter) -> bool:
    """Return whether a turn's tokens allow its last request. For a person they always do; a role's may be passed by a
    twentieth, since a prompt's length is an estimate."""
    slack = turn.limits.tokens // 20
    return turn.is_root or tokens_for_results(db, turn, chapter) + slack >= 0
