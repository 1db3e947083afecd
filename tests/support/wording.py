"""Look for a text of a catalogue when not all its values are known."""

import re
from string import Formatter

from bot.core.texts import Sentence, Text
from channels.formatting import repeat_mark

REPEAT_MARK = repeat_mark()


def like(text: Text | Sentence, **known: object) -> str:
    """Return a pattern for the text with these values and any others."""
    found = ""
    for plain, name, form, conversion in Formatter().parse(text if isinstance(text, Text) else text.english):
        found += re.escape(plain)
        if name in known:
            placeholder = f"{{{name}{f'!{conversion}' if conversion else ''}{f':{form}' if form else ''}}}"
            found += re.escape(placeholder.format_map(known))
        elif name is not None:
            found += "(?s:.*)"
    return found


def says(output: str, text: Text | Sentence, **known: object) -> bool:
    """Return True if the output has that text with these values."""
    return re.search(like(text, **known), output) is not None
