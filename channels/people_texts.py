"""What every platform adds to a message for people, in English."""

from bot.core.texts import Text

# Before a part that may be there already, where the platform cannot tell

POSSIBLY_A_REPEAT = Text("(possibly a repeat)")
