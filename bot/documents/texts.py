"""What the model reads in the text of a document."""

from bot.core.texts import Sentence

REST_LEFT_OUT = Sentence("(The document is longer: only its first {characters:,} characters stand here.)")
