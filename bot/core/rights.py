"""Rights: what the bot may do for a person. For the owner it may do everything."""

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

NO_RIGHTS: Rights = frozenset()
GUEST_RIGHTS: Rights = frozenset({Right.TALK, Right.WEB})
EVERY_RIGHT: Rights = frozenset(Right)  # the owner's rights; anybody who has them works in the owner's workspace too
FILE_RIGHTS: Rights = frozenset({Right.READ_FILES, Right.WRITE_FILES})
