"""Whether a conversation can take one more image or PDF: of a call's result, or of a file that a person has sent.

Each request sends all that its chapter holds. So the limits of a request are the limits of a chapter.
"""

from bot.core.content_blocks import Block, media_reference_block, text_block
from bot.core.file_blocks import CANDIDATE_TYPE, sanitize_file_name
from bot.core.images_and_pdfs import MAX_PDF_BYTES, MAX_PDF_PAGES, Media, MediaFacts
from bot.core.incoming_files import ArrivedFile
from bot.core.prices import find_pricing, is_claude_model
from bot.core.texts import model, model_files
from bot.core.turn import CallId, Turn
from bot.store import sessions, transcript, turns
from bot.store.connection import Connection
from bot.store.sessions import Chapter

MAX_IMAGES_PER_CHAPTER = 20  # with more of them in a request, large ones are refused
MAX_MEDIA_BYTES_PER_CHAPTER = MAX_PDF_BYTES  # of all images and PDFs together
MIN_ANSWER_TOKENS = 2_048  # tokens that must be left for the answer


def save_call_media_or_refuse(db: Connection, turn: Turn, call: CallId, media: Media) -> str | None:
    """Keep what a call has read and return None. If it cannot be shown, keep nothing and return why."""
    chapter = sessions.get_current_chapter(db, turn.session)
    if not is_claude_model(chapter.model):  # every Claude model reads images; of others it is unknown
        return model.MODEL_SEES_NOTHING(media=media, model=chapter.model)
    if refusal := media_refusal(db, turn, chapter, media.facts):
        return model.NOT_SHOWN(media=media, reason=refusal)
    transcript.save_call_media(db, call, media.data)
    count_media_in_chapter(db, chapter, media.facts)
    return None


def show_candidates_or_say_why_not(db: Connection, turn: Turn, content: list[Block]) -> list[Block]:
    """Return what becomes the next entry of a turn, with each candidate as a reference to a picture or PDF that its
    chapter shows from now on. If it cannot be shown, the text before it says why: so each message stays one text."""
    if not any(block["type"] == CANDIDATE_TYPE for block in content):
        return content
    shown = list[Block]()
    last_text = -1
    for block in content:
        if block["type"] != CANDIDATE_TYPE:
            last_text = len(shown) if block["type"] == "text" else last_text
            shown.append(block)
            continue
        file: ArrivedFile = block["file"]
        name = sanitize_file_name(file.name) if file.name else str(model_files.KINDS[file.kind])
        refusal, held = show_file_or_refuse(db, turn, file, name), file.content
        said = model_files.NOT_SHOWN(name=name, reason=refusal) if refusal else model_files.IS_SHOWN(name=name)
        shown[last_text] = text_block(f"{shown[last_text]['text']}\n{said}")
        if not refusal:
            shown.append(media_reference_block(file.id, held.shown_type, held.tokens, is_of_call=False))
    return shown


def show_file_or_refuse(db: Connection, turn: Turn, file: ArrivedFile, name: str) -> str:
    """Let a turn's chapter show the picture or PDF of a file. Return why it cannot; empty if it can."""
    chapter, held = sessions.get_current_chapter(db, turn.session), file.content
    if not is_claude_model(chapter.model):
        return model_files.MODEL_TAKES_TEXT_ONLY(model=chapter.model)
    facts = MediaFacts(
        name=name, type=held.shown_type, size_bytes=held.shown_bytes, tokens=held.tokens, pages=held.pages
    )
    if refusal := media_refusal(db, turn, chapter, facts):
        return refusal
    transcript.assign_media_to_session(db, file.id, turn.session)
    count_media_in_chapter(db, chapter, facts)
    return ""


def media_refusal(db: Connection, turn: Turn, chapter: Chapter, media: MediaFacts) -> str:
    """Return why a chapter cannot show the media; empty if it can."""
    too_much = media_limit_refusal(chapter, media, is_role=not turn.is_root)
    return too_much or no_room_to_answer_refusal(db, turn, chapter, media)


def count_media_in_chapter(db: Connection, chapter: Chapter, media: MediaFacts) -> None:
    sessions.update_current_chapter(
        db,
        chapter.session,
        images=chapter.images + (not media.pages),
        pages=chapter.pages + media.pages,
        media_bytes=chapter.media_bytes + media.size_bytes,
        tokens=chapter.tokens + media.tokens,
    )


def must_end_chapter_for_media(chapter: Chapter) -> bool:
    """Return True if a chapter has little room left for images and PDFs. The next chapter begins without any."""
    is_half_full = chapter.pages > MAX_PDF_PAGES // 2 or chapter.media_bytes > MAX_MEDIA_BYTES_PER_CHAPTER // 2
    return is_half_full or chapter.images >= MAX_IMAGES_PER_CHAPTER


def media_limit_refusal(chapter: Chapter, media: MediaFacts, *, is_role: bool) -> str:
    """Return why a chapter has no room for the media, and what to do; empty if there is room. A role must report it."""
    if not media.pages and chapter.images >= MAX_IMAGES_PER_CHAPTER:
        if is_role:
            return model.TOO_MANY_IMAGES_FOR_ROLE(images=chapter.images)
        return model.TOO_MANY_IMAGES(images=chapter.images)
    if chapter.pages + media.pages > MAX_PDF_PAGES:
        if is_role:
            return model.TOO_MANY_PAGES_FOR_ROLE(pages=MAX_PDF_PAGES)
        return model.TOO_MANY_PAGES(pages=MAX_PDF_PAGES)
    if chapter.media_bytes + media.size_bytes > MAX_MEDIA_BYTES_PER_CHAPTER:
        if is_role:
            return model.TOO_MANY_BYTES_FOR_ROLE(bytes=MAX_MEDIA_BYTES_PER_CHAPTER)
        return model.TOO_MANY_BYTES(bytes=MAX_MEDIA_BYTES_PER_CHAPTER)
    return ""


def no_room_to_answer_refusal(db: Connection, turn: Turn, chapter: Chapter, media: MediaFacts) -> str:
    """Return why no tokens or money would be left to answer after reading the media; empty if enough is left."""
    pricing = find_pricing(chapter.model)
    assert pricing, "a Claude has one"
    prompt = chapter.tokens + media.tokens
    if prompt + MIN_ANSWER_TOKENS > pricing.window_tokens * 9 // 10:
        return model.NO_ROOM_IN_CONTEXT(tokens=media.tokens)
    for each in (turn, *turns.list_turns_above(db, turn)):
        if each.spent.tokens + chapter.uncached_tokens + media.tokens + MIN_ANSWER_TOKENS > each.limits.tokens:
            left = max(0, each.limits.tokens - each.spent.tokens)
            return model.TOO_FEW_TOKENS(tokens=media.tokens, left=left)
        left_micros = each.limits.cost - each.spent.cost - each.spent.reserved
        if pricing.card_for_prompt(prompt).worst_case_cost(prompt, MIN_ANSWER_TOKENS) > left_micros:
            return model.TOO_LITTLE_MONEY(tokens=media.tokens)
    return ""
