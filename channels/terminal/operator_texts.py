"""What operators read about terminals: why a terminal cannot be attached, and why a message was not shown there."""

from bot.core.texts import Text

# Why a terminal cannot be attached to the bot that runs

OTHER_VERSION = Text(
    "the running bot has version {running}, and this command has version {own}: restart the bot, or use the command of "
    "the bot's version"
)
CONVERSATION_TAKEN = Text(
    "another terminal already uses the conversation {conversation}: leave out --continue to begin a new one"
)

# Why something was not shown

TERMINAL_LEFT = Text("the terminal was closed")
NOBODY_READS = Text("the output can no longer be shown")
CANNOT_WRITE = Text("retinue: cannot write the answer: {why}")
