"""What the model reads for the parts of a Telegram message that are not text. People read it if there is no text."""

from bot.core.texts import Plural, Text

# Files, where only their kind can be told, as in a quotation without words

PHOTO = Text("a photo")
ANIMATION = Text("an animation")
VOICE_MESSAGE = Text("a voice message")
VOICE_MESSAGE_OF = Text("a voice message of {seconds} s")
VIDEO_MESSAGE = Text("a video message")
VIDEO_MESSAGE_OF = Text("a video message of {seconds} s")
VIDEO = Text("a video")
VIDEO_OF = Text("a video of {seconds} s")
AUDIO = Text("a piece of audio")
AUDIO_OF = Text("a piece of audio of {seconds} s")
LIVE_PHOTO = Text("a live photo")
FILE = Text("a file")
FILE_NAMED = Text("the file {name}")

# What can be told in words

STICKER = Text("a sticker")
STICKER_OF = Text("a sticker {emoji}")
STICKER_OF_SET = Text("a sticker {emoji} of the set {set}")
THROW = Text("a throw of the dice")
THROW_OF = Text("a throw of {emoji}: {value}")
POLL = Text("a poll: {question} The options: {options}")
QUIZ = Text("a quiz: {question} The options: {options}")
CLOSED_POLL = Text("a poll that is closed: {question} The options: {options}")
OPTION = Text("{number}. {text}")
OPTION_WITH_VOTES = Plural("{number}. {text} ({count} vote)", "{number}. {text} ({count} votes)")
LOCATION = Text("a location on the map: latitude {latitude}, longitude {longitude}")
LIVE_LOCATION = Text(
    "a live location on the map, which moves for {minutes:.0f} min; when it was sent: latitude {latitude}, longitude "
    "{longitude}"
)
PLACE = Text("a place: {title}, {address}; latitude {latitude}, longitude {longitude}")
CONTACT = Text("a contact: {name}, {phone}")
CHECKLIST = Text("a checklist: {title} The items: {items}")
ITEM = Text("{text}")
ITEM_DONE = Text("{text} (done)")
GAME = Text("a game: {title}, {description}")
INVOICE = Text("an invoice: {title}, {description}, {amount:.2f} {currency}")
STORY = Text("a story of {author}, which bots cannot open")
PAID_MEDIA = Plural(
    "paid media for {count} Telegram Star, which bots cannot open",
    "paid media for {count} Telegram Stars, which bots cannot open",
)
GIFT = Text("a gift")
GIFT_WITH_WORDS = Text("a gift with the words: {words}")
SOMETHING = Text("something that I cannot read")

# Who wrote something, where no name is known

SOMEBODY = Text("somebody")
CHAT = Text("an unnamed chat")

# Where the bot talks

SURROUNDINGS = Text(
    "The chat is on Telegram: bold, italics, quotes, links and code are shown, headings and tables are not. A message "
    "holds 4,096 characters; a longer answer becomes several, a very long one its beginning and a file. You cannot "
    "join groups, call, or write to people who have not written to you."
)
