"""Messages to operators about a tenant's files: its name, settings, secrets, folder and image."""

from bot.core.texts import Text

# Its name

NAME_IMPOSSIBLE = Text(
    "{name!r} cannot be a tenant's name: take a to z, 0 to 9 and -, at least 3 and at most 32 of them, a letter first"
    " and no - at the end"
)
NAME_RESERVED = Text("{name!r} is a name that something else has; take another one, as {name}-1")

# Its secrets

NO_SUCH_SECRET = Text("{name!r} is no secret of a tenant; there are {secrets}")
SECRET_EMPTY = Text("{name}: this secret is empty")
SECRET_WITH_SPACES = Text("{name}: this secret holds a space, a quote or a line break; copy it again, and nothing else")
BOT_OF_ANOTHER_TENANT = Text(
    "channels.{platform}.token: tenant {name} has this bot ({bot}); two tenants with one bot take each other's messages"
    " away; make a bot of its own for each"
)

# Its settings

FOLDER_ELSEWHERE = Text("{key} must be {name!r}, where a tenant's target expects it; leave it out")
SECRETS_DIR_SET = Text("secrets_dir must not be set: a tenant's target gives the bot its secrets; leave it out")
NO_CHANNEL = Text("no channel is enabled: set {keys} to true")
NO_MODEL_KEY = Text("there is no key for the model: give the secret model__api_key, or set model.base_url")
NO_TOKEN = Text("channels.{channel} is enabled and has no token: give the secret channels__{channel}__token")
OPEN_TO_EVERYBODY = Text(
    'channels.{channel}.allow_from is "*": everybody there could spend this tenant\'s money; say --public if that is'
    " meant, or list who may talk to it"
)
OPEN_TO_NOBODY = Text(
    "nobody could talk to it: set channels.{channel}.owner (who then lets others in) or .allow_from, or say --public"
)

# Its roles

ROLE_NO_FILE = Text("{path}: a role file is a file of at most {megabytes} MB")
ROLE_NOT_TEXT = Text("{folder}: a role file is not UTF-8 text")
NO_ROLES = Text("{folder}: there are no role files in it (NAME.md)")
CANNOT_READ = Text("{path}: cannot be read: {error}")

# Its groups

NO_GROUPS = Text("{folder}: there are no groups in it (NAME/{file})")
ONLY_FOLDERS = Text("{path}: only folders of groups are taken (NAME/{file}); move it away")
NO_INSTRUCTIONS = Text("{folder}: there is no {file} in it; write one, or move the folder away")
ONLY_FILES = Text("{path}: only files and folders are taken; move it away")
WORKSPACE_NO_FOLDER = Text(
    "{path}: only files and folders are taken; put it into the workspace once the tenant is made"
)
ONLY_WORKSPACE = Text("{path}: of a group's folders only {folder} is taken; move it there, or away")
ONLY_PLAIN_FILES = Text("{path}: only plain files are taken; put it into the workspace once the tenant is made")
WORKSPACE_TOO_LARGE = Text(
    "{folder}: at most {files} files of {megabytes} MB in all are taken; leave it out, and put it into the workspace"
    " once the tenant is made"
)
FILE_TOO_LARGE = Text("{path}: a file of at most {megabytes} MB is taken; shorten it")
FILE_NOT_TEXT = Text(
    "{path}: this is not UTF-8 text; leave it out, and put it into the workspace once the tenant is made"
)
WORKSPACE_ON_CLUSTER = Text(
    "{path}: on Kubernetes a workspace is on the cluster's volume; leave it out, and copy it there with kubectl cp once"
    " the tenant runs"
)

# Making it, and bringing it up to date

NEEDS_ROOT = Text("--target {target} gives each tenant a user of its own, which takes root: use sudo")
CANNOT_MAKE = Text("cannot write {folder}: {error}; nothing of it is left")
VALIDATOR_REFUSES = Text("{validator} refuses what was written for {name}: {reason}")
CANNOT_GIVE = Text("{path}: cannot be given to the tenant: {error}")
CANNOT_REWRITE = Text("cannot write what runs {folder}: {error}; all is as it was")
CANNOT_PUT_BACK = Text("{path}: cannot be put back: {error}; make room, and run {command} again")
NO_TEXT = Text("{path}: cannot be read, or is no text; take it away, and it is written again")

# The folder of all tenants

ODD_ROOT = Text("--root {folder!r}: take a path without spaces, quotes, $, % and backslashes")
NO_SUCH_TENANT = Text("there is no tenant {name!r} in {root}")
NO_SUCH_TENANT_BUT_ONE = Text("there is no tenant {name!r} in {root}; there is {other}")
NO_SUCH_TENANT_BUT_OTHERS = Text("there is no tenant {name!r} in {root}; there are {others}")
FOLDER_UNREADABLE = Text("{folder}: cannot read this folder: {error}")
TENANT_UNREADABLE = Text("{folder}: cannot be read: {error}; run it as root")
ROOT_UNUSABLE = Text("{path}: cannot be used: {error}; run it as root")
NAME_TAKEN = Text("{folder} is there already, and is no tenant; move it away, or take another name")
BEING_CHANGED = Text("another command is changing the tenants in {root}; try again later")
WAITING_FOR_CHANGE = Text(
    "another command is changing the tenants in {root}: this one waits for it, at most {seconds:.0f} s"
)
UIDS_USED_UP = Text("{path}: every uid up to {last} has been given away on this machine")
UIDS_BROKEN = Text('{path}: must hold {{"next": N}}; write the uid that comes after all given ones')

# Its record

FILE_UNREADABLE = Text("{path}: cannot read this file: {error}")
NO_RECORD = Text("{path}: this is no record of a tenant; take it from a back-up, or remove the tenant")
RECORD_OF_ANOTHER = Text(
    "{path}: this is the record of {name!r}: a copy of its folder is no tenant, but a second bot on one token; make one"
    " with {command}"
)
NO_SUCH_TARGET = Text("{path}: there is no target {target!r}")

# What it runs

SYSTEMD_RUNS_NO_IMAGE = Text("--image: a systemd tenant runs a checkout, and no image; leave it out")
SYSTEMD_NEEDS_CHECKOUT = Text(
    "--target systemd: a systemd tenant runs a checkout of the project; use its scripts/add-tenant"
)
IMAGE_MISSING = Text(
    "--image is missing: a cluster pulls the image from a registry; build it with {command}, push it, and name it with"
    " its digest, as registry.example/retinue@sha256:…"
)
NO_IMAGE = Text("--image {image!r}: this is no image; write sha256:… or registry/name:tag")

# Building an image

NO_CHECKOUT = Text("{path} is not there: an image is built from a checkout of the project")
NO_ENGINE = Text("nothing here can build an image ({reasons}); install docker or podman, or start the one you have")
NOT_INSTALLED = Text("{program} is not installed")
DOES_NOT_ANSWER = Text("{program} does not answer")
NO_ANSWER_IN_TIME = Text("{program} has not answered for {seconds:.0f} s")
ENGINE_REFUSED = Text("{program}: {reason}")
NO_PIP = Text("there is no pip beside this Python, so the build asks the public index")
AS_PIP_DOES = Text("the build reaches packages as pip of this machine does")
PIP_DOES_NOT_ANSWER = Text("`pip config list` has not answered for {seconds:.0f} s; run it by hand")
BUILD_DISK_FULL = Text("the image could not be built: its disk is full; make room (`{program} system prune`)")
BUILD_FAILED = Text("the image could not be built: {reason}")
BUILD_FAILED_SILENTLY = Text("the image could not be built: the build said nothing")
NO_IMAGE_ID = Text("the build has left no id of the image: {error}")
ODD_IMAGE_ID = Text("the build has left {id!r} where the id of the image should be")
