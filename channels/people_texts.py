"""What people read on every platform beside the message itself, in English."""

from bot.core.texts import Text

# Before a part that may be there already, where the platform cannot tell

POSSIBLY_A_REPEAT = Text("(possibly a repeat)")
