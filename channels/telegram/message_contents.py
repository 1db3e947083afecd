"""Describe what a message contains besides its sender's words: media, and other people's texts."""

from bot.core.messages import Quote
from channels.telegram import model_texts
from channels.telegram.fields import JsonFields

# Telegram's own notes about a chat. Nobody wrote them.
SERVICE_MESSAGE_FIELD_NAMES_TEXT = (
    "new_chat_members left_chat_member new_chat_title new_chat_photo delete_chat_photo group_chat_created"
    " supergroup_chat_created channel_chat_created message_auto_delete_timer_changed migrate_to_chat_id"
    " migrate_from_chat_id pinned_message write_access_allowed proximity_alert_triggered boost_added"
    " chat_background_set chat_owner_left chat_owner_changed checklist_tasks_done checklist_tasks_added"
    " direct_message_price_changed forum_topic_created forum_topic_edited forum_topic_closed forum_topic_reopened"
    " general_forum_topic_hidden general_forum_topic_unhidden giveaway_created giveaway giveaway_winners"
    " giveaway_completed video_chat_scheduled video_chat_started video_chat_ended video_chat_participants_invited"
    " users_shared chat_shared connected_website passport_data successful_payment refunded_payment gift unique_gift"
    " gift_upgrade_sent paid_message_price_changed suggested_post_approved suggested_post_approval_failed"
    " suggested_post_declined suggested_post_paid suggested_post_refunded managed_bot_created"
)
SERVICE_MESSAGE_FIELD_NAMES = frozenset(SERVICE_MESSAGE_FIELD_NAMES_TEXT.split())
DESCRIPTIONS_BY_FIELD = {
    "photo": model_texts.PHOTO,
    "animation": model_texts.ANIMATION,
    "story": model_texts.STORY,
    "contact": model_texts.CONTACT,
    "venue": model_texts.PLACE,
    "location": model_texts.LOCATION,
    "live_photo": model_texts.LIVE_PHOTO,
    "paid_media": model_texts.PAID_MEDIA,
    "checklist": model_texts.CHECKLIST,
    "game": model_texts.GAME,
    "invoice": model_texts.INVOICE,
}
TIMED_MEDIA_DESCRIPTIONS_BY_FIELD = {
    "voice": model_texts.VOICE_MESSAGE,
    "video_note": model_texts.VIDEO_MESSAGE,
    "video": model_texts.VIDEO,
    "audio": model_texts.AUDIO,
}
MAX_CLIPPED_LINE_CHARACTERS = 100


def describe_unreadable_contents(message: JsonFields) -> tuple[str, ...]:
    """Return a description of each thing that the bot cannot read yet. Return nothing for a message of words only."""
    found: list[str] = [words for name, words in DESCRIPTIONS_BY_FIELD.items() if name in message]
    timed = [name for name in TIMED_MEDIA_DESCRIPTIONS_BY_FIELD if name in message]
    found += [describe_timed_media(name, message.read_object(name)) for name in timed]
    if "document" in message and "animation" not in message:  # an animation comes as a file too
        name = clip_to_line(message.read_object("document").read_optional_text("file_name"))
        found.append(model_texts.FILE_NAMED(name=name) if name else model_texts.FILE)
    if sticker := message.read_optional_object("sticker"):
        emoji = sticker.read_optional_text("emoji").strip()
        found.append(model_texts.STICKER_OF(emoji=emoji) if emoji else model_texts.STICKER)
    if dice := message.read_optional_object("dice"):
        emoji = dice.read_optional_text("emoji").strip()
        found.append(model_texts.THROW_OF(emoji=emoji) if emoji else model_texts.THROW)
    if "poll" in message:
        question = clip_to_line(message.read_object("poll").read_optional_text("question"))
        found.append(model_texts.POLL(question=question))
    if "venue" in message and "location" in message:
        found.remove(model_texts.LOCATION)  # it is the venue's own location
    if not found and "text" not in message:
        found.append(model_texts.SOMETHING)
    return tuple(found)


def describe_timed_media(name: str, media: JsonFields) -> str:
    """Return the name of such media, with the length if it is known."""
    if "duration" not in media:
        return TIMED_MEDIA_DESCRIPTIONS_BY_FIELD[name]
    seconds = media.read_integer("duration")
    with_length = {
        "voice": model_texts.VOICE_MESSAGE_OF(seconds=seconds),
        "video_note": model_texts.VIDEO_MESSAGE_OF(seconds=seconds),
        "video": model_texts.VIDEO_OF(seconds=seconds),
        "audio": model_texts.AUDIO_OF(seconds=seconds),
    }
    return with_length[name]


def clip_to_line(text: str) -> str:
    return " ".join(text.split())[:MAX_CLIPPED_LINE_CHARACTERS]


def text_or_contents_description(message: JsonFields) -> str:
    """Return the message's words, or a description of its contents if it has no words."""
    words = message.read_optional_text("text") or message.read_optional_text("caption")
    return words or ", ".join(describe_unreadable_contents(message))


def person_name(person: JsonFields) -> str:
    names = (clip_to_line(person.read_optional_text(part)) for part in ("first_name", "last_name"))
    return " ".join(filter(None, names)) or clip_to_line(person.read_optional_text("username")) or model_texts.SOMEBODY


def quote_of_forward(message: JsonFields) -> Quote | None:
    """Return the words of a forwarded message as a quote, or None if the message is not forwarded."""
    origin = message.read_optional_object("forward_origin")
    if origin is None:
        return None
    return Quote(author=forward_origin_name(origin), text=text_or_contents_description(message), is_forwarded=True)


def forward_origin_name(origin: JsonFields) -> str:
    if "sender_user" in origin:
        return person_name(origin.read_object("sender_user"))
    for chat in ("sender_chat", "chat"):
        if chat in origin:
            return clip_to_line(origin.read_object(chat).read_optional_text("title")) or model_texts.CHAT
    return clip_to_line(origin.read_optional_text("sender_user_name")) or model_texts.SOMEBODY


def quote_of_replied_message(message: JsonFields) -> Quote | None:
    """Return the words of the message that this one replies to, or only those that its sender picked; None if none."""
    picked = message.read_optional_object("quote")
    words = picked.read_optional_text("text") if picked else ""
    if target := replied_message(message):
        return Quote(author=message_writer_name(target), text=words or text_or_contents_description(target))
    elsewhere = message.read_optional_object("external_reply")
    if elsewhere and words:
        return Quote(author=forward_origin_name(elsewhere.read_object("origin")), text=words)
    return None


def replied_message(message: JsonFields) -> JsonFields | None:
    """Return the message that this one replies to, or None. In a topic, other messages point to the note that opened
    it, which does not count."""
    target = message.read_optional_object("reply_to_message")
    return None if target is None or "forum_topic_created" in target else target


def message_writer_name(message: JsonFields) -> str:
    if "sender_chat" in message:
        return clip_to_line(message.read_object("sender_chat").read_optional_text("title")) or model_texts.CHAT
    return person_name(message.read_object("from")) if "from" in message else model_texts.SOMEBODY
