"""What people read while they type a command, and of what they asked by one, in English."""

from bot.core.texts import Sentence

# What may follow a command, while it is typed

CHOICE_ROLE = Sentence("#{number} {role}, {state}: {task}")
CHOICE_ALL = Sentence("everything, also in the background")
CHOICE_SCHEDULE = Sentence("{change}: {text}")

# What somebody has asked in a way that nobody else sees (/ask)

ASKED = Sentence("{person} asks: {text}")
ASKED_WITH_FILES = Sentence("{person} asks: {text} ({files})")
