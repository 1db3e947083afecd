"""Read Telegram's JSON and check each field. An error names the field that is missing or has the wrong type."""

from datetime import UTC, datetime
from typing import Any

from channels.telegram import operator_texts

NUMBER_LIMIT = 2**63  # Telegram's numbers are smaller


class MalformedUpdate(ValueError):
    """An update is not as Telegram documents it. The text says what is wrong and repeats nothing that people wrote."""


class JsonFields:
    """One object of the JSON. `path` says where it is, for error messages."""

    def __init__(self, found: Any, path: str) -> None:
        if not isinstance(found, dict):
            raise MalformedUpdate(operator_texts.NOT_AN_OBJECT(path=path))
        self.values = found
        self.path = path

    def __contains__(self, name: str) -> bool:
        return self.values.get(name) is not None

    def read_object(self, name: str) -> "JsonFields":
        return JsonFields(self.read_required_field(name), f"{self.path}.{name}")

    def read_optional_object(self, name: str) -> "JsonFields | None":
        return self.read_object(name) if name in self else None

    def read_object_list(self, name: str) -> "list[JsonFields]":
        """Return the objects of a list, or none if there is no list."""
        found = self.values.get(name) or []
        if not isinstance(found, list):
            raise MalformedUpdate(operator_texts.NOT_A_LIST(path=f"{self.path}.{name}"))
        return [JsonFields(each, f"{self.path}.{name}[{number}]") for number, each in enumerate(found)]

    def read_integer(self, name: str) -> int:
        found = self.read_required_field(name)
        if not isinstance(found, int) or isinstance(found, bool) or abs(found) >= NUMBER_LIMIT:
            raise MalformedUpdate(operator_texts.NOT_A_NUMBER(path=f"{self.path}.{name}"))
        return found

    def read_number(self, name: str) -> float:
        found = self.read_required_field(name)
        if not isinstance(found, int | float) or isinstance(found, bool) or not abs(found) < NUMBER_LIMIT:
            raise MalformedUpdate(operator_texts.NOT_A_NUMBER(path=f"{self.path}.{name}"))
        return found

    def read_text(self, name: str) -> str:
        """Return a text. Replace lone surrogates and NUL characters, because they cannot be stored."""
        found = self.read_required_field(name)
        if not isinstance(found, str):
            raise MalformedUpdate(operator_texts.NOT_A_TEXT(path=f"{self.path}.{name}"))
        return found.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "�")

    def read_optional_text(self, name: str) -> str:
        return self.read_text(name) if name in self else ""

    def is_true(self, name: str) -> bool:
        return self.values.get(name) is True

    def read_time(self, name: str) -> datetime:
        try:
            return datetime.fromtimestamp(self.read_integer(name), UTC)
        except (ValueError, OverflowError, OSError):
            raise MalformedUpdate(operator_texts.NOT_A_TIME(path=f"{self.path}.{name}")) from None

    def read_required_field(self, name: str) -> Any:
        if name not in self:
            raise MalformedUpdate(operator_texts.FIELD_MISSING(path=f"{self.path}.{name}"))
        return self.values[name]
