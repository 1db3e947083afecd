"""What the bot says to people in their chats, in English."""

from bot.texts import Text

# Memories, and whether they are kept (/memory)

MEMORY_USAGE = Text("(Or write /memory keep NUMBER, or /memory forget NUMBER.)")
MEMORY_LINE = Text("{number}. “{memory}” (for {person})")
MEMORY_LINE_WITH_SOURCES = Text("{number}. “{memory}” (for {person}, after I read {sources})")
KEEP_MEMORIES = Text("Shall I remember this for later conversations?")
UNCONFIRMED_MEMORIES = Text("I am not sure of these:")
NO_UNCONFIRMED_MEMORIES = Text("There is nothing to confirm.")
NO_SUCH_MEMORY = Text("There is no such memory to confirm.")
MEMORIES_KEPT = Text("Kept: {numbers}.")
MEMORIES_FORGOTTEN = Text("Forgotten: {numbers}.")
