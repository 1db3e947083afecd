"""Discord's error answers, by its own codes."""

from dataclasses import dataclass

from tests.stand_ins.discord.snowflakes import Json

CODES: dict[int, tuple[int, str]] = {
    10003: (404, "Unknown Channel"),
    10004: (404, "Unknown Guild"),
    10008: (404, "Unknown Message"),
    10007: (404, "Unknown Member"),
    10013: (404, "Unknown User"),
    10014: (400, "Unknown Emoji"),
    10015: (404, "Unknown Webhook"),
    10062: (404, "Unknown interaction"),
    30007: (400, "Maximum number of webhooks reached (15)"),
    20012: (403, "You are not authorized to perform this action on this application"),
    40005: (413, "Request entity too large"),
    40060: (400, "Interaction has already been acknowledged."),
    50001: (403, "Missing Access"),
    50003: (403, "Cannot execute action on a DM channel"),
    50005: (403, "Cannot edit a message authored by another user"),
    50006: (400, "Cannot send an empty message"),
    50007: (403, "Cannot send messages to this user"),
    50013: (403, "Missing Permissions"),
    50024: (403, "Cannot execute action on this channel type"),
    50027: (401, "Invalid Webhook Token"),
    50033: (400, "Invalid Recipient(s)"),
    50035: (400, "Invalid Form Body"),
    50083: (400, "Thread is archived"),
    160005: (400, "Thread is locked"),
    50109: (400, "The request body contains invalid JSON."),
    160004: (400, "A thread has already been created for this message"),
    160006: (400, "Maximum number of active threads reached"),
    160002: (400, "Cannot reply without permission to read message history"),
}


@dataclass
class Refusal(Exception):
    """An error answer: the request had no effect."""

    status: int
    code: int
    message: str
    errors: Json | None = None

    def body(self) -> Json:
        told: Json = {"message": self.message, "code": self.code}
        return told if self.errors is None else {**told, "errors": self.errors}


def refusal(code: int) -> Refusal:
    status, message = CODES[code]
    return Refusal(status, code, message)


def plain(status: int, message: str) -> Refusal:
    """Return a refusal that has no code of its own."""
    return Refusal(status, 0, f"{status}: {message}")


def form(where: str, code: str, message: str) -> Refusal:
    """Return the refusal of one field. `where` is its path, for example `components.0.components.1.custom_id`."""
    errors: Json = {"_errors": [{"code": code, "message": message}]}
    for part in reversed(where.split(".")):
        errors = {part: errors}
    return Refusal(400, 50035, CODES[50035][1], errors)


def required(where: str) -> Refusal:
    return form(where, "BASE_TYPE_REQUIRED", "This field is required")


def choice(where: str, value: object, allowed: object) -> Refusal:
    return form(where, "BASE_TYPE_CHOICES", f"Value {value!r} must be one of {allowed}.")


def length(where: str, shortest: int, longest: int) -> Refusal:
    if not shortest:
        return form(where, "BASE_TYPE_MAX_LENGTH", f"Must be {longest} or fewer in length.")
    return form(where, "BASE_TYPE_BAD_LENGTH", f"Must be between {shortest} and {longest} in length.")
