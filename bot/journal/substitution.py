"""Money for a second attempt: another model may answer what the one that was asked declines, and both are paid for.

Where it fits, the second reading of the prompt is reserved with the request, at the price of the dearest model that may
make it. What that model then writes is paid with what the first has left, and it is stopped when that is used up.
Whether a request may have a second attempt follows from what was reserved, so no row says it.
"""

from dataclasses import replace

from bot.core import web
from bot.core.prices import Micros, find_pricing, substitute_card
from bot.core.turn import Request, Turn
from bot.journal.token_caps import tokens_left
from bot.store.connection import Connection
from bot.store.sessions import Chapter


def second_attempt_price(chapter: Chapter) -> Micros | None:
    """Return what it may cost that another model reads the prompt; None if none may answer."""
    card = substitute_card(chapter.model)
    return card.worst_cost(chapter.tokens, 0) if card else None


def may_have_second_attempt(db: Connection, turn: Turn, chapter: Chapter, output: int) -> bool:
    """Return whether a turn's tokens allow that another model reads all that the first has read and written, and
    writes as much."""
    return tokens_left(db, turn) - chapter.new_tokens - output >= chapter.tokens + 2 * output


def is_second_attempt_paid(request: Request, chapter: Chapter) -> bool:
    """Return whether what is reserved for a request pays for a second attempt too."""
    chapter = replace(chapter, model=request.model)
    pricing, second = find_pricing(chapter.model), second_attempt_price(chapter)
    if pricing is None or second is None or request.is_last:
        return False
    card = pricing.card_for(chapter.tokens + web.tokens_of_web_pages(chapter.served, chapter.web_level))
    of_web = web.price_of_web_uses(chapter.served, chapter.web_level, card)
    return request.reserved >= card.worst_cost(chapter.tokens, request.max_tokens) + of_web + second
