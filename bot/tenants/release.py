"""What a tenant runs: the image or the checkout that its target starts."""

import re
from collections.abc import Callable
from pathlib import Path

from bot.errors import ConfigError

CHECKOUT = Path(__file__).resolve().parents[2]
LOCAL_ID = re.compile("sha256:[0-9a-f]{64}")
REFERENCE = re.compile(  # as registries have it: host and path, then a tag or a digest or both
    r"[a-z0-9]+(?:[._-][a-z0-9]+)*(?::\d{1,5})?(?:/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*"
    r"(?::[\w][\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?",
    re.ASCII,
)


def release_for(target: str, image: str | None, tell: Callable[[str], None]) -> str:
    """The release of a new tenant; builds an image where one is needed and none is given. Raises ConfigError."""
    if target == "systemd":
        if image:
            raise ConfigError("--image: a systemd tenant runs a checkout, and no image; leave it out")
        return str(CHECKOUT)
    if image:
        return checked(image)
    if target == "kubernetes":
        raise ConfigError(
            "--image is missing: a cluster pulls the image from a registry; build it with scripts/build-image, push it,"
            " and name it with its digest, as registry.example/retinue@sha256:…"
        )
    from bot.tenants.image import build  # here, since it looks for an engine

    return build(CHECKOUT, tell)


def checked(image: str) -> str:
    if not (LOCAL_ID.fullmatch(image) or REFERENCE.fullmatch(image)):
        raise ConfigError(f"--image {image!r}: this is no image; write sha256:… or registry/name:tag")
    return image
