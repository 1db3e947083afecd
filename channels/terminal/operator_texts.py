"""What operators read of terminals: why one cannot be attached, and why something was not shown there."""

from bot.core.texts import Text

# Why a terminal cannot be attached to the bot that runs

OTHER_VERSION = Text(
    "the running bot has version {running}, this command has {own}: restart the bot, or use the command of its version"
)
CONVERSATION_TAKEN = Text("another terminal already uses {conversation}: begin a new conversation, without --continue")

# Why something was not shown

TERMINAL_LEFT = Text("the terminal was closed")
NOBODY_READS = Text("nobody reads the output any more")
CANNOT_WRITE = Text("retinue: cannot write the answer: {why}")
