"""What back-ups and restores say to operators."""

from bot.core.texts import Plural, Text

# How much there is

CONVERSATIONS = Plural("{count:,} conversation", "{count:,} conversations")
MESSAGES = Plural("{count:,} message", "{count:,} messages")
FILES = Plural("{count:,} file", "{count:,} files")

# Making a back-up

SECRETS_PUT_IN = Text("the back-up contains the API key and the tokens: anyone who can read the back-up can use them")
COPYING = Text("copying {path}")
COPYING_PROGRESS = Text("  {percent} % copied")
COPIED = Text("  copied: {conversations}, {messages}")
COPIED_WITH_NEWEST = Text("  copied: {conversations}, {messages}; the newest message is from {newest} UTC")
PROGRESS = Text("  {size} written so far")
FOLDER_PUT_IN = Text("added {folder}: {files}, {size}")
DONE = Text("done: the back-up contains {files}, {size}")
DONE_WITH_LEFT_OUT = Text("done: the back-up contains {files}, {size}; number of entries left out: {left_out}")

# What is left out of a back-up, and why

LEFT_OUT = Text("  left out: {entry}")
UNREADABLE = Text("this file or folder cannot be read ({error})")
PATH_TOO_LONG = Text("this path is too long to be restored")
LEADS_OUT = Text("this link points to a place outside its folder")
NO_FILE_ANY_MORE = Text("this is no longer a file: it was replaced during the back-up")
SHORTENED = Plural(
    "this file became shorter while it was read, so its last byte is missing",
    "this file became shorter while it was read, so its last {count} bytes are missing",
)
KINDS = {
    "pipe": Text("this is a pipe, not a file"),
    "socket": Text("this is a socket, not a file"),
    "device": Text("this is a device, not a file"),
    "other": Text("this is not a regular file"),
}

# Why no back-up is made

STDOUT_CLOSED = Text("stdout is closed, so the back-up would be lost; send it to a file, or into a pipe")
STDOUT_IS_A_TERMINAL = Text("stdout is a terminal: send the back-up to a file, or into a pipe")
FILE_EXISTS = Text("{path} exists already; name another file, or add --force to replace it")
IN_WORKSPACE = Text("{path} is in the workspace, where roles could read the back-up; name a path elsewhere")
TARGET_IS_A_FOLDER = Text("{path} is a folder; name a file")
BEING_WRITTEN = Text("{path} is being written by another back-up; wait for its end, or name another file")
CANNOT_WRITE = Text("{path}: this file cannot be written: {error}")
CANNOT_WRITE_BACKUP = Text("{path}: the back-up cannot be written: {error}")
DISK_NEARLY_FULL = Text("only {free} are free on the disk of {folder}, where the back-up is written: make room there")
CONFIG_NOT_JSON = Text("{path}: this config file is not valid JSON; fix it, then make the back-up")
FOLDER_UNREADABLE = Text("{folder}: this folder cannot be read: {error}")

# Restoring

BACKUP_OF = Text("a back-up from {moment} UTC, made by Retinue {version}")
CHECKED = Text("checked: the database is intact; {conversations}, {messages}")
RESTORED = Text("restored: {database}, and {workspace}")
FORMER_KEPT = Text("the former files are in {folder}; remove that folder when everything works")
FOLDER_STAYS = Text("{folder} was not restored: it is not empty, so it stays as it is")
FOLDER_CANNOT_BE_MADE = Text("{folder} was not restored: this user cannot create it")
CONFIG_STAYS = Text("{path} was not restored: it differs from the config in the back-up, and stays as it is")
SECRETS_NOT_IN_IT = Text("the back-up does not contain the secrets {keys}, which were in config.json; set them again")
NOTHING_UNKNOWN = Text(
    "because of --as-is, the restore has marked no message or call as having an unknown outcome: this is right only if "
    "no bot has run since the back-up"
)
CHATS_TOLD = Plural(
    "at its next start, the bot tells {count} chat about the restore, once",
    "at its next start, the bot tells {count} chats about the restore, once",
)
LOST_SINCE = Text(
    "the restored bot does not know how much money was spent after the back-up, or who was let in or sent away since"
)
LINK_LEFT_OUT = Text("left out: {name}, because it is a link")

# Why nothing is restored

NOTHING_CHANGED = Text("{path}: {reason}; nothing was changed")
UNPACK_ALONE = Text("--unpack only unpacks files: leave out --only-data and --as-is")
CANNOT_READ = Text("this file cannot be read: {error}")
NO_CONFIG = Text("{path}: this config does not exist, and the back-up contains no config; write one first")
UNPACK_INTO_NEW_FOLDER = Text("{folder} exists already: name a new folder")
FOLDER_OF_ANOTHER_USER = Text(
    "you are root, but {folder} belongs to user {uid}, who cannot read what root restores: run restore as that user"
)
CANNOT_PUT_ASIDE = Text("this user cannot move {path} aside; move it elsewhere, then run restore again")
NO_ROOM = Text(
    "{folder}: {name} needs {size:.0f} MB and a reserve of {spare:.0f} MB, but only {free:.0f} MB are free: make room "
    "there"
)
NO_DATABASE = Text("this back-up contains no database")
OTHER_DATABASE = Text("the database in this back-up does not match its manifest.json")

# What is wrong with a file that should be a back-up

CUT_OFF = Text("this back-up is cut off: part of it is missing")
CUT_OFF_BY = Text("this back-up is cut off ({error})")
DAMAGED = Text("this back-up is damaged")
DAMAGED_OR_NO_BACKUP = Text("this file is damaged, or not a back-up of Retinue ({error})")
NO_BACKUP = Text("this file is not a back-up of Retinue")
NO_MANIFEST = Text("this file is not a back-up of Retinue: it does not begin with manifest.json")
MANIFEST_UNREADABLE = Text("this file is not a back-up of Retinue: its manifest.json cannot be read")
CONTENTS_UNREADABLE = Text("this back-up is damaged: its contents.json cannot be read")
OF_NEWER_VERSION = Text("this back-up was made by a newer version of Retinue ({version}); restore it with that version")
HOSTILE = Text("this back-up was not made by Retinue: its entry {name!r}: {reason}")
HOSTILE_HEADER = Text("this back-up was not made by Retinue: one of its tar headers is wrong: {reason}")
HOSTILE_END = Text("this back-up was not made by Retinue: there is more data after its end")
IMPOSSIBLE_LENGTH = Text("the length in this tar header is impossible")
UNREADABLE_NUMBER = Text("this tar header contains a malformed number")
NOT_SHORT = Text("this entry must be a small file, but it is not")
BEHIND_END = Text("this entry comes after the entry that ends every back-up, or the back-up has too many entries")
NAME_LEADS_ELSEWHERE = Text("this path is not allowed: it could lead out of its folder, or a part of it is too long")
OF_ODD_KIND = Text("this entry is not a file, a folder or a link")
NO_PART = Text("this entry does not belong in a back-up")
TWICE_OR_WITHOUT_FOLDER = Text("this entry occurs twice, or its folder is missing")
LINK_IMPOSSIBLE = Text("this link cannot be created")
LINK_LEADS_OUT = Text("this link points to a place outside its folder")
