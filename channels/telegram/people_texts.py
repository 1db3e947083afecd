"""What the Telegram channel itself says to people, in English."""

from bot.core.texts import Sentence

# Why a file that came with a message could not be fetched

FILE_TOO_LARGE = Sentence("That file is too large: Telegram gives me {megabytes} MB at most.")

# Why a chat accepts no messages, and what helps. The owner reads it behind a colon.

BOT_BLOCKED = Sentence("the person has blocked the bot; they have to unblock the bot")
ACCOUNT_DELETED = Sentence("the person's account is deleted")
NEVER_WRITTEN = Sentence(
    "the person has never written to the bot; they have to open the chat with the bot and press Start"
)
BOT_REMOVED = Sentence("the bot was removed from the chat; somebody has to add the bot again")
BOT_NOT_IN_CHAT = Sentence("the bot is not in the chat; somebody has to add the bot")
CHAT_DELETED = Sentence("the chat is deleted")
NO_SUCH_CHAT = Sentence(
    "Telegram does not know this chat; somebody has to write to the bot there, or add the bot again"
)
MAY_NOT_WRITE = Sentence("the bot is not allowed to write in the chat; an administrator has to allow it")
NEEDS_ADMINISTRATOR = Sentence(
    "only administrators may write in the chat; one of them must make the bot an administrator"
)
TOPIC_CLOSED = Sentence("the topic is closed; somebody has to reopen it")
TOPIC_DELETED = Sentence("the topic is deleted")
