"""What the model reads in the place of what its server cannot read."""

from bot.core.texts import Text

FILE_LEFT_OUT = Text("(left out: the model's server cannot read this file)")
