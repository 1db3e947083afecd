"""Messages and questions of the operator's commands for tenants."""

from bot.core.texts import Text

# Which command, and which tenant

WHICH_COMMAND = Text("name one of these commands: {commands}")
NAME_OR_ALL = Text("name one tenant, or add --all")
NO_SUCH_TARGET = Text("{folder}: there is no target {target!r}; there are {targets}")

# Adding a tenant

NEW_TENANT = Text("A new tenant: {folder}")
BUDGET_IMPOSSIBLE = Text("--budget must be a number of US dollars above 0")
CHECK_FAILED = Text("Nothing was written. Fix that problem, or add --anyway to ignore it.")
MADE = Text("{name} was created: {folder}, uid {uid}")
OPTIONS_LEFT_ALONE = Text(
    "Options for a new tenant are ignored: this one exists already, and keeps its settings, secrets and what it runs."
)
UNCHANGED = Text("{name} exists already, in {folder}; nothing has changed")
BROUGHT_UP_TO_DATE = Text("{name} exists already, in {folder}; these files were updated: {paths}")
WOULD_BE_REWRITTEN = Text("{name} exists already, in {folder}; these files would be updated: {paths}")
VALIDATOR_IS_FINE = Text("  {validator}: no problem found")
VALIDATOR_IS_FINE_WITH = Text("  {validator}: no problem found ({text})")
VALIDATOR_NOT_ASKED = Text("  {validator}: not run: {reason}")
NEXT = Text("Next:")

# A dry run

WOULD_BE_MADE = Text("{folder} would be created, for uid {uid}:")
WOULD_BE_MOUNTED = Text("{image}, a disk image of {size}, would be mounted at {folder}/ and contain {folders}.")
IMAGE_WOULD_BE_BUILT = Text(
    "An image would be built from {checkout}. In the files below, {id}… stands for the id that the image would get."
)
PICTURE_NOT_SHOWN = Text("(a picture of {size:,} bytes)")
NEXT_WOULD_BE = Text("Then these next steps would be printed:")

# Errors in the options of add-tenant

SECRETS_NOT_JSON = Text('--secrets -: stdin must contain one JSON object, for example {{"model__api_key": "…"}}')
CANNOT_READ = Text("{path}: cannot be read: {error}")
SECRET_NOT_TEXT = Text("{folder}: the file of a secret in this folder is not UTF-8 text")
NO_SUCH_SECRET = Text("{source}: {name!r} is not the name of a secret; the names are {secrets}")

# Questions of add-tenant

WHO_ELSE = Text("Who else may talk to the bot on {channel}? Numeric ids (Enter: only people that the owner lets in):")
NUMBERS_PLEASE = Text("  write numeric ids, with spaces between them")
HOW_MUCH = Text("US dollars that the bot may spend in a day [{usual:g}]:")
AMOUNT_PLEASE = Text("  write a number above 0, for example 2.50")
WHICH_ZONE = Text("The time zone of the bot, for example Europe/Berlin (Enter: UTC):")
NO_SUCH_ZONE = Text("  that is not a time zone; write, for example, Europe/Berlin")
WHICH_ROLES = Text("A folder with the tenant's own role files (Enter: the shipped roles):")

# Backing up

TO_ALONE = Text("--to writes the back-up of one tenant to a file of your own: leave out --all and --keep")
TO_A_TERMINAL = Text("--to - would write the back-up to the terminal; redirect stdout to a file or a pipe")
OLD_BACKUP_DELETED = Text("the old back-up {path} is deleted")
NOT_BACKED_UP = Text("{name} could not be backed up: {error}")
ALL_NOT_BACKED_UP = Text("these tenants could not be backed up: {names}")
NEVER_RAN = Text("{name} has never run: there is nothing to back up")

# Upgrading

RELEASE_NOT_INSTALLED = Text("--release {folder}: there is no .venv/bin/retinue in it; run scripts/run there first")
RUNS_AN_IMAGE = Text("--release: {name} runs an image; leave --release out, or name an image with --image")
ONE_OF_ALL = Text("--- {name} ({number} of {count})")
RUNS_IT_ALREADY = Text("{name} runs {release} already")
NOTHING_CHANGED = Text("nothing of {name} was changed")
HAS_RELEASE = Text("{name} has the release {release}, which is version {version} of Retinue")

# Restoring

RESTORE_INTERRUPTED = Text(
    "this command was interrupted: {name} may be stopped, with the old or the restored database; run the command again"
)
NO_CONFIG = Text("{path}: this back-up contains no config; create the tenant with add-tenant, then restore it")
MADE_OF_BACKUP = Text("the back-up is restored: {contents}; {name} is not running yet: follow the steps above")
GROUPS_LEFT_OUT = Text("the groups' files are left out; copy them to the volume once the tenant runs (kubectl cp)")
GROUPS_RESTORED = Text("the files of {groups} are restored")
WHICH_SECRET = Text("Enter the secret {name}:")

# Rotating a secret

ROTATION_INTERRUPTED = Text(
    "this command was interrupted: the new secret may be written, and {name} may be stopped; run the command again"
)
NEW_SECRET = Text("Enter the new value of {name}:")
FROM_UNREADABLE = Text("--from {path}: cannot be read: {error}")
FROM_NOT_TEXT = Text("--from {path}: this is not UTF-8 text")

# Removing

DATA_ON_VOLUME = Text(
    "The tenant's data are on the cluster's volume, which is deleted with the tenant: leave out --no-archive to keep "
    "an archive, or add --delete to lose the data."
)
REMOVE_AND_KEEP = Text("{name} will be stopped and removed; what is kept of its data goes to {folder}. Remove it?")
REMOVE_AND_KEEP_NOTHING = Text("{name} will be stopped and removed, and nothing of it will be kept. Remove it?")
NOTHING_DONE = Text("Nothing was done.")
REMOVAL_INTERRUPTED = Text("this command was interrupted: {name} may be stopped; run it again, or start the tenant")

# The table of all tenants

NO_TENANTS = Text("there are no tenants in {root}")
NOTE = Text("{name}: {note}")
SPENT = Text("${spent:.2f} of ${limit:.2f}")
DAYS_AGO = Text("{count} d ago")
HOURS_AGO = Text("{count} h ago")
MINUTES_AGO = Text("{count} min ago")
SECONDS_AGO = Text("{count} s ago")

# A tenant with a shell

SHELL_OPENS = Text(
    "With --shell, {file} is the list of kernel calls for this container. It is shorter than the engine's own, and\n"
    "opens these for bubblewrap, without giving the container any capability:\n"
    "  clone with a namespace of each kind at once, its own user namespace among them\n"
    "  unshare of a user namespace, and nothing else\n"
    "  mount, pivot_root, and umount2 with MNT_DETACH: outside of such a namespace they fail\n"
    "So a fault in the kernel's namespaces can be reached from this container, which the engine's list prevents.\n"
    "Its memory limit is 1 GB."
)
SHELL_OPENS_IN_UNIT = Text(
    "With --shell, shell.conf beside the unit's tenant.conf opens these for bubblewrap, for this tenant alone, and\n"
    "without any capability:\n"
    "  namespaces of all kinds but that of the clock\n"
    "  mount, umount2, pivot_root and capset: outside of such a namespace they fail\n"
    "  sockets of the kind netlink\n"
    "  what /proc says of the machine; other users' processes stay invisible\n"
    "So a fault in the kernel's namespaces can be reached from this unit, and its exposure is 2.3 in place of 1.2.\n"
    "Its memory limit is 1 GB."
)
SHELL_OPENS_ON_CLUSTER = Text(
    "With --shell, {file} is the list of kernel calls for this pod, in place of the container runtime's. It opens\n"
    "these for bubblewrap, without giving the container any capability, and within the rules of Pod Security:\n"
    "  clone with a namespace of each kind at once, its own user namespace among them\n"
    "  unshare of a user namespace, and nothing else\n"
    "  mount, pivot_root, and umount2 with MNT_DETACH: outside of such a namespace they fail\n"
    "Each node needs the file. On nodes with AppArmor, its own profile forbids mounts: bubblewrap needs another.\n"
    "So a fault in the kernel's namespaces can be reached from this pod, which the runtime's list prevents.\n"
    "Its memory limit is 1 GiB."
)
SHELL_BY_PODMAN = Text(
    "With --shell on Podman, nothing more is opened: its own list of calls lets every container make namespaces.\n"
    "Compose cannot give a container of Podman a shorter list. {file} of the templates is one: set it as\n"
    "seccomp_profile in containers.conf, for all containers.\n"
    "The memory limit of this tenant is 1 GB."
)
