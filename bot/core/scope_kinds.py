"""Whose a memory is."""

from enum import StrEnum


class ScopeKind(StrEnum):
    PERSON = "person"  # wherever only that person talks with the bot
    CHAT = "chat"
    GROUP = "group"  # a registered one, wherever its agent works
    TENANT = "tenant"  # everybody: only the owner saves such a memory
