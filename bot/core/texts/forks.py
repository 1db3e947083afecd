"""Why the bot does not try a turn again in a conversation of the owner's own."""

from bot.core.texts import Text

NO_SUCH_TURN = Text("There is no turn {turn}.")
ONLY_LEAD = Text("Only a turn of the lead can be tried again: {turn} is the work of {role}, which is part of one.")
OF_GROUP = Text("{turn} is of the group {group}. Its agent answers only in the group's chat, so it is not tried again.")
NO_WORDS = Text("What was written then is no longer kept. Write what to ask.")
TOO_LONG = Text("This has {length:,} characters; at most {most:,} are taken.")
NO_SUCH_MODEL = Text("The lead cannot use the model {model}. It can use: {models}.")
NO_ORDER = Text("The bot does not understand this form. Load the page again.")
OTHER_VERSION = Text("The bot is of version {running}, and this is of version {own}. Restart the older one.")
BOT_AWAY = Text("The bot does not answer: it does not run, or it is busy. Start it, and send this again.")
