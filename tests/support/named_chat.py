"""A chat in memory with a platform's name."""

from typing import Any

from bot.core.channel import HealthReport
from bot.core.messages import Address
from tests.support.fakes import FakeChannel, message


class Named(FakeChannel):
    """A platform whose health is `condition`."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.condition = HealthReport(silent_seconds=3.0)

    def health(self) -> HealthReport:
        return self.condition

    def hears(self, text: str, by: str = "Ann", chat: str = "room", **fields: Any) -> None:
        self.incoming.put_nowait(message(text, by, address=Address(channel=self.name, chat=chat), **fields))
