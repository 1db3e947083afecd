"""What the store says to operators about the database, copies of the database, and restores."""

from bot.core.texts import Text

# The database

DAMAGED = Text("{path} is damaged ({reason}): {mending}")
MEND_DAMAGE = Text("stop the bot and restore a back-up, or save what can be saved with `sqlite3 FILE .recover`")
REPLACED = Text(
    "{path} was deleted or replaced while the bot was running; put the original file back and start the bot again, or "
    "start the bot with the file that is there now"
)
OF_DEVELOPMENT = Text(
    "the data folder was written by an early development version of Retinue, and cannot be migrated (tables: {names}): "
    "set data_dir to another folder, or move the file bot.db out of the data folder"
)
OF_NEWER_VERSION = Text(
    "a newer version of Retinue wrote the data folder (migration step {step}; this version knows only the first "
    "{steps}); use that newer version"
)

# The disk (logging fills in the first one)

DISK_REFUSES = Text("cannot write to the disk, trying again every %g s: %s")
DISK_TAKES = Text("the disk works again")
DISK_IS_FULL = Text("no space is left on the disk")

# Orders of another process

UNKNOWN_ORDER = Text("this version of Retinue does not know the request {order!r} of another process")
ORDER_FAILED = Text("the request {order} (number {number}) of another process failed")
FAILED = Text("the bot could not carry out the request: {reason}")

# A copy of the database

CANNOT_COPY = Text("data_dir: cannot copy {path}: {reason}")
CANNOT_COPY_DISK_FULL = Text("data_dir: cannot copy {path}: the disk is full")
CANNOT_WRITE_IN = Text("data_dir: cannot write in {folder}: {reason}")
NO_DATABASE = Text("{path}: there is no database yet: the first start of the bot creates it")
NO_ROOM_FOR_COPY = Text(
    "{folder}: the copy of the database needs {size:.0f} MB and a reserve of {spare:.0f} MB, but only {free:.0f} MB "
    "are free"
)
NOTHING_OF_OURS = Text("the database is not a database of Retinue ({reason})")

# A database that comes out of a back-up

CANNOT_WRITE = Text("data_dir: cannot write {path}: {reason}")
COPY_DAMAGED = Text("the database in the back-up is damaged ({reason})")
COPY_NAMES_MISSING_ROWS = Text("the database in the back-up is damaged ({table} refers to rows that are missing)")
COPY_NOT_OURS = Text("the database in the back-up is not a database of Retinue (tables: {names})")
COPY_UNUSABLE = Text("the database in the back-up cannot be used ({reason})")

# A restore

RESTORE_UNFINISHED = Text("{path}: a restore is running, or was interrupted; the next start of the bot finishes it")
RESTORE_STUCK = Text("{path}: a restore was interrupted, and cannot be finished ({reason}); fix that error first")
NO_NOTE_OF_RESTORE = Text(
    "{path}: this file should describe a restore, but its content is not valid; remove the file, and restore again"
)

# In place of what was deleted

FORGOTTEN_PART = Text("(What stood here was deleted, because a person was forgotten.)")
