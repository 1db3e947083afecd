"""What back-ups and restores say to operators."""

from bot.core.texts import Plural, Text

# How much there is

CONVERSATIONS = Plural("{count:,} conversation", "{count:,} conversations")
MESSAGES = Plural("{count:,} message", "{count:,} messages")
FILES = Plural("{count:,} file", "{count:,} files")

# Making a back-up

SECRETS_PUT_IN = Text("the key and the tokens are put in: anyone who can read the back-up has them")
COPYING = Text("copies {path}")
COPYING_PROGRESS = Text("  {percent} % of it")
COPIED = Text("  {conversations}, {messages}")
COPIED_WITH_NEWEST = Text("  {conversations}, {messages}; the newest of {newest} UTC")
PROGRESS = Text("  {size} so far")
FOLDER_PUT_IN = Text("{folder}: {files}, {size}")
DONE = Text("done: {files}, {size}")
DONE_WITH_LEFT_OUT = Text("done: {files}, {size}; {left_out} left out")

# What is left out of a back-up, and why

LEFT_OUT = Text("  left out: {entry}")
UNREADABLE = Text("it cannot be read ({error})")
PATH_TOO_LONG = Text("its path is too long to be restored")
LEADS_OUT = Text("it is a link that leads out of the folder")
NO_FILE_ANY_MORE = Text("it is no file any more")
SHORTENED = Plural(
    "the last byte of it, gone while it was read", "the last {count} bytes of it, gone while it was read"
)
KINDS = {
    "pipe": Text("it is a pipe"),
    "socket": Text("it is a socket"),
    "device": Text("it is a device"),
    "other": Text("it is no file"),
}

# Why no back-up is made

STDOUT_CLOSED = Text("stdout is closed: the back-up would be lost")
STDOUT_IS_A_TERMINAL = Text("stdout is a terminal: send the back-up to a file, or into a pipe")
FILE_EXISTS = Text("{path} is there; name another file, or replace it with --force")
IN_WORKSPACE = Text("{path} lies in the workspace, where roles could read all of it; name another place")
TARGET_IS_A_FOLDER = Text("{path} is a folder; name a file")
BEING_WRITTEN = Text("{path} is being written by another back-up; wait for that, or name another file")
CANNOT_WRITE = Text("{path}: cannot be written: {error}")
CANNOT_WRITE_BACKUP = Text("{path}: the back-up cannot be written: {error}")
DISK_NEARLY_FULL = Text("only {free} are free on the disk of {folder}, where it is written: make room there")
CONFIG_NOT_JSON = Text("{path}: not valid JSON; fix it, then make the back-up")
FOLDER_UNREADABLE = Text("{folder}: cannot be read: {error}")

# Restoring

BACKUP_OF = Text("a back-up of {moment} UTC, made by Retinue {version}")
CHECKED = Text("checked: the database is whole; {conversations}, {messages}")
RESTORED = Text("restored: {database}, and {workspace}")
FORMER_KEPT = Text("the former files are in {folder}; remove that folder when all is well")
FOLDER_STAYS = Text("left: {folder} is there, and stays as it is")
FOLDER_CANNOT_BE_MADE = Text("left: {folder} cannot be made by this user")
CONFIG_STAYS = Text("left: {path} differs from the one in it, and stays as it is")
SECRETS_NOT_IN_IT = Text("not in it: the secrets {keys}, which stood in config.json; set them again")
NOTHING_UNKNOWN = Text("nothing counts as unknown: --as-is says that no bot has run since")
CHATS_TOLD = Plural(
    "{count} chat is told at the next start, once",
    "{count} chats are told at the next start, once",
)
LOST_SINCE = Text("lost: what was spent since the back-up, and who was let in or sent away")
LINK_LEFT_OUT = Text("left out: {name}: it is a link")

# Why nothing is restored

NOTHING_CHANGED = Text("{path}: {reason}; nothing was changed")
UNPACK_ALONE = Text("--unpack restores nothing: it goes with neither --only-data nor --as-is")
CANNOT_READ = Text("cannot be read: {error}")
NO_CONFIG = Text("{path}: there is no such file, and none in the back-up either; write one first")
UNPACK_INTO_NEW_FOLDER = Text("{folder} is there: name a folder that is not")
FOLDER_OF_ANOTHER_USER = Text(
    "{folder} belongs to user {uid}, who could not read what root puts there: restore as that user"
)
CANNOT_PUT_ASIDE = Text("this user cannot move {path} aside; move it elsewhere, then restore again")
NO_ROOM = Text(
    "{folder}: {name} needs {size:.0f} MB, and {spare:.0f} MB to spare; {free:.0f} MB are free: make room there"
)
NO_DATABASE = Text("there is no database in it")
OTHER_DATABASE = Text("the database in it does not match its manifest")

# What is wrong with a file that should be a back-up

CUT_OFF = Text("it is cut off: part of it is missing")
CUT_OFF_BY = Text("it is cut off ({error})")
DAMAGED = Text("it is damaged")
DAMAGED_OR_NO_BACKUP = Text("it is damaged, or no back-up of Retinue ({error})")
NO_BACKUP = Text("it is no back-up of Retinue")
NO_MANIFEST = Text("it is no back-up of Retinue: it does not begin with manifest.json")
MANIFEST_UNREADABLE = Text("it is no back-up of Retinue: its manifest.json cannot be read")
CONTENTS_UNREADABLE = Text("its contents.json cannot be read; the file is damaged")
OF_NEWER_VERSION = Text("it was made by a newer version of Retinue ({version}); restore it with that")
HOSTILE = Text("it is no back-up that Retinue has made: {name!r}: {reason}")
HOSTILE_HEADER = Text("it is no back-up that Retinue has made: 'a header': {reason}")
HOSTILE_END = Text("it is no back-up that Retinue has made: 'its end': something follows it")
IMPOSSIBLE_LENGTH = Text("its length is impossible")
UNREADABLE_NUMBER = Text("it cannot be read")
NOT_SHORT = Text("it is no short file")
BEHIND_END = Text("nothing more may come there")
NAME_LEADS_ELSEWHERE = Text("its name leads elsewhere")
OF_ODD_KIND = Text("it is neither a file nor a folder nor a link to one")
NO_PART = Text("that is no part of a back-up")
TWICE_OR_WITHOUT_FOLDER = Text("it stands there twice, or without the folder that it is in")
LINK_IMPOSSIBLE = Text("no such link can be made")
LINK_LEADS_OUT = Text("it is a link that leads out of its folder")
