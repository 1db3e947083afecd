"""What a person may have the bot do. The owner may have it do everything."""

from enum import StrEnum


class Right(StrEnum):
    TALK = "talk"
    WEB = "web"
    READ_FILES = "read files"
    WRITE_FILES = "write files"
    MEMORY = "memory"
    DELEGATE = "delegate"
    SCHEDULE = "schedule"
    SHELL = "shell"


Rights = frozenset[Right]

NOTHING: Rights = frozenset()
GUEST: Rights = frozenset({Right.TALK, Right.WEB})
ALL: Rights = frozenset(Right)  # as the owner: who has all of them works in the owner's workspace too
FILES: Rights = frozenset({Right.READ_FILES, Right.WRITE_FILES})


def listed(rights: Rights) -> str:
    """In words, in the order above."""
    return "everything" if rights == ALL else ", ".join(right for right in Right if right in rights) or "nothing"
