"""What people read on Discord that this channel says itself, in English."""

from bot.core.texts import Text

# Messages

NO_WORDS = Text("(no words)")
HAS_ARRIVED = Text("I have received this.")

# What Discord shows while somebody types a slash command

WHICH_TO_STOP = Text("a role or its number (/status shows them), or all")
WHICH_MODEL = Text("a model that /model lists, or default")
WHICH_EFFORT = Text("low, medium, high, xhigh, max or default")
