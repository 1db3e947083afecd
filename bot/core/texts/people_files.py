"""What the bot says to people about files that they send."""

from bot.core.texts import Plural, Text

UNNAMED_FILE_TOO_LARGE_FOR_PLATFORM = Text("That file has {size} MB; {platform} gives me at most {most} MB.")
FILE_TOO_LARGE_FOR_PLATFORM = Text("{name} has {size} MB; {platform} gives me at most {most} MB.")
UNNAMED_FILE_TOO_LARGE = Text("That file has {size} MB; I take at most {most} MB.")
FILE_TOO_LARGE = Text("{name} has {size} MB; I take at most {most} MB.")
UNNAMED_FILE_GREW_TOO_LARGE = Text("That file is larger than {most} MB, which is the most that I take.")
FILE_GREW_TOO_LARGE = Text("{name} is larger than {most} MB, which is the most that I take.")
TOO_MANY_FILES_AT_ONCE = Plural(
    "I take at most {most} files with one message, so I left out the last one.",
    "I take at most {most} files with one message, so I left out the last {count}.",
)
TOO_MANY_FILES_IN_CHAT = Text(
    "This chat has sent me a lot in the last hour: I take at most {files} files and {most} MB an hour. Please send "
    "the rest later."
)
UNNAMED_FILE_NOT_FETCHED = Text("I could not get that file, so I have not seen it. Please send it again.")
FILE_NOT_FETCHED = Text("I could not get {name}, so I have not seen it. Please send it again.")
UNNAMED_FILE_NOT_KEPT = Text("I got that file, but could not save it here ({reason}). Please send it again later.")
FILE_NOT_KEPT = Text("I got {name}, but could not save it here ({reason}). Please send it again later.")
VOICE_NOT_SUPPORTED = Text("I can't listen to voice messages here. Please write it to me.")
VOICE_NOT_SUPPORTED_AT_LENGTH = Text(
    "I can't listen to voice messages here: nothing is set up that turns speech into text. Please write it to me. The "
    "person who runs me can change that with the setting “voice”."
)
NO_MONEY_FOR_TRANSCRIPT = Text(
    "I did not turn this recording into text: the money for today is used up. Please write it to me, or send it again "
    "tomorrow."
)
NOTHING_SAID = Text("I can't hear any words in this recording.")
