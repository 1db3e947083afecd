"""What the control socket logs, for operators."""

from bot.core.texts import Text

CANNOT_LISTEN = Text(
    "the control socket cannot listen at {path}: {reason}; no terminal can connect to the bot, and `retinue health` "
    "reads only the database"
)
CONNECTION_ENDED_EARLY = Text("a connection to the control socket has ended early")
CONNECTION_FAILED = Text("a connection to the control socket failed")
