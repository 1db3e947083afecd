"""What the model reads in the text of a document, and of an archive."""

from bot.core.texts import Plural, Text

REST_LEFT_OUT = Text("(The document is longer: only its first {characters:,} characters stand here.)")
ARCHIVE_HOLDS = Plural(
    "An archive of {count} file, {bytes:,} bytes unpacked. I see only its name and size:",
    "An archive of {count:,} files, {bytes:,} bytes unpacked. I see only their names and sizes:",
)
ARCHIVE_IS_EMPTY = Text("An archive without files.")
ARCHIVE_HOLDS_MORE = Text("(The first {listed:,} files stand here.)")
ARCHIVE_GOES_ON = Text("(The archive is longer: only its first {megabytes:,} MB were looked at.)")
ARCHIVED_FILE = Plural("- {name} ({count} byte)", "- {name} ({count:,} bytes)")
