"""Acts: what a call does for its person, and what each of its critical arguments is for that act.

Tools declare them. The gate compares them with what the person's words ask for."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class ActKind(StrEnum):
    """A kind of act that people ask for in words: “send Anna the plan”, “delete the old one”."""

    SEND = "send"  # a message, a mail, a post
    PAY = "pay"
    MAKE = "make"  # something new: a file, an appointment, a reminder, a memory
    CHANGE = "change"
    DELETE = "delete"
    SHARE = "share"  # lets somebody in: invite, add to a group, share a file
    RUN = "run"  # a command or a program


class Part(StrEnum):
    """What a critical argument is for its act."""

    WHO = "who"  # whom it reaches: a recipient, an account, a channel, a group
    WHERE = "where"  # an address of the web, or a query of a search
    WHICH = "which"  # the id or the path of something that exists
    MUCH = "how much"  # an amount or a number
    WHEN = "when"  # a time, or a rule for times
    VALUE = "value"  # what is set: a password, a postal address, a command
    NAME = "name"  # how something new is called: it need not come from anybody


@dataclass(frozen=True, slots=True)
class Critical:
    """A critical argument. `type` names the values that it may be one of, as parts of results declare them: a value of
    type "account" is never an "amount". `shape` is a pattern that a value must match to count as what the person wrote:
    without one, "the" could be an account. `is_own_id` if the tool refuses each id that is not of the person's own
    things in this chat."""

    part: Part
    type: str = ""
    shape: str = ""
    is_own_id: bool = False


CriticalArguments = Mapping[str, Critical]
