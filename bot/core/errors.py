"""Every error that the bot raises on purpose, and who is told.

BotError
├── ConfigError         the operator, one line for each mistake; exit status 2
│   ├── FolderInUse         the operator too; exit status 5, because it may pass by itself
│   ├── SecretExposed       the file of a secret can be read by everybody
│   └── ToolDeclarationError    a tool does not say completely what it does, so it is not made
├── StoreDamaged        the operator, as one line; exit status 3
├── ToolError           the model, as a failed tool result; the turn continues
├── DelegationRefused   a client, as a failed tool result: what it wants cannot begin, or is not its own
├── RetryableModelFailure   the agent: a request to the model failed, and may be repeated in `seconds`
├── TurnError           the person, as one short reply; in a child, the parent as a tool error
│   ├── ModelFailed         the model could not answer, after retries
│   │   └── RequestNotAccepted  its server accepts no request with this conversation
│   └── ModelRefused        the model declined to answer
├── TranscriptionFailed the reader of a message, in place of the words of a recording; the operator is told `fault`
├── SearchFailed        the model, as a failed result of `web_search`; the operator is told `fault`
├── FetchError          the reader of a message, in place of the file that could not be fetched; or of a page
└── DeliveryError       the courier: the platform refuses this message for good
    ├── DeliveryDelayed     it is busy: all messages to that place must wait `seconds`, or only this one
    ├── NotDelivered        it did not accept the message, and may accept it later
    ├── MessageLeftBehind   the chat goes on elsewhere, and the message to edit stays behind: send a new one there
    ├── ChatClosed          it accepts nothing for that chat until somebody fixes that
    └── ChatHasMoved        the chat has the new id `chat`

Any other exception is a bug: it is logged with its traceback, and the person hears only that something went wrong.
"""

import shlex
from pathlib import Path

from bot.core.texts import logs, reasons


class BotError(Exception):
    """Base of the errors above."""


class ConfigError(BotError):
    """Each of `lines` names the file and the key, what is wrong, and how to fix it."""

    def __init__(self, *lines: str) -> None:
        super().__init__("; ".join(lines))
        self.lines = lines


class FolderInUse(ConfigError):
    """Another process holds the data folder."""


class SecretExposed(ConfigError):
    """Everybody on this machine can read the file of a secret; `remedy` is the command that fixes it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.words = logs.SECRET_EXPOSED(path=path)
        self.remedy = f"chmod o-rwx {shlex.quote(str(path))}"
        super().__init__(logs.SECRET_EXPOSED_REMEDY(path=path, command=self.remedy))


class ToolDeclarationError(ConfigError):
    """A tool does not declare its effects, or whether an argument is critical."""


class StoreDamaged(BotError):
    """The database file is damaged. To continue would make it worse."""


class ToolError(BotError):
    """A tool could not do what the model asked."""


class DelegationRefused(BotError):
    """A client may not have what it asks for. The message says why."""


class WordsRefused(BotError):
    """The bot does not take what the owner has written in the page. The message says why."""


class BotAway(DelegationRefused):
    """No bot has answered a client's request."""


class RetryableModelFailure(BotError):
    """A request failed and may be repeated in `seconds`. The operator is told `fault` if the server keeps failing."""

    is_transient = True  # a ModelFailed has this attribute too

    def __init__(self, why: str, seconds: float, fault: str = "") -> None:
        super().__init__(why)
        self.seconds = seconds
        self.fault = fault


class TurnError(BotError):
    """The turn cannot be finished."""


class ModelFailed(TurnError):
    """The model could not answer. The message is for people. `fault` is what the operator has to fix, if anything.
    `is_transient` is True if the failure may end by itself."""

    def __init__(self, why: str, fault: str = "", *, is_transient: bool = False) -> None:
        super().__init__(why)
        self.fault = fault
        self.is_transient = is_transient


class RequestNotAccepted(ModelFailed):
    """The model's server accepts no request with this conversation, in any form that we can send."""


class ModelRefused(TurnError):
    """The model declined to answer. `category` is the server's name for the reason; empty if the server names none."""

    def __init__(self, category: str = "") -> None:
        super().__init__(logs.MODEL_DECLINED(category=category) if category else logs.MODEL_DECLINED_WITHOUT_CATEGORY)
        self.category = category


class FetchError(BotError):
    """A file that came with a message, or a page, could not be fetched. `seconds` is the time after which it may
    succeed; None if it never will."""

    def __init__(self, why: str, *, seconds: float | None = None) -> None:
        super().__init__(why)
        self.seconds = seconds


class SearchFailed(BotError):
    """A search of the web came to nothing. The message is for the model. `fault` is for the operator; empty if there is
    nothing to fix. `seconds` is the time after which it may succeed; None if it never will."""

    def __init__(self, why: str, *, fault: str = "", seconds: float | None = None) -> None:
        super().__init__(why)
        self.fault = fault
        self.seconds = seconds


class TranscriptionFailed(BotError):
    """A recording could not be turned into text. The message is for people. `fault` is for the operator; empty if there
    is nothing to fix. `seconds` is the time after which it may succeed; None if it never will."""

    def __init__(self, why: str, *, fault: str = "", seconds: float | None = None) -> None:
        super().__init__(why)
        self.fault = fault
        self.seconds = seconds


class DeliveryError(BotError):
    """The platform refused the message for good."""


class DeliveryDelayed(DeliveryError):
    def __init__(self, seconds: float, *, holds_lane: bool = True) -> None:
        super().__init__(reasons.DELAYED(seconds=seconds))
        self.seconds = seconds
        self.holds_lane = holds_lane  # False: the platform still accepts other messages there


class NotDelivered(DeliveryError):
    """The platform did not accept the message: it could not be reached, or it had a fault of its own."""


class MessageLeftBehind(DeliveryError):
    """A message that is to be edited is where nothing more is said. A new one has to take its place."""


class ChatClosed(DeliveryError):
    """The chat accepts no messages: it is gone, or has shut us out. The text says which, and how to fix it."""


class ChatHasMoved(DeliveryError):
    def __init__(self, chat: str) -> None:
        super().__init__(reasons.CHAT_MOVED(chat=chat))
        self.chat = chat


def first_bot_error(group: BaseExceptionGroup[BaseException]) -> BotError | None:
    """Return the first BotError in the group, at any depth; None if all its errors are bugs."""
    for error in group.exceptions:
        if isinstance(error, BotError):
            return error
        if isinstance(error, BaseExceptionGroup) and (found := first_bot_error(error)):
            return found
    return None
