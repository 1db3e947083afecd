"""What the model reads for the parts of a Telegram message that are not text. People read it if there is no text."""

from bot.core.texts import Text

# What nobody here can read yet

PHOTO = Text("a photo")
ANIMATION = Text("an animation")
STORY = Text("a story")
CONTACT = Text("a contact")
PLACE = Text("a place")
LOCATION = Text("a location on the map")
LIVE_PHOTO = Text("a live photo")
PAID_MEDIA = Text("paid media")
CHECKLIST = Text("a checklist")
GAME = Text("a game")
INVOICE = Text("an invoice")
VOICE_MESSAGE = Text("a voice message")
VOICE_MESSAGE_OF = Text("a voice message of {seconds} s")
VIDEO_MESSAGE = Text("a video message")
VIDEO_MESSAGE_OF = Text("a video message of {seconds} s")
VIDEO = Text("a video")
VIDEO_OF = Text("a video of {seconds} s")
AUDIO = Text("a piece of audio")
AUDIO_OF = Text("a piece of audio of {seconds} s")
FILE = Text("a file")
FILE_NAMED = Text("the file {name}")
STICKER = Text("a sticker")
STICKER_OF = Text("a sticker {emoji}")
THROW = Text("a throw of the dice")
THROW_OF = Text("a throw of the dice ({emoji})")
POLL = Text("a poll: {question}")
SOMETHING = Text("something that I cannot read")

# Who wrote something, where no name is known

SOMEBODY = Text("somebody")
CHAT = Text("an unnamed chat")
