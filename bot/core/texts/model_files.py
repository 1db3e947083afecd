"""What the model reads about files that people send."""

from bot.core.texts import Text

KINDS = {
    "photo": Text("photo"),
    "file": Text("file"),
    "voice": Text("voice note"),
    "audio": Text("audio file"),
    "video": Text("video"),
    "sticker": Text("sticker"),
}
KEPT = Text("[attached: {what}, {type}, {bytes:,} bytes; it lies in your workspace: {path}]")
KEPT_QUOTED = Text("[came with the quoted words: {what}, {type}, {bytes:,} bytes; it lies in your workspace: {path}]")
SEEN = Text("[attached: {what}, {type}, {bytes:,} bytes; it lies in no folder that you can read]")
SEEN_QUOTED = Text(
    "[came with the quoted words: {what}, {type}, {bytes:,} bytes; it lies in no folder that you can read]"
)
REMOVED = Text("[attached: {what}, {type}, {bytes:,} bytes; it has been deleted since]")
MISSING = Text("[attached, but you do not have it: {what}. {person} was told: {why}]")
MISSING_QUOTED = Text("[came with the quoted words, but you do not have it: {what}. {person} was told: {why}]")
BEGINNING = Text("[{name} begins like this; each line of the file is marked with >:]")
WHOLE_TEXT = Text("[{name} holds this text; each line of the file is marked with >:]")
REST_IN_FILE = Text("[the rest is in {path}]")
REST_NOT_SHOWN = Text("[the rest is not shown]")
IS_SHOWN = Text("[{name} is shown after this text]")
NOT_SHOWN = Text("[{name} is not shown: {reason}]")
MODEL_TAKES_TEXT_ONLY = Text("the model {model} takes text only; tell the person")
SAID = Text(
    "[a machine has turned what is said in this {kind} into text, which cost ${cost:.4f}; each line of it is marked "
    "with >:]"
)
