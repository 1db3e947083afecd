"""The fault menu of the gateway: how and when a connection fails, by name."""

from dataclasses import dataclass, field
from enum import StrEnum, auto


class Drop(StrEnum):
    # While a client connects.
    UNAVAILABLE = auto()  # 503 instead of a websocket
    BEFORE_HELLO = auto()
    SILENT = auto()  # no hello, and no end
    AFTER_HELLO = auto()
    AFTER_IDENTIFY = auto()  # before READY there is no session; also before RESUMED
    AFTER_READY = auto()
    INVALID = auto()  # invalid session that cannot be resumed
    INVALID_RESUMABLE = auto()
    ACKS_WITHHELD = auto()  # a zombie: events come, but no answers to heartbeats
    # At an event.
    BEFORE_EVENT = auto()
    IN_FRAME = auto()  # half of its websocket frame
    HALF_COMPRESSED = auto()  # a whole frame with half of the compressed data
    AFTER_EVENT = auto()
    MALFORMED = auto()  # without its author and type
    BODY_IS_A_LIST = auto()
    PAYLOAD_IS_A_LIST = auto()
    NOT_JSON = auto()


@dataclass
class Drops:
    connecting: list[Drop | None] = field(default_factory=list)
    at_events: dict[str, list[Drop | None]] = field(default_factory=dict)

    def append(self, *drops: Drop | None) -> None:
        """Set faults for the next connections, one each. None lets one connection pass."""
        self.connecting += drops

    def at(self, event: str, *drops: Drop | None) -> None:
        """Set faults for the next events of this name, one each. None lets one event pass."""
        self.at_events.setdefault(event, []).extend(drops)

    def take(self) -> Drop | None:
        return self.connecting.pop(0) if self.connecting else None

    def take_at(self, event: str) -> Drop | None:
        coming = self.at_events.get(event)
        return coming.pop(0) if coming else None
