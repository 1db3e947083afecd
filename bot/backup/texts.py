"""What back-ups and restores say to operators."""

from bot.core.texts import Plural, Text

# How much there is

CONVERSATIONS = Plural("{count:,} conversation", "{count:,} conversations")
MESSAGES = Plural("{count:,} message", "{count:,} messages")
FILES = Plural("{count:,} file", "{count:,} files")

# Making a back-up

SECRETS_PUT_IN = Text("the back-up contains the key and the tokens: anyone who can read it has them")
COPYING = Text("copying {path}")
COPYING_PROGRESS = Text("  {percent} % copied")
COPIED = Text("  {conversations}, {messages}")
COPIED_WITH_NEWEST = Text("  {conversations}, {messages}; the newest is from {newest} UTC")
PROGRESS = Text("  {size} so far")
FOLDER_PUT_IN = Text("{folder}: {files}, {size}")
DONE = Text("done: {files}, {size}")
DONE_WITH_LEFT_OUT = Text("done: {files}, {size}; {left_out} left out")

# What is left out of a back-up, and why

LEFT_OUT = Text("  left out: {entry}")
UNREADABLE = Text("it cannot be read ({error})")
PATH_TOO_LONG = Text("its path is too long to be restored")
LEADS_OUT = Text("it is a link to a place outside the folder")
NO_FILE_ANY_MORE = Text("it is no longer a file")
SHORTENED = Plural(
    "its last byte is missing: the file became shorter while it was read",
    "its last {count} bytes are missing: the file became shorter while it was read",
)
KINDS = {
    "pipe": Text("it is a pipe"),
    "socket": Text("it is a socket"),
    "device": Text("it is a device"),
    "other": Text("it is not a regular file"),
}

# Why no back-up is made

STDOUT_CLOSED = Text("stdout is closed: the back-up would be lost")
STDOUT_IS_A_TERMINAL = Text("stdout is a terminal: send the back-up to a file, or into a pipe")
FILE_EXISTS = Text("{path} exists already; name another file, or add --force to replace it")
IN_WORKSPACE = Text("{path} is in the workspace, where roles could read all of it; name a place outside the workspace")
TARGET_IS_A_FOLDER = Text("{path} is a folder; name a file")
BEING_WRITTEN = Text("{path} is being written by another back-up; wait for that, or name another file")
CANNOT_WRITE = Text("{path}: cannot be written: {error}")
CANNOT_WRITE_BACKUP = Text("{path}: the back-up cannot be written: {error}")
DISK_NEARLY_FULL = Text("only {free} are free on the disk of {folder}, where the back-up is written: make room there")
CONFIG_NOT_JSON = Text("{path}: not valid JSON; fix it, then make the back-up")
FOLDER_UNREADABLE = Text("{folder}: cannot be read: {error}")

# Restoring

BACKUP_OF = Text("a back-up of {moment} UTC, made by Retinue {version}")
CHECKED = Text("checked: the database is intact; {conversations}, {messages}")
RESTORED = Text("restored: {database}, and {workspace}")
FORMER_KEPT = Text("the former files are in {folder}; remove that folder when everything works")
FOLDER_STAYS = Text("not restored: {folder} is not empty, and stays as it is")
FOLDER_CANNOT_BE_MADE = Text("not restored: this user cannot create {folder}")
CONFIG_STAYS = Text("not restored: {path} differs from the config in the back-up, and stays as it is")
SECRETS_NOT_IN_IT = Text("not in the back-up: the secrets {keys}, which were in config.json; set them again")
NOTHING_UNKNOWN = Text(
    "--as-is: you say that no bot has run since the back-up, so no message or call is marked as having an unknown "
    "outcome"
)
CHATS_TOLD = Plural(
    "the next start tells {count} chat, once, about the restore",
    "the next start tells {count} chats, once, about the restore",
)
LOST_SINCE = Text("lost: the records of what was spent, and of who was let in or sent away, since the back-up")
LINK_LEFT_OUT = Text("left out: {name}: it is a link")

# Why nothing is restored

NOTHING_CHANGED = Text("{path}: {reason}; nothing was changed")
UNPACK_ALONE = Text("--unpack only unpacks files: leave out --only-data and --as-is")
CANNOT_READ = Text("cannot be read: {error}")
NO_CONFIG = Text("{path}: this config does not exist, and the back-up contains no config; write one first")
UNPACK_INTO_NEW_FOLDER = Text("{folder} exists already: name a new folder")
FOLDER_OF_ANOTHER_USER = Text(
    "{folder} belongs to user {uid}, who could not read files that root restores: run restore as that user"
)
CANNOT_PUT_ASIDE = Text("this user cannot move {path} aside; move it elsewhere, then run restore again")
NO_ROOM = Text(
    "{folder}: {name} needs {size:.0f} MB and a reserve of {spare:.0f} MB, but only {free:.0f} MB are free: make room "
    "there"
)
NO_DATABASE = Text("it contains no database")
OTHER_DATABASE = Text("its database does not match its manifest")

# What is wrong with a file that should be a back-up

CUT_OFF = Text("it is cut off: part of it is missing")
CUT_OFF_BY = Text("it is cut off ({error})")
DAMAGED = Text("it is damaged")
DAMAGED_OR_NO_BACKUP = Text("it is damaged, or not a back-up of Retinue ({error})")
NO_BACKUP = Text("it is not a back-up of Retinue")
NO_MANIFEST = Text("it is not a back-up of Retinue: it does not begin with manifest.json")
MANIFEST_UNREADABLE = Text("it is not a back-up of Retinue: its manifest.json cannot be read")
CONTENTS_UNREADABLE = Text("its contents.json cannot be read; the file is damaged")
OF_NEWER_VERSION = Text("it was made by a newer version of Retinue ({version}); restore it with that version")
HOSTILE = Text("this back-up was not made by Retinue: {name!r}: {reason}")
HOSTILE_HEADER = Text("this back-up was not made by Retinue: one of its headers is wrong: {reason}")
HOSTILE_END = Text("this back-up was not made by Retinue: there is more data after its end")
IMPOSSIBLE_LENGTH = Text("its length is impossible")
UNREADABLE_NUMBER = Text("it contains a malformed number")
NOT_SHORT = Text("it must be a small file, but it is not")
BEHIND_END = Text("it comes after the last entry of a back-up, or the back-up has too many entries")
NAME_LEADS_ELSEWHERE = Text("its path is not allowed: it leads elsewhere, or is too long")
OF_ODD_KIND = Text("it is neither a file nor a folder nor a link to one")
NO_PART = Text("it does not belong in a back-up")
TWICE_OR_WITHOUT_FOLDER = Text("it occurs twice, or its folder is missing")
LINK_IMPOSSIBLE = Text("this link cannot be created")
LINK_LEADS_OUT = Text("it is a link to a place outside its folder")
