"""What the Telegram channel itself says to people, in English."""

from bot.core.texts import Sentence

# Why a file that came with a message could not be fetched

FILE_TOO_LARGE = Sentence("That file is too large: Telegram gives me {megabytes} MB at most.")
