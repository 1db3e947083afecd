"""Messages to operators while the commands run, back up, upgrade, restore and remove a tenant."""

from bot.core.texts import Plural, Text

# Starting, stopping and waiting

STARTING = Text("{name} is starting")
STOPPING = Text("{name} is stopping: it has {seconds:.0f} s to finish its answers")
NOT_RUNNING = Text("{name} is not running")
STILL_RUNNING = Text("{name} is still running after it was stopped; its log may say why: {command}")
WELL = Text("{name} is healthy after {seconds:.0f} s")
UP = Text("{name} is running after {seconds:.0f} s, but is not healthy")
WAITING = Text("  the command has waited for {seconds:.0f} s: {reason}")
LOG_LINE = Text("  log: {line}")
NOT_ANSWERED_YET = Text("the bot has not answered")
ENDED_AGAIN = Text("{name} was started, but soon stopped running: {reason}")
NOT_WELL_IN_TIME = Text("{name} was not healthy within {seconds:.0f} s of its start: {reason}")
HEALTH_UNKNOWN = Text("the bot's health is not known: {reason}")
SAID_NOTHING = Text("the health check printed nothing")
WARNING = Text("warning: {problem}")

# Commands of other programs

EXIT_STATUS = Text("exit status {status}")
COMMAND_FAILED = Text("{command}: {reason}")
PROGRESS = Text("  {seconds:.0f} s, {megabytes:.1f} MB so far")
STANDS_STILL = Text("{command}: this command made no progress for {seconds:.0f} s, and was ended")
DISK_NEARLY_FULL = Text(
    "only {megabytes:.0f} MB are left on the disk of the file that is being written; make room, and try again"
)
CANNOT_DELETE = Text("{folder}: cannot be deleted: {reason}; the next command tries again to delete it")

# How much a back-up holds

CONVERSATIONS = Plural("{count:,} conversation", "{count:,} conversations")
MESSAGES = Plural("{count:,} message", "{count:,} messages")
NEWEST = Text("newest message from {moment} UTC")
FILES = Plural("{count:,} file", "{count:,} files")
LEFT_OUT = Text("entries left out: {count}")

# Backing up

BACKING_UP = Text("{name} is being backed up")
BACKED_UP = Text("{path} is complete: {size} in {seconds:.1f} s; {contents}")
BACKUP_EXISTS = Text("{path} exists already; name another file")
BACKUP_BEING_WRITTEN = Text("{path}: another command is writing this file; try again later")
FOLDER_CANNOT_BE_MADE = Text("{folder}: cannot be created: {error}")
CANNOT_WRITE = Text("{path}: cannot be written: {error}")
CANNOT_READ = Text("{path}: cannot be read: {error}")
BACKUP_DAMAGED = Text("{path}: this file is damaged, or not a back-up of Retinue")
BACKUP_CUT_OFF = Text("{path}: this back-up is cut off: part of it is missing")
NO_WHOLE_BACKUP = Text("{path}: this is not a complete back-up of Retinue")

# Restoring

BACKUP_OF = Text("{path}: a back-up from {moment} UTC, made by Retinue {version}: {contents}")
CANNOT_BE_BACKED_UP = Text("the current data cannot be backed up ({error}), so they are moved aside unchanged")
CHANGING_RELEASE = Text("the tenant is switched to {release}")
RESTORING = Text("the back-up is being restored")
OPERATORS_FILES_RESTORED = Text("the config, the roles and the groups are those of the back-up")
TRYING = Text("the restored bot is being checked")
RESTORED = Text("the back-up is restored: {contents}")
PUTTING_BACK = Text("the former data are being put back")
NOT_STARTED = Text("{name} was not running before, so it is not started; next steps:")
FAILED = Text("this step failed: {error}")
FILE_TOO_LONG = Text("{path}: this file is too large: at most {megabytes} MB are allowed")
FILE_NOT_TEXT = Text("{path}: this is not UTF-8 text")
TENANT_CAN_WRITE = Text("{folder}: the tenant can write to this folder, so the operator's files cannot be put there")

# Upgrading

LOOKING_FOR_RELEASE = Text("looking for {release}")
NO_SUCH_RELEASE = Text(
    "{release} does not exist, or does not run: {reason}; nothing was changed, and the bot was not stopped"
)
RELEASE_DOES_NOT_RUN = Text("this release does not run: {reason}")
NOT_WELL_BEFORE = Text("the bot is not healthy even before the upgrade: {error}")
OLD_RELEASE_GOES_ON = Text("nothing was changed; the old release keeps running")
MIGRATING = Text("the new release is migrating the database and checking that the bot can start: {release}")
STAYS_STOPPED = Text("{name} was stopped before, and stays stopped")
REWRITTEN = Text("these files were rewritten: {paths}")
PUTTING_ROWS_BACK = Text("the former database is being put back: {path}")
OLD_RELEASE_BACK = Text("{name} has its old release again; no data was lost")
OLD_RELEASE_BACK_AFTER = Text("{name} has its old release again; no data was lost; the new release's fault: {reason}")
NEW_RELEASE_STAYS = Text(
    "{name} keeps the new release, because the bot has received or sent something that the back-up does not contain"
)
REPAIR_OR_GO_BACK = Text(
    "repair the new release, or go back to the old one and lose what the bot has received since the upgrade:"
)
REPAIR_REASON_OR_GO_BACK = Text(
    "the fault of the new release: {reason}; repair it, or go back to the old release and lose what the bot has "
    "received since the upgrade:"
)

# An upgrade that was interrupted

UPGRADE_INTERRUPTED = Text(
    "an upgrade of {name} was interrupted while {step}: run {command} {name} to finish it, or add --undo to go back"
)
UPGRADE_TO_ANOTHER = Text("{interrupted}; that upgrade is to {release}")
UPGRADE_RESUMED = Text("an upgrade to {release} was interrupted while {step}")
NO_UPGRADE_UNFINISHED = Text("{name} has no interrupted upgrade to finish or undo")
CANNOT_READ_RECORD = Text("{path}: cannot read this file: {error}")
NO_RECORD_OF_UPGRADE = Text("{path}: this is not the record of an upgrade; remove it once {name} runs as it should")

# A new secret

CHECK_FAILED = Text("nothing was changed; fix that problem, or add --anyway to ignore it")
NOT_WELL_WITH_IT = Text("the bot is not healthy with the new secret: {error}")
TOKEN_OF_ANOTHER_BOT = Text(
    "this token belongs to another bot ({new}; the tenant has {old} now): people who write to the old bot get no more "
    "answers, and the new bot has other chats; add --new-bot if you want that"
)
READ_AT_NEXT_START = Text("{name} is not running: it reads the secret at its next start")
PUTTING_OLD_SECRET_BACK = Text("the old secret is being put back")

# Removing

REMOVING_WHAT_RUNS_IT = Text("everything that runs the tenant is being removed")
STILL_MOUNTED = Text("{folder} is still mounted; run umount {folder}, and try again")
DELETED = Text("{folder} is deleted")
FOLDER_PUT_AWAY = Text("the tenant's folder, with secrets and all that the tenant wrote, was moved to {folder}")
NOTHING_TO_ARCHIVE = Text("the tenant has never run: there is nothing to archive")
CANNOT_ARCHIVE = Text("the tenant cannot be archived: {error}")
CANNOT_ARCHIVE_SO_NOT_DELETED = Text(
    "the tenant cannot be archived: {error}; nothing was deleted; to delete it without an archive, add --no-archive"
)
FOLDER_KEPT = Text("the tenant's folder is kept as it is")
