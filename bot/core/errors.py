"""Every error the bot raises on purpose, drawn by who must hear of it.

BotError
├── ConfigError         the operator, as a line for each mistake; exit status 2
│   ├── FolderInUse         the same; exit status 5, since it may pass by itself
│   └── SecretExposed       a secret's file that everybody can read
├── StoreDamaged        the operator, as one line; exit status 3
├── ToolError           the model, as a failed tool result; the turn goes on
├── RequestFailed       the agent: this request to the model failed, and may be made again in `seconds`
├── TurnError           the person, as one short reply; in a child, the parent as a tool error
│   ├── ModelFailed         the model could not answer, after retries
│   │   └── Unaccepted          its server takes no request with this conversation
│   └── Refused             the model would not answer
└── DeliveryError       the courier: the platform refuses this message for good
    ├── DeliveryDelayed     it asks for less, and to wait `seconds`: whatever goes there must
    ├── NotDelivered        it took nothing, and may take it later
    ├── ChatClosed          it takes nothing at all for that chat any more, until somebody mends it
    └── ChatHasMoved        the chat goes on as `chat`

Anything else is a bug: it is logged with its traceback, and the person hears only that something went wrong.
"""

import shlex
from pathlib import Path

from bot.core.texts import logs, reasons


class BotError(Exception):
    """Base of the errors above."""


class ConfigError(BotError):
    """What the operator set cannot be. Each of `lines` names file, key, what is wrong and how to mend it."""

    def __init__(self, *lines: str) -> None:
        super().__init__("; ".join(lines))
        self.lines = lines


class FolderInUse(ConfigError):
    """Another process holds the data folder."""


class SecretExposed(ConfigError):
    """Everybody on this machine can read the file of a secret; `remedy` is the command that mends it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.words = logs.SECRET_EXPOSED(path=path)
        self.remedy = f"chmod o-rwx {shlex.quote(str(path))}"
        super().__init__(logs.SECRET_EXPOSED_REMEDY(path=path, command=self.remedy))


class StoreDamaged(BotError):
    """The database file is not whole: going on would make it worse."""


class ToolError(BotError):
    """A tool could not do what the model asked."""


class RequestFailed(BotError):
    """A request to the model failed in a way that may pass, and may be made again in `seconds`. `fault`: where it is
    its server's, what the operator is told if that lasts; else empty."""

    is_passing = True  # as a ModelFailed may be

    def __init__(self, why: str, seconds: float, fault: str = "") -> None:
        super().__init__(why)
        self.seconds = seconds
        self.fault = fault


class TurnError(BotError):
    """The turn cannot be finished."""


class ModelFailed(TurnError):
    """The model could not answer, after retries. The text is for people; `fault` is what the operator has to mend, and
    how, and empty if there is nothing to mend. `is_passing`: it may be over by itself."""

    def __init__(self, why: str, fault: str = "", *, is_passing: bool = False) -> None:
        super().__init__(why)
        self.fault = fault
        self.is_passing = is_passing


class RequestNotAccepted(ModelFailed):
    """The model's server takes no request with this conversation, in any form that there is."""


class ModelRefused(TurnError):
    """The model would not answer. `category` is what its server took the request for, and empty if it does not say."""

    def __init__(self, category: str = "") -> None:
        named = logs.MODEL_DECLINED(category=category) if category else logs.MODEL_DECLINED_WITHOUT_CATEGORY
        super().__init__(named)
        self.category = category


class DeliveryError(BotError):
    """The platform refused the message for good."""


class DeliveryDelayed(DeliveryError):
    """The platform took nothing, and asked us to wait."""

    def __init__(self, seconds: float) -> None:
        super().__init__(reasons.DELAYED(seconds=seconds))
        self.seconds = seconds


class NotDelivered(DeliveryError):
    """The platform took nothing: it could not be reached, or was in trouble of its own."""


class ChatClosed(DeliveryError):
    """The chat takes nothing: it is gone, or has shut us out. The text says which, and what would mend it."""


class ChatHasMoved(DeliveryError):
    """The platform took nothing: the chat goes on under another name."""

    def __init__(self, chat: str) -> None:
        super().__init__(reasons.CHAT_MOVED(chat=chat))
        self.chat = chat


def first_bot_error(group: BaseExceptionGroup[BaseException]) -> BotError | None:
    """Return the first BotError in the group, at any depth. Return None if all its errors are bugs."""
    for error in group.exceptions:
        if isinstance(error, BotError):
            return error
        if isinstance(error, BaseExceptionGroup) and (found := first_bot_error(error)):
            return found
    return None
