"""Describe in words what a message has besides its text and its files: places, contacts, polls, stickers, games …"""

from collections.abc import Callable

from channels.telegram import model_texts
from channels.telegram.fields import JsonFields
from channels.telegram.text_entities import read_words

MAX_CLIPPED_LINE_CHARACTERS = 100
MAX_DESCRIBED_CHARACTERS = 4_000  # of each of a poll's or checklist's parts
MINOR_UNITS = 100  # in most currencies


def clip_to_line(text: str, most: int = MAX_CLIPPED_LINE_CHARACTERS) -> str:
    return " ".join(text.split())[:most]


def read_line(fields: JsonFields, name: str) -> str:
    return clip_to_line(fields.read_optional_text(name), MAX_DESCRIBED_CHARACTERS)


def describe_contents(message: JsonFields) -> list[str]:
    """Return a description of each such thing in a message."""
    return [describe(message.read_object(name)) for name, describe in DESCRIBERS.items() if has_content(name, message)]


def has_content(name: str, message: JsonFields) -> bool:
    is_of_venue = name == "location" and "venue" in message  # it is the venue's own location
    return name in message and not is_of_venue


def describe_sticker(sticker: JsonFields) -> str:
    emoji, name = (
        clip_to_line(sticker.read_optional_text("emoji")),
        clip_to_line(sticker.read_optional_text("set_name")),
    )
    if name and emoji:
        return model_texts.STICKER_OF_SET(emoji=emoji, set=name)
    return model_texts.STICKER_OF(emoji=emoji) if emoji else model_texts.STICKER


def describe_dice(dice: JsonFields) -> str:
    emoji = clip_to_line(dice.read_optional_text("emoji"))
    if not emoji or "value" not in dice:
        return model_texts.THROW
    return model_texts.THROW_OF(emoji=emoji, value=dice.read_integer("value"))


def describe_poll(poll: JsonFields) -> str:
    has_votes = any(read_optional_integer(each, "voter_count") for each in poll.read_object_list("options"))
    options = []
    for number, option in enumerate(poll.read_object_list("options"), 1):
        text = read_line(option, "text")
        votes = read_optional_integer(option, "voter_count") or 0
        described = model_texts.OPTION_WITH_VOTES(votes, number=number, text=text)
        options.append(described if has_votes else model_texts.OPTION(number=number, text=text))
    question, described = read_line(poll, "question"), "; ".join(options)
    if poll.read_optional_text("type") == "quiz":
        return model_texts.QUIZ(question=question, options=described)
    if poll.is_true("is_closed"):
        return model_texts.CLOSED_POLL(question=question, options=described)
    return model_texts.POLL(question=question, options=described)


def describe_location(location: JsonFields) -> str:
    latitude, longitude = location.read_number("latitude"), location.read_number("longitude")
    if seconds := read_optional_integer(location, "live_period"):
        return model_texts.LIVE_LOCATION(minutes=seconds / 60, latitude=latitude, longitude=longitude)
    return model_texts.LOCATION(latitude=latitude, longitude=longitude)


def describe_venue(venue: JsonFields) -> str:
    place = venue.read_object("location")
    return model_texts.PLACE(
        title=read_line(venue, "title"),
        address=read_line(venue, "address"),
        latitude=place.read_number("latitude"),
        longitude=place.read_number("longitude"),
    )


def describe_contact(contact: JsonFields) -> str:
    names = (clip_to_line(contact.read_optional_text(part)) for part in ("first_name", "last_name"))
    name = " ".join(filter(None, names)) or model_texts.SOMEBODY
    return model_texts.CONTACT(name=name, phone=clip_to_line(contact.read_optional_text("phone_number")))


def describe_checklist(checklist: JsonFields) -> str:
    items = []
    for task in checklist.read_object_list("tasks"):
        text = read_line(task, "text")
        is_done = bool(read_optional_integer(task, "completion_date"))
        items.append(model_texts.ITEM_DONE(text=text) if is_done else model_texts.ITEM(text=text))
    return model_texts.CHECKLIST(title=read_line(checklist, "title"), items="; ".join(items))


def describe_game(game: JsonFields) -> str:
    return model_texts.GAME(title=read_line(game, "title"), description=read_line(game, "description"))


def describe_invoice(invoice: JsonFields) -> str:
    return model_texts.INVOICE(
        title=read_line(invoice, "title"),
        description=read_line(invoice, "description"),
        amount=(read_optional_integer(invoice, "total_amount") or 0) / MINOR_UNITS,
        currency=read_line(invoice, "currency"),
    )


def describe_story(story: JsonFields) -> str:
    chat = story.read_optional_object("chat")
    names = [chat.read_optional_text(name) for name in ("title", "first_name", "username")] if chat else []
    return model_texts.STORY(author=next(filter(None, map(clip_to_line, names)), model_texts.SOMEBODY))


def describe_paid_media(media: JsonFields) -> str:
    return model_texts.PAID_MEDIA(read_optional_integer(media, "star_count") or 0)


def describe_gift(gift: JsonFields) -> str:
    words = clip_to_line(read_words(gift), MAX_DESCRIBED_CHARACTERS)
    return model_texts.GIFT_WITH_WORDS(words=words) if words else model_texts.GIFT


def read_optional_integer(fields: JsonFields, name: str) -> int | None:
    return fields.read_integer(name) if name in fields else None


DESCRIBERS: dict[str, Callable[[JsonFields], str]] = {
    "sticker": describe_sticker,
    "dice": describe_dice,
    "poll": describe_poll,
    "venue": describe_venue,
    "location": describe_location,
    "contact": describe_contact,
    "checklist": describe_checklist,
    "game": describe_game,
    "invoice": describe_invoice,
    "story": describe_story,
    "paid_media": describe_paid_media,
    "gift": describe_gift,
    "unique_gift": describe_gift,
}
