"""What the stand-in remembers of each call."""

from dataclasses import dataclass, field
from typing import Any

from tests.stand_ins.telegram.errors import Json

REACT = "setmessagereaction"


@dataclass(eq=False, kw_only=True)
class Call:
    """One call as it arrived. `at` is seconds by the server's clock, `arrived` by the event loop's."""

    number: int  # from 1
    method: str  # as it was written
    at: float
    arrived: float
    bot: int = 0  # the id of the bot whose token was sent; 0 if it is nobody's
    parameters: Json = field(default_factory=dict)
    accepted: bool = False  # it had its effect, whatever the client got as answer
    status: int = 0  # of the answer that was begun; 0 for none
    result: Any = None
    refusal: str = ""
    fault: str = ""

    @property
    def chat(self) -> int:
        """The id of the chat that the call names, or 0."""
        try:
            return int(self.parameters.get("chat_id", 0))
        except (TypeError, ValueError):
            return 0

    @property
    def scope(self) -> int | str:
        """What an ordered wait is about: the call's chat, or its method if it names no chat. Waits for reactions are
        about reactions alone."""
        if self.method.lower() == REACT:
            return f"{REACT} {self.chat}"
        return self.chat or self.method.lower()
