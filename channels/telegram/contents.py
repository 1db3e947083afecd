"""What a message brings besides its sender's words: media, in words, and other people's texts."""

from bot.messages import Quote
from channels.telegram.fields import Fields

# Telegram's own notes about a chat: nobody has said anything.
NAMES = (
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
NOTES = frozenset(NAMES.split())
PLAIN = {
    "photo": "a photo",
    "animation": "an animation",
    "story": "a story",
    "contact": "a contact",
    "venue": "a place",
    "location": "a location",
    "live_photo": "a live photo",
    "paid_media": "paid media",
    "checklist": "a checklist",
    "game": "a game",
    "invoice": "an invoice",
}
LASTING = {"voice": "a voice message", "video_note": "a video message", "video": "a video", "audio": "a piece of audio"}
LONGEST_NAME = 100  # characters


def is_note(message: Fields) -> bool:
    return any(name in message for name in NOTES)


def attachments(message: Fields) -> tuple[str, ...]:
    """What nobody here can read yet, each in words; nothing for a message of words alone."""
    found = [words for name, words in PLAIN.items() if name in message]
    found += [f"{words}{seconds(message.object(name))}" for name, words in LASTING.items() if name in message]
    if "document" in message and "animation" not in message:  # an animation comes as a file too
        found.append(file(message.object("document")))
    if "sticker" in message:
        found.append(f"a sticker {message.object('sticker').any_text('emoji')}".strip())
    if "dice" in message:
        found.append(f"a throw of {message.object('dice').any_text('emoji')}".strip())
    if "poll" in message:
        found.append(f"a poll: {line(message.object('poll').any_text('question'))}")
    if "venue" in message and "location" in message:
        found.remove("a location")  # which is the place's
    if not found and "text" not in message:
        found.append("something that I cannot read")
    return tuple(found)


def seconds(media: Fields) -> str:
    return f" of {media.number('duration')} s" if "duration" in media else ""


def file(document: Fields) -> str:
    name = line(document.any_text("file_name"))
    return f"the file {name}" if name else "a file"


def line(text: str) -> str:
    return " ".join(text.split())[:LONGEST_NAME]


def gist(message: Fields) -> str:
    """What it says, or else what it brings."""
    words = message.any_text("text") or message.any_text("caption")
    return words or ", ".join(attachments(message))


def name_of(person: Fields) -> str:
    names = (line(person.any_text(part)) for part in ("first_name", "last_name"))
    return " ".join(filter(None, names)) or line(person.any_text("username")) or "somebody"


def forwarded(message: Fields) -> Quote | None:
    """The words of a message that its sender only passes on."""
    origin = message.any_object("forward_origin")
    if origin is None:
        return None
    return Quote(author=author_of(origin), text=gist(message), is_forwarded=True)


def author_of(origin: Fields) -> str:
    if "sender_user" in origin:
        return name_of(origin.object("sender_user"))
    for chat in ("sender_chat", "chat"):
        if chat in origin:
            return line(origin.object(chat).any_text("title")) or "a chat"
    return line(origin.any_text("sender_user_name")) or "somebody"


def replied(message: Fields) -> Quote | None:
    """The words of the message that this one replies to; those of them that its sender picked out, if some were."""
    picked = message.any_object("quote")
    words = picked.any_text("text") if picked else ""
    if target := replied_to(message):
        return Quote(author=writer(target), text=words or gist(target))
    elsewhere = message.any_object("external_reply")
    if elsewhere and words:
        return Quote(author=author_of(elsewhere.object("origin")), text=words)
    return None


def replied_to(message: Fields) -> Fields | None:
    """The message that this one replies to. All that is written in a topic "replies" to the note that it was opened."""
    target = message.any_object("reply_to_message")
    return None if target is None or "forum_topic_created" in target else target


def writer(message: Fields) -> str:
    if "sender_chat" in message:
        return line(message.object("sender_chat").any_text("title")) or "a chat"
    return name_of(message.object("from")) if "from" in message else "somebody"
