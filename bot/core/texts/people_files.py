"""What the bot says to people about files that they send."""

from bot.core.texts import Plural, Text

UNNAMED_FILE_TOO_LARGE_FOR_PLATFORM = Text("That file has {size} MB; {platform} gives me {most} at most.")
FILE_TOO_LARGE_FOR_PLATFORM = Text("{name} has {size} MB; {platform} gives me {most} at most.")
UNNAMED_FILE_TOO_LARGE = Text("That file has {size} MB; I take {most} at most.")
FILE_TOO_LARGE = Text("{name} has {size} MB; I take {most} at most.")
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
