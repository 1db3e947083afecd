"""The roles that people have in a server of their platform. They are no roles of the bot, such as Researcher."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerRole:
    id: str
    name: str = ""  # empty: the platform does not tell it
