"""What the model reads about the terminal."""

from bot.core.texts import Text

SURROUNDINGS = Text(
    "The chat is a terminal: headings, lists, tables, bold and code are drawn, pictures are not. An answer may be long."
)
