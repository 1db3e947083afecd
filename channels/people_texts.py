"""What every platform adds to a message for people, in English."""

from bot.core.texts import Text

# The buttons of a board

STOP_ONE = Text("⏹ {number}")
STOP_ALL = Text("⏹ all")
DETAILS = Text("details")
DETAILS_OF = Text("details {number}")

# Before a part that may be there already, where the platform cannot tell

POSSIBLY_A_REPEAT = Text("(possibly a repeat)")
