"""Messages and questions of the operator's commands for tenants."""

from bot.core.texts import Text

# Which command, and which tenant

WHICH_COMMAND = Text("which of these? {commands}")
NAME_OR_ALL = Text("name one tenant, or say --all")
NO_SUCH_TARGET = Text("{folder}: there is no target {target!r}; there are {targets}")

# Adding a tenant

NEW_TENANT = Text("A new tenant: {folder}")
BUDGET_IMPOSSIBLE = Text("--budget must be a number of US dollars above 0")
CHECK_FAILED = Text("Nothing was written. Fix that, or say --anyway.")
MADE = Text("{name} is made: {folder}, uid {uid}")
OPTIONS_LEFT_ALONE = Text(
    "These options are for a new tenant: this one keeps its settings, its secrets and what it runs."
)
UNCHANGED = Text("{name} is there already, in {folder}; nothing has changed")
BROUGHT_UP_TO_DATE = Text("{name} is there already, in {folder}; these files are brought up to date: {paths}")
WOULD_BE_REWRITTEN = Text("{name} is there already, in {folder}; these files would be rewritten: {paths}")
VALIDATOR_IS_FINE = Text("  {validator}: it is fine")
VALIDATOR_IS_FINE_WITH = Text("  {validator}: it is fine ({text})")
VALIDATOR_NOT_ASKED = Text("  {validator}: not asked: {reason}")
NEXT = Text("Next:")

# A dry run

WOULD_BE_MADE = Text("{folder} would be made, for uid {uid}:")
WOULD_BE_MOUNTED = Text("{image}, of {size}, would be mounted at {folder}/ and hold {folders}.")
IMAGE_WOULD_BE_BUILT = Text("An image would be built of {checkout}; its id would stand where {id}… does.")
NEXT_WOULD_BE = Text("Next it would say:")

# Errors in the options of add-tenant

SECRETS_NOT_JSON = Text('--secrets -: stdin must hold one JSON object, as {{"model__api_key": "…"}}')
CANNOT_READ = Text("{path}: cannot be read: {error}")
SECRET_NOT_TEXT = Text("{folder}: a secret is not UTF-8 text")
NO_SUCH_SECRET = Text("{source}: {name!r} is no secret; there are {secrets}")

# Questions of add-tenant

WHO_ELSE = Text("Who else may talk to it on {channel}? Numeric ids (nothing: the people that the owner lets in):")
NUMBERS_PLEASE = Text("  numbers, with spaces between")
HOW_MUCH = Text("US dollars it may spend in a day [{usual:g}]:")
AMOUNT_PLEASE = Text("  a number above 0, as 2.50")
WHICH_ZONE = Text("Its time zone, as Europe/Berlin (nothing: UTC):")
NO_SUCH_ZONE = Text('  that is no time zone; write one as in "Europe/Berlin"')
WHICH_ROLES = Text("A folder of role files of its own (nothing: those that are shipped):")

# Backing up

TO_ALONE = Text("--to is for one tenant, and for a file of your own: leave out --all and --keep")
TO_A_TERMINAL = Text("--to -: stdout is a terminal; lead it into a file or a program")
OLD_BACKUP_DELETED = Text("{path} is deleted")
NOT_BACKED_UP = Text("{name} is not backed up: {error}")
ALL_NOT_BACKED_UP = Text("these tenants are not backed up: {names}")
NEVER_RAN = Text("{name} has never run: there is nothing to back up")

# Upgrading

RELEASE_NOT_INSTALLED = Text("--release {folder}: there is no .venv/bin/retinue in it; make it there first")
RUNS_AN_IMAGE = Text("--release: {name} runs an image; name one with --image, or leave it out")
ONE_OF_ALL = Text("--- {name} ({number} of {count})")
RUNS_IT_ALREADY = Text("{name} runs {release} already")
NOTHING_CHANGED = Text("nothing of {name} was changed")
HAS_RELEASE = Text("{name} has {release}, of version {version}")

# Restoring

RESTORE_INTERRUPTED = Text(
    "this command was interrupted: {name} may be stopped, with the old rows or the new; run it again"
)
NO_CONFIG = Text("{path}: there is no config in it; make the tenant with add-tenant, then restore it")
MADE_OF_BACKUP = Text("the back-up is restored: {contents}; {name} is not started: the steps above do that")
GROUPS_LEFT_OUT = Text(
    "the files of the groups are left out; copy them to the volume once the tenant runs (kubectl cp)"
)
GROUPS_RESTORED = Text("the files of {groups} are restored")
WHICH_SECRET = Text("The secret {name}:")

# Rotating a secret

ROTATION_INTERRUPTED = Text(
    "this command was interrupted: the new secret may be written, and {name} stopped; run it again"
)
NEW_SECRET = Text("The new {name}:")
FROM_UNREADABLE = Text("--from {path}: cannot be read: {error}")
FROM_NOT_TEXT = Text("--from {path}: this is not UTF-8 text")

# Removing

DATA_ON_VOLUME = Text(
    "Its data lie on the cluster's volume, and go with it: leave out --no-archive, or say --delete too."
)
REMOVE_AND_KEEP = Text("{name} is stopped and taken away; kept in {folder}. Is that right?")
REMOVE_AND_KEEP_NOTHING = Text("{name} is stopped and taken away; nothing of it is kept. Is that right?")
NOTHING_DONE = Text("Nothing was done.")
REMOVAL_INTERRUPTED = Text(
    "this command was interrupted: {name} may be stopped; run the command again, or start the tenant"
)

# The table of all tenants

NO_TENANTS = Text("there are no tenants in {root}")
NOTE = Text("{name}: {note}")
SPENT = Text("${spent:.2f} of ${limit:.2f}")
DAYS_AGO = Text("{count} d ago")
HOURS_AGO = Text("{count} h ago")
MINUTES_AGO = Text("{count} min ago")
SECONDS_AGO = Text("{count} s ago")
