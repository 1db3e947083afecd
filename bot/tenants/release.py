"""Choose what a tenant runs: the image or the checkout that its target starts."""

import re

from bot.core.errors import ConfigError
from bot.core.program_names import IS_CHECKOUT, PROJECT_FOLDER, script_command
from bot.tenants import Tell
from bot.tenants import making_texts as texts

CHECKOUT = PROJECT_FOLDER
LOCAL_ID = re.compile("sha256:[0-9a-f]{64}")
REFERENCE = re.compile(  # as in registries: host and path, then a tag or a digest or both
    r"[a-z0-9]+(?:[._-][a-z0-9]+)*(?::\d{1,5})?(?:/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*"
    r"(?::[\w][\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?",
    re.ASCII,
)


def check_release(target: str, image: str | None) -> None:
    """Raise ConfigError if the target cannot run the named image, or needs one and none is named."""
    if target == "systemd" and image is not None:
        raise ConfigError(texts.SYSTEMD_RUNS_NO_IMAGE)
    if target == "kubernetes" and image is None:
        raise ConfigError(texts.IMAGE_MISSING(command=script_command("build-image")))
    if target == "systemd" and not IS_CHECKOUT:
        raise ConfigError(texts.SYSTEMD_NEEDS_CHECKOUT)
    if image is not None and not (LOCAL_ID.fullmatch(image) or REFERENCE.fullmatch(image)):
        raise ConfigError(texts.NO_IMAGE(image=image))


def release_for(target: str, image: str | None, tell: Tell) -> str:
    """Return the release of a new tenant. Build an image if one is needed and none is named.

    Raise ConfigError if the release cannot be used, or if the build fails.
    """
    check_release(target, image)
    if target == "systemd":
        return str(CHECKOUT)
    if image is not None:
        return image
    from bot.tenants.image import build_image  # here: only this path needs an engine

    return build_image(CHECKOUT, tell)
