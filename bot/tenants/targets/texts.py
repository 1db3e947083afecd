"""Messages of the targets to operators: about programs that run a tenant, and about obstacles."""

from bot.core.texts import Text

# Programs

CANNOT_RUN = Text("{program} cannot be run: {error}; install it")
NOT_ENDED_IN_TIME = Text("{command}: the command has not ended within {seconds:.0f} s; run it by hand")
SAYS_TOO_MUCH = Text("{command}: the command prints more than {most} MiB; run it by hand")
FAILED = Text("{command}: {reason}")
NO_COMPOSE = Text("no Compose here: install Docker with its Compose plugin, or docker-compose beside Podman")
NO_SYSTEMD = Text("no systemd here")
NO_KUBECTL = Text("no kubectl here")
INSTALL_COMPOSE_LINT = Text("pip install compose-lint")
INSTALL_KUBERNETES_VALIDATE = Text("pip install kubernetes-validate")
TEMPLATE_UNREADABLE = Text("{path}: cannot read this template: {error}; install Retinue again")

# Compose

MOUNT_MISSING = Text("{path}: it is not there")

# A tenant's disk

NO_SIZE = Text("disk: {size!r} is no size; write a whole number and M, G or T, as in 2G")
SIZE_TOO_SMALL = Text("disk: {size} is too small to work with; give at least {least}M")
NO_ROOM = Text("{image}: cannot set aside {size}: {error}; give less, or make room")
MKFS_FAILED = Text("{image}: mkfs.ext4: {reason}")
NOT_MOUNTED = Text("{folder} is not mounted, so nothing can be written; {commands}")

# systemd

UNIT_HIDES_ROOT = Text("{folder}: the unit hides this place; take another --root, as /srv/retinue")
UNIT_HIDES_RELEASE = Text("{path}: the unit hides this place; make the release again in /opt, with the system's Python")
RELEASE_SHUT = Text("{path}: only its owner may go in; make the release again in /opt, with the system's Python")
RELEASE_NOT_INSTALLED = Text("{path} is not there; run scripts/run in {release} first")
RESOLVER_SHUT = Text(
    "{path}: the unit shuts {address}, which this machine asks for names; open it with IPAddressAllow={address}, in a"
    " second drop-in"
)
ODD_PATH = Text("{key}: {path!r} cannot stand in a unit; use an absolute path of plain letters")

# Kubernetes

IMAGE_NOT_IN_REGISTRY = Text(
    "release: the nodes of a cluster cannot tell which image {image} is; push the image to a registry, and name it"
    " there with its digest, as registry/retinue@sha256:…"
)
ODD_FILE_NAME = Text("{path}: Kubernetes keeps no file of that name; use letters of a to z, digits, - and _")
CONFIG_MAP_TOO_LARGE = Text(
    "{name}: {size:,} bytes, and a config map holds {most:,} at most; shorten it, or take another target"
)
