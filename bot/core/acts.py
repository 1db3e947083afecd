"""Acts: what a call does to the world and for its person, and what each of its critical arguments is for that act.

Tools declare them. The gate compares them with what the person's words ask for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple


class Effect(StrEnum):
    """What a tool does to the world. Rules are built on these declarations."""

    READS_PRIVATE = "reads private"
    READS_UNTRUSTED = "reads untrusted"
    SENDS_OUT = "sends out"  # posting to the turn's own chat does not count
    KEEPS = "keeps"  # for later conversations, which will believe it
    REPLACES = "replaces"  # what was there is lost
    MAKES_NEW = "makes new"
    DESTROYS = "destroys"
    SPENDS = "spends"
    RUNS_CODE = "runs code"


Effects = frozenset[Effect]
# What is not the same when it is done again
LASTING_EFFECTS: Effects = frozenset({Effect.REPLACES, Effect.MAKES_NEW, Effect.DESTROYS, Effect.SPENDS})
NO_EFFECTS: Effects = frozenset()
EFFECT_NAMES = ", ".join(Effect)
CONSEQUENTIAL_EFFECTS: Effects = frozenset(Effect) - {Effect.READS_PRIVATE, Effect.READS_UNTRUSTED}
SENDING_EFFECTS: Effects = frozenset({Effect.SENDS_OUT, Effect.SPENDS})


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

    WHO = "who"  # who is reached: a recipient, an account, a channel, a group
    WHERE = "where"  # an address of the web, or a query of a search
    WHICH = "which"  # the id or the path of something that exists
    MUCH = "how much"  # an amount or a number
    WHEN = "when"  # a time, or a rule for times
    VALUE = "value"  # what is set: a password, a postal address, a command
    TEXT = "text"  # what is done later: each of its words must come from the person
    NAME = "name"  # how something new is called: it need not come from anybody


@dataclass(frozen=True, slots=True)
class Critical:
    """A critical argument. `type` names the values that it may be one of, as parts of results declare them: a value of
    type "account" is never an "amount". `shape` is a pattern that a value must match to count as what the person wrote:
    without one, "the" could be an account. `said_as` has what people say for a value: “read access” for "r".
    `is_own_id` if the tool refuses each id that is not of the person's own things in this chat."""

    part: Part
    type: str = ""
    shape: str = ""
    is_own_id: bool = False
    said_as: tuple[tuple[str, tuple[str, ...]], ...] = ()


class TrustedValue(NamedTuple):
    """A value of a result that stands where no outsider writes. With an `owner`, it counts only if the person names
    that: the amount of a payment, and who has paid it."""

    type: str
    value: str
    owner: str = ""


CriticalArguments = Mapping[str, Critical]
NO_ACTS: frozenset[ActKind] = frozenset()
# The kinds of act that a call cannot be if it lacks the effect.
EFFECT_OF_ACT = {ActKind.DELETE: Effect.DESTROYS, ActKind.CHANGE: Effect.REPLACES, ActKind.MAKE: Effect.MAKES_NEW}


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """A call with a consequential effect, as the gate judges it."""

    tool: str
    effects: Effects
    kinds: frozenset[ActKind]  # empty: nobody has declared what the tool does
    things: frozenset[str] = frozenset()  # the person's words must speak of one of these, if there are any
    values: tuple[tuple[Critical, str], ...] = ()  # of its critical arguments
    free_text: str = ""  # its other arguments
    hosts: str = ""  # that the program which it runs may reach, as people read them
    is_query: bool = False  # it only asks: all that leaves are its arguments
    is_of_server: bool = False  # the model's server runs it, once it is offered
    is_own_work: bool = False  # it only spends what the turn's own budget allows
    later: tuple["Act", ...] = ()  # what comes of it without another call, such as a tool that a schedule watches
    arguments: Mapping[str, Any] = field(default_factory=dict)  # all, as they are shown to people


def with_later_acts(act: Act) -> tuple[Act, ...]:
    return act, *act.later


def iterate_texts(value: object) -> Iterator[str]:
    """Yield the texts and numbers in an argument, also those within lists and objects; true and false as JSON has
    them."""
    if isinstance(value, Mapping):
        for each in value.values():
            yield from iterate_texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from iterate_texts(each)
    elif value not in (None, ""):
        yield str(value).lower() if isinstance(value, bool) else str(value)
