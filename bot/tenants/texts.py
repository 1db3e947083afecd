"""Messages to operators while the commands run, back up, upgrade, restore and remove a tenant."""

from bot.core.texts import Plural, Text

# Starting, stopping and waiting

STARTING = Text("starts {name}")
STOPPING = Text("stops {name}: what is being answered has {seconds:.0f} s to end")
NOT_RUNNING = Text("{name} does not run")
STILL_RUNNING = Text("{name} still runs after it was stopped; look at {command}")
WELL = Text("{name} is well after {seconds:.0f} s")
UP = Text("{name} is up after {seconds:.0f} s")
WAITING = Text("  waits since {seconds:.0f} s: {reason}")
LOG_LINE = Text("  log: {line}")
NOT_ANSWERED_YET = Text("it has not answered")
ENDED_AGAIN = Text("{name} is not well after its start (it ended again): {reason}")
NOT_WELL_IN_TIME = Text("{name} is not well after its start (not within {seconds:.0f} s): {reason}")
HEALTH_UNKNOWN = Text("its health is not known: {reason}")
SAID_NOTHING = Text("it said nothing")
WARNING = Text("warning: {problem}")

# Commands of other programs

EXIT_STATUS = Text("exit status {status}")
COMMAND_FAILED = Text("{command}: {reason}")
CANNOT_RUN = Text("{program}: cannot be run: {error}; install it")
PROGRESS = Text("  {seconds:.0f} s, {megabytes:.1f} MB so far")
STANDS_STILL = Text("{command}: has stood still for {seconds:.0f} s; it was ended")
DISK_NEARLY_FULL = Text("only {megabytes:.0f} MB are left where it is written; make room, and try again")
CANNOT_DELETE = Text("{folder}: cannot be deleted: {reason}; the next command tries again")

# How much a back-up holds

CONVERSATIONS = Plural("{count:,} conversation", "{count:,} conversations")
MESSAGES = Plural("{count:,} message", "{count:,} messages")
NEWEST = Text("the newest of {moment} UTC")
FILES = Plural("{count:,} file", "{count:,} files")
LEFT_OUT = Text("{count} left out")

# Backing up

BACKING_UP = Text("backs up {name}")
BACKED_UP = Text("{path}: {size} in {seconds:.1f} s; whole: {contents}")
BACKUP_EXISTS = Text("{path} is there; name another file")
BACKUP_BEING_WRITTEN = Text("{path}: another command is writing it; try again")
FOLDER_CANNOT_BE_MADE = Text("{folder}: cannot be made: {error}")
CANNOT_WRITE = Text("{path}: cannot be written: {error}")
CANNOT_READ = Text("{path}: cannot be read: {error}")
BACKUP_DAMAGED = Text("{path}: it is damaged, or no back-up of Retinue")
BACKUP_CUT_OFF = Text("{path}: it is cut off: part of it is missing")
NO_WHOLE_BACKUP = Text("{path}: it is no whole back-up of Retinue")

# Restoring

BACKUP_OF = Text("{path}: of {moment} UTC, made by Retinue {version}: {contents}")
CANNOT_BE_BACKED_UP = Text("the present data cannot be backed up ({error}); they are put aside as they are")
CHANGING_RELEASE = Text("has it run {release}")
RESTORING = Text("restores")
OPERATORS_FILES_RESTORED = Text("the config, the roles and the groups are those of the back-up")
TRYING = Text("looks whether it would run")
RESTORED = Text("restored: {contents}")
PUTTING_BACK = Text("puts the former data back")
NOT_STARTED = Text("{name} did not run before, and is not started; next:")
FAILED = Text("that failed: {error}")
FILE_TOO_LONG = Text("{path}: a file of the operator's is at most {megabytes} MB long")
FILE_NOT_TEXT = Text("{path}: this is not UTF-8 text")
TENANT_CAN_WRITE = Text("{folder}: the tenant can write there, so nothing of the operator's is put into it")

# Upgrading

LOOKING_FOR_RELEASE = Text("looks whether {release} is there")
NO_SUCH_RELEASE = Text(
    "{release} is not there, or does not run: {reason}; nothing was changed, and the bot was not stopped"
)
RELEASE_DOES_NOT_RUN = Text("this release does not run: {reason}")
NOT_WELL_BEFORE = Text("it is not well before: {error}")
OLD_RELEASE_GOES_ON = Text("nothing was changed; the old release goes on")
MIGRATING = Text("has the new release migrate and look whether it would run: {release}")
STAYS_STOPPED = Text("{name} was stopped before, and stays so")
REWRITTEN = Text("rewritten: {paths}")
PUTTING_ROWS_BACK = Text("puts the former rows back: {path}")
OLD_RELEASE_BACK = Text("{name} has its old release again, and lost nothing")
OLD_RELEASE_BACK_AFTER = Text(
    "{name} has its old release again, and lost nothing; what was wrong with the new one: {reason}"
)
NEW_RELEASE_STAYS = Text(
    "{name} stays with the new release: it has taken in or sent something that the back-up does not hold"
)
REPAIR_OR_GO_BACK = Text("fix what is wrong with it; or lose what came in since, and go back:")
REPAIR_REASON_OR_GO_BACK = Text("fix what is wrong with it ({reason}); or lose what came in since, and go back:")

# An upgrade that was interrupted

UPGRADE_INTERRUPTED = Text(
    "an upgrade of {name} was interrupted while {step}: {command} {name} finishes it, and with --undo goes back"
)
UPGRADE_TO_ANOTHER = Text("{interrupted}; that upgrade is to {release}")
UPGRADE_RESUMED = Text("an upgrade to {release} was interrupted while {step}")
NO_UPGRADE_UNFINISHED = Text("no upgrade of {name} is unfinished")
CANNOT_READ_RECORD = Text("{path}: cannot read this file: {error}")
NO_RECORD_OF_UPGRADE = Text("{path}: this is no record of an upgrade; take it away once {name} runs as it should")

# A new secret

CHECK_FAILED = Text("nothing was changed; fix that, or say --anyway")
NOT_WELL_WITH_IT = Text("not well with it: {error}")
TOKEN_OF_ANOTHER_BOT = Text(
    "this token is another bot's ({new}; now it is {old}): people who write to the old one get no answer any more, and"
    " its chats are others; say --new-bot if that is meant"
)
READ_AT_NEXT_START = Text("{name} does not run: it reads the secret at its next start")
PUTTING_OLD_SECRET_BACK = Text("puts the old one back")

# Removing

REMOVING_WHAT_RUNS_IT = Text("takes away what runs it")
STILL_MOUNTED = Text("{folder} is still mounted; umount it, and try again")
DELETED = Text("{folder} is deleted")
FOLDER_PUT_AWAY = Text("its folder is {folder} now, with its secrets and all it has written")
NOTHING_TO_ARCHIVE = Text("it has never run: there is nothing to archive")
CANNOT_ARCHIVE = Text("it cannot be archived: {error}")
CANNOT_ARCHIVE_SO_NOT_DELETED = Text("it cannot be archived: {error}; nothing was deleted; --no-archive does without")
FOLDER_KEPT = Text("its folder is kept as it is")
