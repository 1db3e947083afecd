"""The buttons under a message, checked as the platform checks them."""

from typing import Any

from tests.stand_ins.telegram.arguments import Arguments
from tests.stand_ins.telegram.errors import Json, bad, unsupported

MOST_DATA_BYTES = 64
MOST_BUTTONS = 100
Buttons = list[list[Json]]


def buttons_of(arguments: Arguments) -> Buttons:
    """Return the rows of an inline keyboard, or an empty list. Raise Refusal for what a client could not show."""
    markup = arguments.parsed("reply_markup", "reply keyboard markup")
    if markup is None:
        return []
    if not isinstance(markup, dict):
        raise bad("object expected as reply markup")
    if not markup:
        return []
    if "inline_keyboard" not in markup:
        raise unsupported(f"reply_markup of {', '.join(sorted(markup))}")
    rows = markup["inline_keyboard"]
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise bad('field "inline_keyboard" must be of type Array')
    checked = [[button(item) for item in row] for row in rows if row]
    if sum(map(len, checked)) > MOST_BUTTONS:
        raise bad("reply markup is too long")
    return checked


def button(item: Any) -> Json:
    if not isinstance(item, dict):
        raise bad("can't parse inline keyboard button: InlineKeyboardButton must be an Object")
    text = item.get("text")
    if not isinstance(text, str):
        raise bad("can't parse inline keyboard button: Can't find field \"text\"")
    if not text.strip():
        raise bad("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")
    kinds = [name for name in item if name not in ("text", "style", "icon_custom_emoji_id")]
    if kinds == ["url"] and isinstance(item["url"], str) and "." in item["url"]:
        return item
    if kinds != ["callback_data"]:
        raise bad("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")
    data = item["callback_data"]
    if not isinstance(data, str) or not 1 <= len(data.encode()) <= MOST_DATA_BYTES:
        raise bad("BUTTON_DATA_INVALID")
    return item
