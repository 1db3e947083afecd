"""What people and the model read of a file that cannot be shown or read."""

from bot.core.texts import Sentence

REFUSALS = {
    "damaged": Sentence(
        "{name} begins like a file of the type {kind}, but the rest does not fit it: the file is damaged or cut off."
    ),
    "too much memory": Sentence("{name} needs too much memory to examine: save it in a simpler form, or split it."),
    "too long": Sentence("{name} unpacks to more than I can read: split it."),
    "too many pixels": Sentence(
        "{name} is {width:,} by {height:,} pixels, but I take at most {most} million pixels: make the image smaller."
    ),
    "other picture": Sentence(
        "{name} is an image of the type {kind}, which cannot be shown: save it as JPEG or PNG, or send it as a photo."
    ),
    "encrypted": Sentence("{name} is encrypted: save it without a password."),
    "audio": Sentence("{name} is sound ({kind}, {bytes:,} bytes), which cannot be read as a file."),
    "video": Sentence(
        "{name} is a video ({kind}, {bytes:,} bytes), which cannot be shown: send single pictures of it."
    ),
    "archive": Sentence("{name} is an archive ({kind}, {bytes:,} bytes), which is not unpacked: send the files in it."),
    "no text": Sentence(
        "{name} is a document ({kind}, {bytes:,} bytes) without any text: to show its pictures, save it as PDF."
    ),
    "old document": Sentence(
        "{name} is a document of an old office program ({bytes:,} bytes), which cannot be read: save it as docx or PDF."
    ),
    "unknown": Sentence("{name} is neither text nor a type of file that can be read ({bytes:,} bytes)."),
}
PDF_HAS_TOO_MANY_PAGES = Sentence(
    "{name} has {pages:,} pages, but models accept only PDFs of up to {most} pages: split it."
)
PDF_HAS_TOO_MANY_BYTES = Sentence(
    "{name} has {bytes:,} bytes, but models accept only PDFs of up to {most:,} bytes: split it."
)
PDF_HAS_NO_PAGES = Sentence("{name} begins like a PDF, but no page can be found in it: it is damaged, or cut off.")
NOT_EXAMINED = Sentence("{name} cannot be examined: {reason}.")
