"""What the bot says to people about files that they send."""

from bot.core.texts import CountedSentence, Sentence

UNNAMED_FILE = Sentence("That file")  # begins a sentence in place of a name
UNNAMED_FILE_TOO_LARGE_FOR_PLATFORM = Sentence("That file has {size} MB; {platform} gives me at most {most} MB.")
FILE_TOO_LARGE_FOR_PLATFORM = Sentence("{name} has {size} MB; {platform} gives me at most {most} MB.")
UNNAMED_FILE_TOO_LARGE = Sentence("That file has {size} MB; I take at most {most} MB.")
FILE_TOO_LARGE = Sentence("{name} has {size} MB; I take at most {most} MB.")
UNNAMED_FILE_GREW_TOO_LARGE = Sentence("That file is larger than {most} MB, which is the most that I take.")
FILE_GREW_TOO_LARGE = Sentence("{name} is larger than {most} MB, which is the most that I take.")
TOO_MANY_FILES_AT_ONCE = CountedSentence(
    "I take at most {most} files with one message, so I left out the last one.",
    "I take at most {most} files with one message, so I left out the last {count}.",
)
TOO_MANY_FILES_IN_CHAT = Sentence(
    "This chat has sent me a lot in the last hour: I take at most {files} files and {most} MB an hour. Please send "
    "the rest later."
)
UNNAMED_FILE_NOT_FETCHED = Sentence("I could not get that file, so I have not seen it. Please send it again.")
FILE_NOT_FETCHED = Sentence("I could not get {name}, so I have not seen it. Please send it again.")
ABOUT_FILE = Sentence("{name}: {reason}")  # the reason is a sentence
UNNAMED_FILE_NOT_KEPT = Sentence("I got that file, but could not save it here ({reason}). Please send it again later.")
FILE_NOT_KEPT = Sentence("I got {name}, but could not save it here ({reason}). Please send it again later.")
VOICE_NOT_SUPPORTED = Sentence("I can't listen to voice messages here. Please write it to me.")
VOICE_NOT_SUPPORTED_AT_LENGTH = Sentence(
    "I can't listen to voice messages here: nothing is set up that turns speech into text. Please write it to me. The "
    "person who runs me can change that with the setting “voice”."
)
NO_MONEY_FOR_TRANSCRIPT = Sentence(
    "I did not turn this recording into text: the money for today is used up. Please write it to me, or send it again "
    "tomorrow."
)
NOTHING_SAID = Sentence("I can't hear any words in this recording.")

# A message in a list of messages, where it has no words

WITHOUT_WORDS = Sentence("a message without words")
KINDS = {
    "photo": Sentence("a photo"),
    "file": Sentence("a file"),
    "voice": Sentence("a voice message"),
    "audio": Sentence("a recording"),
    "video": Sentence("a video"),
    "sticker": Sentence("a sticker"),
}
