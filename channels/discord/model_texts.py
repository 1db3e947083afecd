"""What the model reads for the parts of a Discord message that are not text. People read it if there is no text."""

from bot.core.texts import Text

# What nobody here can read yet

PICTURE = Text("the picture {name}")
VIDEO = Text("the video {name}")
RECORDING = Text("the recording {name}")
FILE = Text("the file {name}")
VOICE_MESSAGE = Text("a voice message")
STICKER = Text("the sticker {name}")
POLL = Text("a poll")

# Who wrote something, where no name is known

SOMEBODY = Text("somebody")
