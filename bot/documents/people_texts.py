"""What people and the model read of a file that cannot be shown or read."""

from bot.core.texts import Text

REFUSALS = {
    "damaged": Text(
        "{name} begins like a file of the type {kind}, but the rest does not fit it: the file is damaged or cut off."
    ),
    "too much memory": Text("{name} needs too much memory to examine: save it in a simpler form, or split it."),
    "too long": Text("{name} unpacks to more than I can read: split it."),
    "too many pixels": Text(
        "{name} is {width:,} by {height:,} pixels, but I take at most {most} million pixels: make the image smaller."
    ),
    "other picture": Text(
        "{name} is an image of the type {kind}, which cannot be shown: save it as JPEG or PNG, or send it as a photo."
    ),
    "encrypted": Text("{name} is encrypted: save it without a password."),
    "audio": Text("{name} is sound ({kind}, {bytes:,} bytes), which cannot be read as a file."),
    "video": Text("{name} is a video ({kind}, {bytes:,} bytes), which cannot be shown: send single pictures of it."),
    "archive": Text("{name} is an archive ({kind}, {bytes:,} bytes), which is not unpacked: send the files in it."),
    "no text": Text(
        "{name} is a document ({kind}, {bytes:,} bytes) without any text: to show its pictures, save it as PDF."
    ),
    "old document": Text(
        "{name} is a document of an old office program ({bytes:,} bytes), which cannot be read: save it as docx or PDF."
    ),
    "unknown": Text("{name} is neither text nor a type of file that can be read ({bytes:,} bytes)."),
}
PDF_HAS_TOO_MANY_PAGES = Text(
    "{name} has {pages:,} pages, but models accept only PDFs of up to {most} pages: split it."
)
PDF_HAS_TOO_MANY_BYTES = Text(
    "{name} has {bytes:,} bytes, but models accept only PDFs of up to {most:,} bytes: split it."
)
PDF_HAS_NO_PAGES = Text("{name} begins like a PDF, but no page can be found in it: it is damaged, or cut off.")
NOT_EXAMINED = Text("{name} cannot be examined: {reason}.")
