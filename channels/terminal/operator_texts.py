"""What operators read of terminals: why one cannot be attached, and why something was not shown there."""

from bot.core.texts import Text

# Why a terminal cannot be attached to the bot that runs

OTHER_VERSION = Text(
    "the bot that runs here is version {running}, and this is version {own}: restart it, or use that version's command"
)
CONVERSATION_TAKEN = Text("another terminal has taken up {conversation}: begin a new conversation, without --continue")

# Why something was not shown

TERMINAL_LEFT = Text("the terminal has left")
NOBODY_READS = Text("nobody reads any more")
CANNOT_WRITE = Text("retinue: cannot write the answer: {why}")
