"""What the model reads for the parts of a Discord message that are not text. People read it if there is no text."""

from bot.core.texts import Plural, Text

# Files, where only their kind can be told, as in a quotation without words

PICTURE = Text("the picture {name}")
VIDEO = Text("the video {name}")
RECORDING = Text("the recording {name}")
FILE = Text("the file {name}")
VOICE_MESSAGE = Text("a voice message")

# What can be told in words

STICKER = Text("the sticker {name}")
POLL = Text("a poll: {question} The options: {options}")
CLOSED_POLL = Text("a poll that is closed: {question} The options: {options}")
OPTION = Text("{number}. {text}")
OPTION_WITH_VOTES = Plural("{number}. {text} ({count} vote)", "{number}. {text} ({count} votes)")

# Who wrote something, where no name is known

SOMEBODY = Text("somebody")

# Where the bot talks

SURROUNDINGS = Text(
    "The chat is on Discord: headings, bold, lists, quotes, links and code are shown, tables are not. A message holds "
    "2,000 characters; a longer answer becomes several, a very long one its beginning and a file. You cannot join "
    "servers, call, or write to people who have not written here."
)
