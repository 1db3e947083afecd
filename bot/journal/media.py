"""Whether a conversation can take one more image or PDF; and its way into the rows, with the result of its call.

All that a chapter holds is sent with each of its requests, so the limits of a request are those of a chapter.
"""

from bot.media import PAGES, Media
from bot.prices import is_claude, pricing_of
from bot.store import media as rows
from bot.store import sessions, turns
from bot.store.connection import Connection
from bot.store.sessions import Chapter
from bot.turn import CallId, Turn

IMAGES = 20  # with more of them in a request, large ones are refused
BYTES = 20 * 2**20  # a third longer in base64, of the 32 MB of a request
ROOM = 2_048  # tokens that are to be left for the answer
BEGIN_ANEW = "a new conversation (/new) has room"
REPORT_IT = "say in your report which file you could not see"  # a role begins no conversation


def keep(db: Connection, turn: Turn, call: CallId, media: Media) -> str | None:
    """Keep what a call has read; or gives why it cannot be shown, and keeps nothing."""
    chapter = sessions.chapter_of(db, turn.session)
    if not is_claude(chapter.model):  # each of them sees; of others nobody knows
        return f"{media}. Not shown: the model {chapter.model} takes text only, so you cannot see it; tell the person"
    if refusal := full(chapter, media, BEGIN_ANEW if turn.is_root else REPORT_IT) or too_dear(db, turn, chapter, media):
        return f"{media}. Not shown: {refusal}"
    rows.keep(db, call, media.data)
    is_image = not media.pages
    sessions.holds(db, chapter, images=is_image, pages=media.pages, size=len(media.data), tokens=media.tokens)
    return None


def is_full(chapter: Chapter) -> bool:
    """Whether a chapter has little room left for more of them: the next one begins without any."""
    return chapter.images >= IMAGES or chapter.pages > PAGES // 2 or chapter.media_bytes > BYTES // 2


def full(chapter: Chapter, media: Media, advice: str) -> str:
    """Why a chapter has no room for it, and what to do; empty if it has."""
    if not media.pages and chapter.images >= IMAGES:
        return f"this conversation holds {chapter.images} images, and no request may have more; {advice}"
    if chapter.pages + media.pages > PAGES:
        return f"with it this conversation would hold more than {PAGES} pages of PDFs; {advice}"
    if chapter.media_bytes + len(media.data) > BYTES:
        return f"with it this conversation would hold more than {BYTES:,} bytes of images and PDFs; {advice}"
    return ""


def too_dear(db: Connection, turn: Turn, chapter: Chapter, media: Media) -> str:
    """Why nothing could be said about it after it was read; empty if something can."""
    pricing = pricing_of(chapter.model)
    assert pricing, "a Claude has one"
    prompt, about = chapter.tokens + media.tokens, f"it comes to about {media.tokens:,} tokens"
    if prompt + ROOM > pricing.window * 9 // 10:
        return (
            f"{about}, and the context window has no room for that; read another, or a part of it as a file of its own"
        )
    for each in (turn, *turns.above(db, turn)):
        if each.spent.tokens + chapter.added + media.tokens + ROOM > each.limits.tokens:
            left = max(0, each.limits.tokens - each.spent.tokens)
            return f"{about}, and of the tokens of this turn {left:,} are left"
        if pricing.card_for(prompt).at_worst(prompt, ROOM) > each.limits.cost - each.spent.cost - each.spent.reserved:
            return f"{about}, and the budget of this turn cannot pay for that"
    return ""
