"""What the bot says to people about a call that waits for their word."""

from bot.core.texts import CountedSentence, Sentence

CHARACTERS_LEFT_OUT = CountedSentence("{count} character is left out here", "{count:,} characters are left out here")
NO_ARGUMENTS = Sentence("It has no arguments.")
MIXED_LETTERS = Sentence("Careful: “{word}” mixes letters of different alphabets ({letters}).")
LOOKALIKE_LETTERS = Sentence(
    "Careful: “{word}” has only letters that look like others: it could be taken for “{latin}”."
)
ENCODED_HOST = Sentence("Careful: the address {host} is shown by browsers as {decoded}.")
INVISIBLE_CHARACTERS = Sentence("Careful: it holds characters that nobody sees. They are shown as {example}.")
MORE_WARNINGS = CountedSentence("And {count} more word like these.", "And {count} more words like these.")
