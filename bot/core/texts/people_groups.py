"""What the bot says about group chats: its mode there, how it came there, and what it knows of the place."""

from bot.core.texts import Text

# /mode

MODES = {
    "mentioned": Text("mentioned: I answer if you mention me, reply to me or give me a command"),
    "off": Text("off: I answer only commands"),
    "always": Text("always: I answer everything that is not meant for somebody else"),
}
MODE_IS = Text(
    "My mode in this chat: {mode}. /mode mentioned or /mode off is for its admins, /mode always for my owner."
)
NO_SUCH_MODE = Text("There is no mode “{mode}”. There are /mode mentioned, /mode off and /mode always.")
MODE_OF_ADMINS = Text("Only the admins of this chat and my owner can change my mode.")
MODE_OF_OWNER = Text("Only my owner can let me answer everything.")
MODE_IN_PRIVATE = Text("Modes are for group chats. Here I answer everything.")
