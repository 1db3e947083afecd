"""What the model reads instead of a file that its server cannot read."""

from bot.core.texts import Text

FILE_LEFT_OUT = Text("(left out: the model's server cannot read this file)")
