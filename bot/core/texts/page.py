"""Why the bot does not take what the owner writes in the page."""

from bot.core.texts import Text

NO_WORDS = Text("Write something first.")
TOO_LONG = Text("This has {length:,} characters; at most {most:,} are taken.")
NO_SUCH_CONVERSATION = Text("This conversation is not there any more.")
NO_SUCH_DELEGATION = Text("This delegation is over, and its number in the chat belongs to another one now.")
NO_SUCH_QUESTION = Text("This question is answered already, or was withdrawn.")
QUESTION_FOR_ANOTHER = Text("This question was put to somebody else. Only they can answer it.")
NO_ACCOUNT = Text("You have no account on {channel}. Set channels.{channel}.owner, or link an account with /link.")
NOT_YOUR_CHAT = Text(
    "You have not written in this chat, so you cannot write there from here. In a group chat, write there once. What "
    "works there you can stop."
)
OTHER_VERSION = Text("The bot is of version {running}, and this page is of version {own}. Restart the older one.")
NOT_WORDS = Text("The bot does not understand this form. Load the page again.")
BOT_AWAY = Text(
    "The bot does not answer: it does not run, or it is busy. Start it, and send this again. It is taken only once."
)
