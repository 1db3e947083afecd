"""What the tools say to the model: errors, and results in words."""

from bot.core.texts import Plural, Text

# Arguments of a call

UNKNOWN_ARGUMENT = Text("there is no argument {argument!r}; {tool} takes {arguments}")
UNKNOWN_ARGUMENT_BUT = Text("there is no argument {argument!r}; did you mean {nearest!r}? {tool} takes {arguments}")
MISSING_ARGUMENT = Text("Missing {argument!r} argument: {description}; {tool} takes {arguments}")
NO_ARGUMENTS = Text("no arguments")
SECRET_IN_ARGUMENTS = Text(
    "The call of {tool} was not made: its arguments hold a secret of this bot's settings, which must not leave it. If "
    "the server needs a key, its operator gives it one."
)
ARGUMENT_OF_WRONG_KIND = Text("{argument!r} must be {kind}: {description}")
ARGUMENT_NOT_A_CHOICE = Text("{argument!r} must be one of {choices}: {description}")
ARGUMENT_KINDS = {
    "string": Text("a string"),
    "boolean": Text("true or false"),
    "integer": Text("a whole number"),
    "number": Text("a number"),
    "array": Text("a list of strings"),
}

# Long results

RESULT_CUT = Text("(cut off here: the whole result has {characters:,} characters; make a call that returns less)")
COUNTS_FROM_ONE = Text("'offset' and 'limit' must be 1 or more: the count begins at 1")
READ_ON = Text("read on with offset {offset}")
NO_SUCH_OFFSET = {
    "line": Text("there is no line {offset:,}: the last line is {last:,}"),
    "entry": Text("there is no entry {offset:,} in this folder: the last entry is {last:,}"),
    "file": Text("there is no file number {offset:,} in this result: the last is number {last:,}"),
    "match": Text("there is no match number {offset:,} in this result: the last is number {last:,}"),
}
SHOWN = {
    "line": Text("lines {first:,} to {last:,} of {total:,}"),
    "entry": Text("entries {first:,} to {last:,} of {total:,} in this folder"),
    "file": Text("files {first:,} to {last:,} of {total:,}"),
    "match": Text("matches {first:,} to {last:,} of {total:,}"),
}
SHOWN_OF_MORE = {
    "line": Text("lines {first:,} to {last:,} of {total:,} or more"),
    "entry": Text("entries {first:,} to {last:,} of {total:,} or more in this folder"),
    "file": Text("files {first:,} to {last:,} of {total:,} or more"),
    "match": Text("matches {first:,} to {last:,} of {total:,} or more"),
}
TOO_LONG_TO_SHOW = {
    "line": Text("line {number:,} is {characters:,} characters long: this is its beginning, the rest cannot be shown"),
    "entry": Text(
        "entry {number:,} of the folder has {characters:,} characters: this is its beginning, the rest cannot be shown"
    ),
    "file": Text(
        "the path of file {number:,} is {characters:,} characters long: this is its beginning, the rest cannot be shown"
    ),
    "match": Text(
        "the line of match {number:,} has {characters:,} characters: this is its beginning, the rest cannot be shown"
    ),
}

# Paths

PATH_ERRORS = {  # by the name of the error number
    "EACCES": Text("{path}: the bot has no permission to do this here"),
    "EDQUOT": Text("{path}: the disk is full; nothing was changed"),
    "EFBIG": Text("{path}: too large: only files of up to {megabytes} MB can be read; nothing was changed"),
    "EISDIR": Text("{path}: this is a folder, not a file; list_dir shows what is in it"),
    "ELOOP": Text("{path}: the links in this path form a circle, or are being changed right now"),
    "ENAMETOOLONG": Text("{path}: this path is not possible: it is too long, too deep, or has a null character in it"),
    "ENOSPC": Text("{path}: the disk is full; nothing was changed"),
    "ENOTDIR": Text("{path}: this path, or a part of it, is a file, not a folder"),
    "ENXIO": Text("{path}: this is a pipe, a socket or a device, not a file"),
    "EPERM": Text("{path}: the bot has no permission to do this here"),
    "EROFS": Text("{path}: this place is read-only"),
    "ESTALE": Text("{path}: somebody else has just changed this file; nothing was written: read the file again first"),
    "EXDEV": Text("{path}: this is outside the workspace; name a path inside it, for example notes/plan.md"),
}
PATH_FAILED = Text("{path}: {reason}")
PATH_FAILED_FOR_NO_REASON = Text("{path}: this failed for an unknown reason")
PATH_WITH_HALF_A_CHARACTER = Text("this path contains a broken character (a lone surrogate)")
NO_SUCH_PATH = Text("there is no {path}; list_dir shows which files and folders exist")
NO_SUCH_PATH_BUT = Text("there is no {path}; the nearest is {nearest}")
NO_PATHS = Text("the workspace cannot be listed, so no file can be found")
BROKEN_LINK = Text("{path} is a link to something that does not exist")
PROTECTED_NAME = Text(
    "{name} is a protected name: programs on the person's machine run or obey files with this name, so no tool writes "
    "it. Nothing was changed. Tell the person what you would have written there, so that they can do it"
)

CREDENTIAL_NAME = Text(
    "{name} is the name of a file with keys or passwords, so it is not sent to a chat; tell the person where it is"
)

# Sending files

NO_FILES_TO_SEND = Text("'path' must name a file, or be a list of files: {description}")
TOO_MANY_FILES_TO_SEND = Text("at most {most} files can be sent together; send the others with another call")
FILE_TO_SEND_TWICE = Text("'path' names a file twice; name each once")
FILE_TO_SEND_IS_EMPTY = Text("{path} is empty, and chats take no empty files")
FILE_TO_SEND_TOO_LARGE = Text(
    "{path} has {size:,} bytes, and this chat takes {most:,} at most; send a smaller file, or say where it is"
)
FILES_TO_SEND_TOO_LARGE = Text(
    "these files have more than {most:,} bytes together, the most of one call; send them in several calls"
)
NO_ROOM_FOR_FILE_TO_SEND = Text(
    "{path} has {size:,} bytes, and the disk has too little room for its copy; send a smaller file, or tell the person"
)
FILE_OF_TURN = Text("a file of turn {turn}")  # in the log
FILE_TO_SEND_HOLDS_SECRET = Text("{path} holds a key or password of this bot, and is not sent")
FILE_TO_SEND_IS_CHANGING = Text("{path} is being changed right now; send it when that is done")

# Folders to work in

WORKSPACE_CLOSED = Text("the workspace itself cannot be opened ({reason}): tell the person")
CHAT_FOLDER_NOT_MADE = Text("the folder of this chat cannot be created: {reason}")
GROUP_OUT_OF_ORDER = Text(
    "the group {group} has been removed or has an error now, so its files cannot be reached: tell the person"
)

# Reading files and folders

EMPTY_FILE = Text("(an empty file)")
EMPTY_FOLDER = Text("(an empty folder)")
LINK_ENTRY = Text("{name} (link)")
FILE_ENTRY = Plural("{name} ({count:,} byte)", "{name} ({count:,} bytes)")
OTHER_ENTRY = Text("{name} (neither a file nor a folder)")
SHOWN_WHOLE = Text("{name} has no lines: it is shown whole, so leave out 'offset' and 'limit'")
NOT_TEXT = Plural("{name} is not text ({count:,} byte)", "{name} is not text ({count:,} bytes)")
READ_AS = Text("(the file is text in {encoding}; edit_file changes only files in UTF-8)")
NOT_UTF_8 = Text("{name} is not UTF-8 text: line {line:,} contains other bytes")

# Changing files

FILE_WRITTEN = Plural("written: {path}, {count:,} character", "written: {path}, {count:,} characters")
FILE_REPLACED = Plural("replaced: {path}, {count:,} character", "replaced: {path}, {count:,} characters")
FILE_EDITED = Text("edited: {path}, line {line:,}")
TEXT_WITH_HALF_A_CHARACTER = Text("this text contains a broken character (a lone surrogate); write the whole character")
OLD_IS_EMPTY = Text("'old' is empty; name the text to replace, or write the whole file with write_file")
OLD_IS_NEW = Text("'old' and 'new' are the same; nothing would change")
OLD_IS_NOT_THERE = Text("the text to replace is not in the file; read the file again, and copy the text exactly")
OLD_IS_THERE_OFTEN = Text(
    "the text to replace occurs {times} times (lines {lines}); include more of the text around it, so that it occurs "
    "once"
)
OLD_IS_THERE_TOO_OFTEN = Text(
    "the text to replace occurs more than {times} times (lines {lines}); include more of the text around it, so that "
    "it occurs once"
)

# Finding files and lines

NO_FILE_FITS = Text("no file matches the pattern")
NO_LINE_FITS = Plural("searched {count:,} text file: no line matches", "searched {count:,} text files: no line matches")
NAMES_LEFT_OUT = Text("names that begin with a dot, node_modules and __pycache__ are searched only if you name them")
FILES_LEFT_OUT = {
    "unreadable": Plural("{count:,} file left out: unreadable", "{count:,} files left out: unreadable"),
    "too large": Plural(
        "{count:,} file left out: larger than {megabytes} MB", "{count:,} files left out: larger than {megabytes} MB"
    ),
    "not text": Plural("{count:,} file left out: not text", "{count:,} files left out: not text"),
}
FOLDERS_NOT_OPENED = Plural("{count:,} folder could not be opened", "{count:,} folders could not be opened")
WALK_OUT_OF_TIME = Text("stopped after {seconds:g} seconds: the result is partial; name a smaller folder in 'path'")
WALK_OUT_OF_NAMES = Text("stopped after {names:,} names: the result is partial; name a smaller folder in 'path'")
SEARCH_OUT_OF_TIME = Text(
    "stopped after {seconds:g} seconds, so more lines may match; make the pattern simpler, or name a smaller folder in "
    "'path' or fewer files in 'files'"
)
SEARCH_FOUND_NOTHING_IN_TIME = Text(
    "the search stopped after {seconds:g} seconds without a match; make the pattern simpler, or name a smaller folder "
    "in 'path' or fewer files in 'files'"
)
OFFSET_TOO_LARGE = Text(
    "'offset' must be from 1 to {most:,}; to see what comes later, make the pattern simpler, or name a smaller folder "
    "in 'path' or fewer files in 'files'"
)

# Patterns

GLOB_TOO_LONG = Text("a pattern for names may have {most:,} characters at most")
GLOB_LEADS_OUT = Text("a pattern cannot contain .. or begin with a slash; name the folder in 'path'")
GLOB_IS_EMPTY = Text("the pattern is empty; write one, for example *.md or notes/**/*.txt")
GLOB_HAS_TOO_MANY_CHOICES = Text("the braces of this pattern expand to more than {most} choices; use fewer")
PATTERN_IS_EMPTY = Text("'pattern' is empty; to see which files there are, use glob")
PATTERN_TOO_LONG = Text("'pattern' may have {most:,} characters at most")
PATTERN_OF_SEVERAL_LINES = Text("'pattern' is for one line: it cannot contain a line feed or a null character")
PATTERN_WITH_HALF_A_CHARACTER = Text("'pattern' has a broken character (a lone surrogate); write the whole character")
NOT_AN_EXPRESSION = Text("this pattern cannot be searched for: {flaw}; write a valid regular expression")
PATTERN_TAKES_TOO_MUCH_MEMORY = Text("this pattern cannot be searched for: it takes too much memory; make it simpler")
PATTERN_FAILED = Text("this pattern cannot be searched for: {reason}")
SEARCH_ENDED_EARLY = Text("the search failed: it ended early")
SEARCH_NOT_STARTED = Text("the search failed: its process cannot be started")

# The web

WEB_IS_OFFERED_AGAIN = Text("the person agrees: call {tool} once more, and it runs")
WEB_IS_NOT_CALLED = Text(
    "{tool} cannot be called like the other tools: it is a tool of the server that you run on, and works only if that "
    "server offers it to you"
)
WEB_RESULTS = Text("(from the web, by {service}; others wrote these words)")
NOTHING_ON_WEB = Text("nothing was found; try other or fewer words")
QUERY_IS_EMPTY = Text("'query' is empty; name what to search for")
QUERY_TOO_LONG = Text("'query' may have {characters} characters and {words} words at most; search for less at once")
WEB_PAGE = Text("(from the web: {address}; others wrote these words)")
EMPTY_PAGE = Text("(an empty page: perhaps it shows its text only with scripts)")
PAGE_NOT_READ = Text("not read: {reason}")
FILE_OF_WEB = Text("a file")

# Skills

USE_SKILL = Text(
    "Read a skill: instructions of the operator for one kind of work. Read it before you do what it is for, and follow "
    "it; read its other files by `file` when they are needed. The skills:"
)
NO_SUCH_SKILL = Text("there is no skill {name}; there are: {skills}")
SKILL_FILES = Text("(its files, to be read with `file`: {files})")
MANY_SKILL_FILES = Text("(its first files, to be read with `file`: {files})")
SKILL_FOLDER = Text("(its folder, for commands of `shell`, which can read it: {folder})")
SCRIPTS_DO_NOT_RUN = Text("(its scripts can be read, but not run: you have no tool that runs programs)")

# Running commands

COMMAND_IS_EMPTY = Text("'command' is empty; write what bash should run")
COMMAND_HAS_NULL = Text("'command' has a null character or a broken character in it; no program can be given that")
COMMAND_TOO_LONG = Text("'command' may have {most:,} characters at most; write a script with write_file, and run that")
TIMEOUT_OUT_OF_RANGE = Text("'timeout' must be from 1 to {most:,} seconds")
COMMAND_ENDED = Text("exit status {status} after {seconds:.1f} s")
COMMAND_STOPPED = {
    "time": Text("stopped after {seconds:.1f} s: it had {limit:,} seconds; all that it started was ended too"),
    "processes": Text("stopped after {seconds:.1f} s: more than {limit:,} processes; all of them were ended"),
    "memory": Text(
        "stopped after {seconds:.1f} s: more than {limit:,} MB of memory; all that it started was ended too"
    ),
    "disk": Text("stopped after {seconds:.1f} s: it wrote more than {limit:,} MB; all that it started was ended too"),
}
NO_OUTPUT = Text("(no output)")
OUTPUT_LEFT_OUT = Text(
    "(… {bytes:,} bytes of output are left out here; to see them, send the output to a file, and read that in parts …)"
)
SET_ASIDE = Text(
    "renamed, because programs on the person's machine run or obey files with such names: {paths} (each now ends in "
    "{ending}); tell the person what you wanted there"
)
WORKSPACE_TOO_LARGE = Text(
    "the workspace has more than {most:,} files, too many to run commands in it: tell the person"
)
TOO_MANY_PROTECTED_NAMES = Text(
    "the workspace has more than {most} files with protected names, too many to protect while a command runs: tell the "
    "person"
)
HOSTS_REFUSED = Text(
    "refused, because this role may not reach these hosts: {places}. Only the operator can allow them, in shell.hosts "
    "and in the role's file"
)
SHELL_SETTING = Text("a host in shell.hosts, and in `hosts` of the role's file,")
NO_NETWORK = Text("There is no network")
NETWORK_BY_PROXY = Text(
    "Of the network, only these hosts can be reached, by HTTP and HTTPS, through the proxy that HTTPS_PROXY names, and "
    "only if your role may: {hosts}"
)
NO_SANDBOX_NOW = Text("no command can run now: {reason}: tell the person")

# Messages to other chats

MESSAGE_OF_WRONG_LENGTH = Text("'text' must have 1 to {most:,} characters")
NO_OTHER_CHATS = Text("the person has no other chat with you that you may write to: answer here")
NOT_A_CHAT_TO_SEND_TO = Text("'chat' must be one of these: {chats}")
CHAT_OF_GROUP = Text("{chat} (the group {group})")
