"""What people read where speech could not be turned into text."""

from bot.core.texts import Sentence

OUT_OF_REACH = Sentence("I can't reach the service that turns speech into text. Please write it to me.")
BUSY = Sentence("The service that turns speech into text is busy. Please write it to me, or send it again later.")
NOT_SET_UP_WELL = Sentence(
    "The service that turns speech into text is not set up well, so please write it to me. The person who runs me "
    "finds the reason in my log."
)
NOT_ACCEPTED = Sentence("The service that turns speech into text doesn't accept this recording. Please write it to me.")
TOO_LARGE = Sentence(
    "This recording has {megabytes} MB, and I can turn at most {most} MB into text. Please send it in parts, or write "
    "it to me."
)
TOO_SLOW = Sentence("It takes too long to turn this recording into text. Please send it in parts, or write it to me.")
