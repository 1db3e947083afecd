"""Messages of the targets (Compose, systemd, Kubernetes) to operators: what a target needs to run a tenant."""

from bot.core.texts import Text

# Programs

CANNOT_RUN = Text("{program} cannot be run: {error}; install it")
NOT_ENDED_IN_TIME = Text("{command}: the command has not ended within {seconds:.0f} s; run it by hand")
SAYS_TOO_MUCH = Text("{command}: the command prints more than {most} MiB; run it by hand")
NO_COMPOSE = Text("there is no Compose here: install Docker with its Compose plugin, or docker-compose beside Podman")
NO_SYSTEMD = Text("there is no systemd here")
NO_KUBECTL = Text("there is no kubectl here")
INSTALL_COMPOSE_LINT = Text("to install it, run: pip install compose-lint")
INSTALL_KUBERNETES_VALIDATE = Text("to install it, run: pip install kubernetes-validate")
TEMPLATE_UNREADABLE = Text("{path}: cannot read this template: {error}; install Retinue again")

# Compose

MOUNT_MISSING = Text("{path} does not exist, but the bot needs it")

# A tenant's disk

NO_SIZE = Text("disk: {size!r} is not a size; write a whole number and M, G or T, for example 2G")
SIZE_TOO_SMALL = Text("disk: {size} is too small to work with; choose at least {least}M")
NO_ROOM = Text("{image}: cannot reserve {size}: {error}; choose a smaller size, or make room")
MKFS_FAILED = Text("{image}: mkfs.ext4 failed: {reason}")
NOT_MOUNTED = Text("{folder} is not mounted, so nothing can be written; mount it: {commands}")

# systemd

UNIT_HIDES_ROOT = Text(
    "{folder}: the systemd unit hides this place from the bot; use another --root, for example /srv/retinue"
)
UNIT_HIDES_RELEASE = Text(
    "{path}: the systemd unit hides this place from the bot; install the release again in /opt, with the system's "
    "Python"
)
RELEASE_SHUT = Text(
    "{path}: only its owner can enter this folder; install the release again in /opt, with the system's Python"
)
RELEASE_NOT_INSTALLED = Text("{path} does not exist; run scripts/run in {release} first")
RESOLVER_SHUT = Text(
    "{path} names the DNS server {address}, which the systemd unit blocks; allow it with IPAddressAllow={address} in a "
    "drop-in of your own, beside tenant.conf"
)
NAMED_HOSTS_SHUT = Text(
    "{path} names hosts for programs in a sandbox, and the systemd unit blocks packets to the sandbox's own 127.0.0.1, "
    "where the bot's proxy listens; allow them with IPAddressAllow=127.0.0.1 in a drop-in of yours, beside shell.conf"
)
ODD_PATH = Text("{key}: {path!r} cannot be used in a systemd unit; use an absolute path of plain letters")

# Kubernetes

PROFILE_ON_EACH_NODE = Text("first copy {file} to {path} on each node of the cluster, else no pod of it starts")
IMAGE_NOT_IN_REGISTRY = Text(
    "release: the nodes of a cluster cannot find the image {image}; push the image to a registry, and name it there "
    "with its digest, for example registry/retinue@sha256:…"
)
ODD_FILE_NAME = Text("{path}: Kubernetes cannot store a file of this name; use letters of a to z, digits, - and _")
CONFIG_MAP_TOO_LARGE = Text(
    "{name}: this config map has {size:,} bytes as kubectl writes it, but may have {most:,} at most; shorten its "
    "files, use smaller pictures, or use another target"
)
