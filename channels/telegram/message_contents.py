"""Describe what a message contains besides its sender's words: files, other contents, and other people's texts."""

from contextlib import suppress

from bot.core.incoming_files import IncomingFile
from bot.core.messages import Quote
from channels.telegram import model_texts
from channels.telegram.described_contents import clip_to_line, describe_contents
from channels.telegram.fields import JsonFields, MalformedUpdate
from channels.telegram.message_files import describe_files, list_files
from channels.telegram.rich_messages import RichMessageReader
from channels.telegram.text_entities import read_words, read_written_text

# Telegram's own notes about a chat. Nobody wrote them.
SERVICE_MESSAGE_FIELD_NAMES_TEXT = (
    "new_chat_members left_chat_member new_chat_title new_chat_photo delete_chat_photo group_chat_created"
    " supergroup_chat_created channel_chat_created message_auto_delete_timer_changed migrate_to_chat_id"
    " migrate_from_chat_id pinned_message write_access_allowed proximity_alert_triggered boost_added"
    " chat_background_set chat_owner_left chat_owner_changed checklist_tasks_done checklist_tasks_added"
    " direct_message_price_changed forum_topic_created forum_topic_edited forum_topic_closed forum_topic_reopened"
    " general_forum_topic_hidden general_forum_topic_unhidden giveaway_created giveaway giveaway_winners"
    " giveaway_completed video_chat_scheduled video_chat_started video_chat_ended video_chat_participants_invited"
    " users_shared chat_shared connected_website passport_data successful_payment refunded_payment"
    " gift_upgrade_sent paid_message_price_changed suggested_post_approved suggested_post_approval_failed"
    " suggested_post_declined suggested_post_paid suggested_post_refunded managed_bot_created"
)
SERVICE_MESSAGE_FIELD_NAMES = frozenset(SERVICE_MESSAGE_FIELD_NAMES_TEXT.split())


def list_files_with_rich_ones(message: JsonFields, *, is_quoted: bool) -> list[IncomingFile]:
    """Return the files of a message, also those in its rich text. Skip what is malformed there."""
    found = list_files(message, is_quoted=is_quoted)
    if "rich_message" in message:
        reader = RichMessageReader()
        reader.read(message.values["rich_message"])
        for name, value in reader.media:
            with suppress(MalformedUpdate):
                found += list_files(JsonFields({name: value}, message.path), is_quoted=is_quoted)
    return found


def list_all_files(message: JsonFields) -> tuple[IncomingFile, ...]:
    """Return the files of a message, also those that it forwards, and those of the message that it replies to."""
    own = list_files_with_rich_ones(message, is_quoted="forward_origin" in message)
    target = replied_message(message) or message.read_optional_object("external_reply")
    return (*own, *(list_files_with_rich_ones(target, is_quoted=True) if target else []))


def describe_other_contents(message: JsonFields) -> tuple[str, ...]:
    """Return in words what comes with a message and is no file: also a file that Telegram does not give to the bot.
    Return nothing for a forwarded message, whose quotation says it."""
    if "forward_origin" in message:
        return ()
    found = describe_contents(message)
    if not list_files(message):
        found += describe_files(message)
        if not (found or "text" in message or "rich_message" in message):
            found.append(model_texts.SOMETHING)
    return tuple(found)


def read_all_words(message: JsonFields) -> str:
    """Return a message's words: its rich text, its text or its caption, with the addresses of hidden links."""
    rich = RichMessageReader().read(message.values.get("rich_message"))
    return rich or read_words(message)


def read_written_words(message: JsonFields, bot_id: int) -> str | None:
    """Return what of a message's words its sender has written; None if that is all of them."""
    if "via_bot" in message:  # another bot has made it
        return ""
    if rich := RichMessageReader().read(message.values.get("rich_message")):
        written = RichMessageReader(bot_id=bot_id, is_only_written=True).read(message.values["rich_message"])
        return None if written == rich else written
    return read_written_text(message, bot_id)


def text_or_contents_description(message: JsonFields) -> str:
    """Return a message's words, and a description of what else it contains, except files beside words."""
    words, described = read_all_words(message), describe_contents(message)
    if words:
        return "\n".join([words, *described])
    return ", ".join([*described, *describe_files(message)]) or model_texts.SOMETHING


def person_name(person: JsonFields) -> str:
    names = (clip_to_line(person.read_optional_text(part)) for part in ("first_name", "last_name"))
    return " ".join(filter(None, names)) or clip_to_line(person.read_optional_text("username")) or model_texts.SOMEBODY


def quote_of_forward(message: JsonFields) -> Quote | None:
    """Return the words of a forwarded message as a quote, or None if the message is not forwarded."""
    origin = message.read_optional_object("forward_origin")
    if origin is None:
        return None
    return Quote(
        author=forward_origin_name(origin),
        text=text_or_contents_description(message),
        is_forwarded=True,
        only_names_files=has_only_files(message),
    )


def has_only_files(message: JsonFields) -> bool:
    return bool(describe_files(message)) and not (read_all_words(message) or describe_contents(message))


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
    words = read_words(picked) if picked else ""
    if target := replied_message(message):
        text, is_of_files = words or text_or_contents_description(target), not words and has_only_files(target)
        return Quote(author=message_writer_name(target), text=text, only_names_files=is_of_files)
    if elsewhere := message.read_optional_object("external_reply"):
        described = words or ", ".join([*describe_contents(elsewhere), *describe_files(elsewhere)])
        return Quote(author=forward_origin_name(elsewhere.read_object("origin")), text=described) if described else None
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
