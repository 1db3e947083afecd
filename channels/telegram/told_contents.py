"""Tell in words what a message has besides its text and its files: places, contacts, polls, stickers, games …"""

from collections.abc import Callable

from channels.telegram import model_texts
from channels.telegram.fields import JsonFields
from channels.telegram.text_entities import read_words

MAX_CLIPPED_LINE_CHARACTERS = 100
MAX_TOLD_CHARACTERS = 4_000  # of each of a poll's or checklist's parts
MINOR_UNITS = 100  # in most currencies


def clip_to_line(text: str, most: int = MAX_CLIPPED_LINE_CHARACTERS) -> str:
    return " ".join(text.split())[:most]


def tell_contents(message: JsonFields) -> list[str]:
    """Return a description of each such thing in a message."""
    return [tell(message.read_object(name)) for name, tell in TELLERS.items() if is_told(name, message)]


def is_told(name: str, message: JsonFields) -> bool:
    is_of_venue = name == "location" and "venue" in message  # it is the venue's own location
    return name in message and not is_of_venue


def tell_sticker(sticker: JsonFields) -> str:
    emoji, name = (
        clip_to_line(sticker.read_optional_text("emoji")),
        clip_to_line(sticker.read_optional_text("set_name")),
    )
    if name and emoji:
        return model_texts.STICKER_OF_SET(emoji=emoji, set=name)
    return model_texts.STICKER_OF(emoji=emoji) if emoji else model_texts.STICKER


def tell_dice(dice: JsonFields) -> str:
    emoji = clip_to_line(dice.read_optional_text("emoji"))
    if not emoji or "value" not in dice:
        return model_texts.THROW
    return model_texts.THROW_OF(emoji=emoji, value=dice.read_integer("value"))


def tell_poll(poll: JsonFields) -> str:
    has_votes = any(read_optional_integer(each, "voter_count") for each in poll.read_object_list("options"))
    options = []
    for number, option in enumerate(poll.read_object_list("options"), 1):
        text = clip_to_line(option.read_optional_text("text"), MAX_TOLD_CHARACTERS)
        votes = read_optional_integer(option, "voter_count") or 0
        told = model_texts.OPTION_WITH_VOTES(votes, number=number, text=text)
        options.append(told if has_votes else model_texts.OPTION(number=number, text=text))
    question = clip_to_line(poll.read_optional_text("question"), MAX_TOLD_CHARACTERS)
    facts = {"question": question, "options": "; ".join(options)}
    if poll.read_optional_text("type") == "quiz":
        return model_texts.QUIZ(**facts)
    return model_texts.CLOSED_POLL(**facts) if poll.is_true("is_closed") else model_texts.POLL(**facts)


def tell_location(location: JsonFields) -> str:
    place = read_coordinates(location)
    if seconds := read_optional_integer(location, "live_period"):
        return model_texts.LIVE_LOCATION(minutes=seconds / 60, **place)
    return model_texts.LOCATION(**place)


def tell_venue(venue: JsonFields) -> str:
    names = {name: clip_to_line(venue.read_optional_text(name), MAX_TOLD_CHARACTERS) for name in ("title", "address")}
    return model_texts.PLACE(**names, **read_coordinates(venue.read_object("location")))


def read_coordinates(location: JsonFields) -> dict[str, float]:
    return {name: location.read_number(name) for name in ("latitude", "longitude")}


def tell_contact(contact: JsonFields) -> str:
    names = (clip_to_line(contact.read_optional_text(part)) for part in ("first_name", "last_name"))
    name = " ".join(filter(None, names)) or model_texts.SOMEBODY
    return model_texts.CONTACT(name=name, phone=clip_to_line(contact.read_optional_text("phone_number")))


def tell_checklist(checklist: JsonFields) -> str:
    items = []
    for task in checklist.read_object_list("tasks"):
        text = clip_to_line(task.read_optional_text("text"), MAX_TOLD_CHARACTERS)
        is_done = bool(read_optional_integer(task, "completion_date"))
        items.append(model_texts.ITEM_DONE(text=text) if is_done else model_texts.ITEM(text=text))
    title = clip_to_line(checklist.read_optional_text("title"), MAX_TOLD_CHARACTERS)
    return model_texts.CHECKLIST(title=title, items="; ".join(items))


def tell_game(game: JsonFields) -> str:
    names = {
        name: clip_to_line(game.read_optional_text(name), MAX_TOLD_CHARACTERS) for name in ("title", "description")
    }
    return model_texts.GAME(**names)


def tell_invoice(invoice: JsonFields) -> str:
    fields = ("title", "description", "currency")
    names = {name: clip_to_line(invoice.read_optional_text(name), MAX_TOLD_CHARACTERS) for name in fields}
    return model_texts.INVOICE(amount=(read_optional_integer(invoice, "total_amount") or 0) / MINOR_UNITS, **names)


def tell_story(story: JsonFields) -> str:
    chat = story.read_optional_object("chat")
    names = [chat.read_optional_text(name) for name in ("title", "first_name", "username")] if chat else []
    return model_texts.STORY(author=next(filter(None, map(clip_to_line, names)), model_texts.SOMEBODY))


def tell_paid_media(media: JsonFields) -> str:
    return model_texts.PAID_MEDIA(read_optional_integer(media, "star_count") or 0)


def tell_gift(gift: JsonFields) -> str:
    words = clip_to_line(read_words(gift), MAX_TOLD_CHARACTERS)
    return model_texts.GIFT_WITH_WORDS(words=words) if words else model_texts.GIFT


def read_optional_integer(fields: JsonFields, name: str) -> int | None:
    return fields.read_integer(name) if name in fields else None


TELLERS: dict[str, Callable[[JsonFields], str]] = {
    "sticker": tell_sticker,
    "dice": tell_dice,
    "poll": tell_poll,
    "venue": tell_venue,
    "location": tell_location,
    "contact": tell_contact,
    "checklist": tell_checklist,
    "game": tell_game,
    "invoice": tell_invoice,
    "story": tell_story,
    "paid_media": tell_paid_media,
    "gift": tell_gift,
    "unique_gift": tell_gift,
}
