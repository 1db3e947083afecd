"""People, and bots."""

from dataclasses import dataclass

from tests.stand_ins.telegram.errors import Json

BOT_ID = 123_456  # of the bot that tests are about


@dataclass(eq=False, kw_only=True)
class Person:
    """One account, of a person or of a bot."""

    id: int
    name: str
    username: str = ""
    language: str = "en"
    is_bot: bool = False
    is_deactivated: bool = False

    def as_json(self) -> Json:
        whole: Json = {"id": self.id, "is_bot": self.is_bot, "first_name": self.name}
        if self.username:
            whole["username"] = self.username
        return whole if self.is_bot else {**whole, "language_code": self.language}
