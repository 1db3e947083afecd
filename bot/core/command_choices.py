"""What a platform offers while somebody types what follows a command, for example the number of a role."""

from dataclasses import dataclass

from bot.core.messages import InboundMessage

MAX_CHOICES = 25
MAX_CHOICE_CHARACTERS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandChoice:
    text: str  # what the person reads
    value: str  # what follows the command if it is chosen


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceRequest:
    """Somebody types a command. The `message` is what would come if they sent it now; it is not sent and not stored."""

    message: InboundMessage
    typed: str  # what they have typed in the field that they are in
