"""What people read while they type a command, and of what they asked by one, in English."""

from bot.core.texts import Text

# What may follow a command, while it is typed

CHOICE_ROLE = Text("#{number} {role}, {state}: {task}")
CHOICE_ALL = Text("everything, also in the background")
CHOICE_SCHEDULE = Text("{change}: {text}")

# What somebody has asked in a way that nobody else sees (/ask)

ASKED = Text("{person} asks: {text}")
ASKED_WITH_FILES = Text("{person} asks: {text} ({files})")
