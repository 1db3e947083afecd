"""Check the buttons of a message: their rows, their number, and their fields."""

from typing import Any

from tests.stand_ins.discord.errors import choice, form, length, required
from tests.stand_ins.discord.snowflakes import Json

ROW, BUTTON, LINK = 1, 2, 5
MOST = 5  # rows in a message, and buttons in a row


def check_components(rows: Any) -> list[Json]:
    """Return the rows of a message. Raise Discord's error for the first wrong one."""
    if not isinstance(rows, list):
        raise form("components", "LIST_TYPE_CONVERT", "Only iterables may be used in a ListType")
    if len(rows) > MOST:
        raise length("components", 0, MOST)
    taken: set[str] = set()
    for number, row in enumerate(rows):
        where = f"components.{number}"
        if not isinstance(row, dict) or row.get("type") != ROW:
            raise choice(f"{where}.type", row.get("type") if isinstance(row, dict) else row, (ROW,))
        buttons = row.get("components")
        if not isinstance(buttons, list) or not 1 <= len(buttons) <= MOST:
            raise length(f"{where}.components", 1, MOST)
        for place, button in enumerate(buttons):
            check_button(f"{where}.components.{place}", button, taken)
    return rows


def check_button(where: str, button: Any, taken: set[str]) -> None:
    if not isinstance(button, dict) or button.get("type") != BUTTON:
        raise choice(f"{where}.type", button.get("type") if isinstance(button, dict) else button, (BUTTON,))
    if button.get("style") not in range(1, LINK + 1):
        raise choice(f"{where}.style", button.get("style"), (1, 2, 3, 4, 5))
    label = button.get("label") or ""
    if not label and not button.get("emoji"):
        raise form(where, "BUTTON_COMPONENT_INVALID", "A button must have a label or an emoji")
    if len(label) > 80:
        raise length(f"{where}.label", 0, 80)
    if button["style"] == LINK:
        if not button.get("url"):
            raise required(f"{where}.url")
        return
    name = button.get("custom_id")
    if name is None:
        raise required(f"{where}.custom_id")
    if not isinstance(name, str) or not 1 <= len(name) <= 100:
        raise length(f"{where}.custom_id", 1, 100)
    if name in taken:
        raise form(f"{where}.custom_id", "COMPONENT_CUSTOM_ID_DUPLICATED", "Component custom id cannot be duplicated")
    taken.add(name)
