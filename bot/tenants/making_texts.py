"""Messages to operators about a tenant's files: its name, settings, secrets, folder and image."""

from bot.core.texts import Text

# Its name

NAME_IMPOSSIBLE = Text(
    "{name!r} cannot be a tenant's name: use 3 to 32 characters from a to z, 0 to 9 and -; begin with a letter, and "
    "do not end with -"
)
NAME_RESERVED = Text("{name!r} is reserved; choose another name, for example {name}-1")

# Its secrets

NO_SUCH_SECRET = Text("{name!r} is not the name of a tenant's secret; the names are {secrets}")
SECRET_EMPTY = Text("{name}: this secret is empty")
SECRET_WITH_SPACES = Text("{name}: this secret contains a space, a quote or a line break; copy only the secret itself")
BOT_OF_ANOTHER_TENANT = Text(
    "{key}: the tenant {name} uses this bot ({bot}) already, and two tenants with one bot would "
    "take each other's messages; create a bot for each"
)

# Its settings

FOLDER_ELSEWHERE = Text("{key} must be {name!r}, because the tenant's target expects the folder there; leave {key} out")
SECRETS_DIR_SET = Text("secrets_dir must not be set, because a tenant's target gives the bot its secrets; leave it out")
NO_CHANNEL = Text("no channel is enabled: set {keys} to true")
NO_MODEL_KEY = Text("there is no key for the model: add the secret model__api_key, or set model.base_url")
NO_TOKEN = Text("channels.{channel} is enabled and has no token: add the secret channels__{channel}__token")
OPEN_TO_EVERYBODY = Text(
    'channels.{channel}.allow_from is "*": everybody on that channel could spend this tenant\'s money; add --public '
    "if you want that, or list who may talk to the bot"
)
OPEN_TO_NOBODY = Text(
    "nobody could talk to the bot: in channels.{channel}, set owner (a person who can let others in) or allow_from, or "
    "add --public"
)

# Its roles

ROLE_NO_FILE = Text("{path}: a role file or its picture must be a regular file of at most {megabytes} MB")
ROLE_NOT_TEXT = Text("{folder}: a role file in this folder is not UTF-8 text; save it as UTF-8")
NO_ROLES = Text("{folder}: this folder contains no role files (NAME.md)")
CANNOT_READ = Text("{path}: cannot be read: {error}")

# Its groups

NO_GROUPS = Text("{folder}: this folder contains no groups (NAME/{file})")
ONLY_FOLDERS = Text("{path}: this is not a folder, but only folders of groups (NAME/{file}) may be here; move it away")
NO_INSTRUCTIONS = Text(
    "{folder}: this folder contains no {file}, so it is not a group; write this file, or move the folder away"
)
ONLY_FILES = Text("{path}: this is a link or a special file, which is not copied; move it away")
WORKSPACE_NO_FOLDER = Text(
    "{path}: this is a link or a special file, not a folder, so it cannot be copied; move it away, and put the files "
    "into the group's workspace once the tenant exists"
)
ONLY_WORKSPACE = Text(
    "{path}: of the folders in a group, only {folder} is copied; move this folder into {folder}, or out of the group"
)
ONLY_PLAIN_FILES = Text(
    "{path}: this is not a plain file, so it is not copied; put it into the workspace once the tenant exists"
)
WORKSPACE_TOO_LARGE = Text(
    "{folder}: at most {files} files of {megabytes} MB in all are copied; leave the folder out, and put its files "
    "into the workspace once the tenant exists"
)
FILE_TOO_LARGE = Text("{path}: only files of up to {megabytes} MB are copied; shorten it")
FILE_NOT_TEXT = Text("{path}: not UTF-8 text; leave it out, and put it into the workspace once the tenant exists")
WORKSPACE_ON_CLUSTER = Text(
    "{path}: on Kubernetes a workspace is on the cluster's volume; leave it out, and copy it there with kubectl cp once"
    " the tenant runs"
)

# Making it, and bringing it up to date

NEEDS_ROOT = Text("--target {target} gives each tenant a user of its own, which needs root: use sudo")
CANNOT_MAKE = Text("cannot create {folder}: {error}; what was created so far is removed again")
VALIDATOR_REFUSES = Text("{validator} rejects the files that were written for {name}: {reason}")
CANNOT_GIVE = Text("{path}: its owner or permissions cannot be set: {error}")
CANNOT_REWRITE = Text("cannot update the files that run the tenant in {folder}: {error}; everything is as it was")
CANNOT_PUT_BACK = Text(
    "{path}: this file's former content cannot be restored: {error}; make room on the disk, and run {command} again"
)
NO_TEXT = Text(
    "{path}: this file cannot be read, or is not text; remove the file, and run this command again to write a new one"
)

# The folder of all tenants

ODD_ROOT = Text("--root {folder!r}: use a path without spaces, quotes, $, % and backslashes")
NO_SUCH_TENANT = Text("there is no tenant {name!r} in {root}")
NO_SUCH_TENANT_BUT_ONE = Text("there is no tenant {name!r} in {root}; the only tenant is {other}")
NO_SUCH_TENANT_BUT_OTHERS = Text("there is no tenant {name!r} in {root}; the tenants are {others}")
FOLDER_UNREADABLE = Text("{folder}: cannot read this folder: {error}")
TENANT_UNREADABLE = Text("{folder}: cannot be read: {error}; run this command as root")
ROOT_UNUSABLE = Text("{path}: cannot be used: {error}; run this command as root")
NAME_TAKEN = Text("{folder} exists already, and is not a tenant; move it away, or choose another name")
BEING_CHANGED = Text("another command is changing the tenants in {root}; try again later")
WAITING_FOR_CHANGE = Text("another command is changing the tenants in {root}: waiting for it, at most {seconds:.0f} s")
UIDS_USED_UP = Text("{path}: no uid is left for a new tenant: every uid up to {last} has been used on this machine")
UIDS_BROKEN = Text('{path}: must contain {{"next": N}}; N must be higher than every uid that a tenant has or had')

# Its record

FILE_UNREADABLE = Text("{path}: cannot read this file: {error}")
NO_RECORD = Text("{path}: this file is not the record of a tenant; restore it from a back-up, or remove the tenant")
RECORD_OF_ANOTHER = Text(
    "{path}: this is the record of {name!r}, so this folder is a copy, which would run the same bot twice; create a "
    "new tenant with {command}"
)
NO_SUCH_TARGET = Text("{path}: this file names the target {target!r}, which does not exist")

# What it runs

SYSTEMD_RUNS_NO_IMAGE = Text("--image: a systemd tenant runs a checkout, not an image; leave --image out")
SYSTEMD_NEEDS_CHECKOUT = Text(
    "--target systemd: a systemd tenant runs a checkout of the project; run scripts/add-tenant of that checkout"
)
IMAGE_MISSING = Text(
    "--image is missing: a cluster pulls the image from a registry; build it with {command}, push it, and name it "
    "with its digest, for example registry.example/retinue@sha256:…"
)
NO_IMAGE = Text("--image {image!r}: this is not an image; write sha256:… or registry/name:tag")

# Building an image

NO_CHECKOUT = Text("{path} does not exist: an image is built from a checkout of the project")
NO_ENGINE = Text("nothing here can build an image ({reasons}); install docker or podman, or start the one you have")
NOT_INSTALLED = Text("{program} is not installed")
NO_PIP = Text("this Python has no pip, so the build uses the public package index")
AS_PIP_DOES = Text("the build downloads packages with this machine's pip settings")
BUILD_DISK_FULL = Text(
    "the image could not be built: the disk is full; make room, for example with `{program} system prune`"
)
BUILD_FAILED = Text("the image could not be built: {reason}")
BUILD_FAILED_SILENTLY = Text("the image could not be built: the build said nothing")
NO_IMAGE_ID = Text("the build did not write the image's id: {error}")
ODD_IMAGE_ID = Text("the build wrote {id!r} instead of the image's id")
