"""What the Discord channel itself says to people, in English."""

from bot.core.texts import Text

# Messages

NO_WORDS = Text("(no words)")
HAS_ARRIVED = Text("I have received this.")

# What Discord shows while somebody types a slash command

WHICH_TO_STOP = Text("what to stop: a role or its number (/status shows them), or all")
WHICH_MODEL = Text("the model to use: one that /model lists, or default")
WHICH_EFFORT = Text("the effort to use: low, medium, high, xhigh, max or default")
