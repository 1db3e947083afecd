"""Trying again from an earlier moment: the order to repeat a turn in a conversation of the owner's own."""

from dataclasses import dataclass

from bot.core.turn import TurnId


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkOrder:
    """What the owner wants to try again. The same `key` is the same order: it begins once, however often it comes."""

    key: str
    turn: TurnId  # a turn of the lead
    text: str = ""  # in place of what was written then; empty: the same
    model: str = ""  # empty: the one that the lead has there
