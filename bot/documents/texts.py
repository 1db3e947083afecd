"""What the model reads in the text of a document."""

from bot.core.texts import Text

REST_LEFT_OUT = Text("(The document is longer: only its first {characters:,} characters stand here.)")
