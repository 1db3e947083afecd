"""Telegram's JSON, read with suspicion: each field is there and of its type, or an error says which is not."""

from datetime import UTC, datetime
from typing import Any

from channels.telegram import operator_texts

NUMBER_LIMIT = 2**63  # what is no number of Telegram's


class MalformedUpdate(ValueError):
    """An update that is not as Telegram's own are; the text names what is wrong, and nothing that anybody wrote."""


class Fields:
    """One object of the JSON. `path` says where it stands, for the errors."""

    def __init__(self, found: Any, path: str) -> None:
        if not isinstance(found, dict):
            raise MalformedUpdate(operator_texts.NOT_AN_OBJECT(path=path))
        self.values = found
        self.path = path

    def __contains__(self, name: str) -> bool:
        return self.values.get(name) is not None

    def object(self, name: str) -> "Fields":
        return Fields(self.require(name), f"{self.path}.{name}")

    def optional_object(self, name: str) -> "Fields | None":
        return self.object(name) if name in self else None

    def objects(self, name: str) -> "list[Fields]":
        """Those of a list; none if there is no list."""
        found = self.values.get(name) or []
        if not isinstance(found, list):
            raise MalformedUpdate(operator_texts.NOT_A_LIST(path=f"{self.path}.{name}"))
        return [Fields(each, f"{self.path}.{name}[{number}]") for number, each in enumerate(found)]

    def number(self, name: str) -> int:
        found = self.require(name)
        if not isinstance(found, int) or isinstance(found, bool) or abs(found) >= NUMBER_LIMIT:
            raise MalformedUpdate(operator_texts.NOT_A_NUMBER(path=f"{self.path}.{name}"))
        return found

    def text(self, name: str) -> str:
        """Without half characters and zeros, which nobody can keep."""
        found = self.require(name)
        if not isinstance(found, str):
            raise MalformedUpdate(operator_texts.NOT_A_TEXT(path=f"{self.path}.{name}"))
        return found.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "�")

    def optional_text(self, name: str) -> str:
        return self.text(name) if name in self else ""

    def is_set(self, name: str) -> bool:
        return self.values.get(name) is True

    def time(self, name: str) -> datetime:
        try:
            return datetime.fromtimestamp(self.number(name), UTC)
        except (ValueError, OverflowError, OSError):
            raise MalformedUpdate(operator_texts.NOT_A_TIME(path=f"{self.path}.{name}")) from None

    def require(self, name: str) -> Any:
        if name not in self:
            raise MalformedUpdate(operator_texts.FIELD_MISSING(path=f"{self.path}.{name}"))
        return self.values[name]
