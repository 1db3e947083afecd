"""What the stand-in remembers of each call."""

from dataclasses import dataclass, field
from typing import Any

from tests.stand_ins.telegram.errors import Json


@dataclass(eq=False, kw_only=True)
class Call:
    """One call as it arrived. `at` is seconds by the server's clock, `arrived` by the event loop's."""

    number: int  # from 1
    method: str  # as it was written
    at: float
    arrived: float
    parameters: Json = field(default_factory=dict)
    accepted: bool = False  # whether it had its effect, whatever the client heard of it
    status: int = 0  # of the answer that was sent or begun; 0 for none
    result: Any = None
    refusal: str = ""
    fault: str = ""

    @property
    def chat(self) -> int:
        """The id of the chat that it names, or 0."""
        try:
            return int(self.parameters.get("chat_id", 0))
        except (TypeError, ValueError):
            return 0

    @property
    def scope(self) -> int | str:
        """What a wait that it is told is about: its chat, or, of a call that names none, its method."""
        return self.chat or self.method.lower()
