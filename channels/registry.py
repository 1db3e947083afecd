"""The platforms that Retinue can answer on, and the one place that names them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.core.platform import AnyPlatform

# Packages, each with a module `platform`. Settings, questions and findings keep this order.
PLATFORM_PACKAGES = ["channels.telegram", "channels.discord"]


def register(package: str) -> None:
    """Add a platform from elsewhere, for example from your own program that then calls `bot.cli.main`. Call this before
    anything of `bot.config` is imported, because the settings are made from the platforms."""
    assert not platforms.cache_info().currsize, "register a platform before the settings are imported"
    PLATFORM_PACKAGES.append(package)


def platform_names() -> list[str]:
    """Return the names of all platforms. Import none of them."""
    return [package.rpartition(".")[2] for package in PLATFORM_PACKAGES]


@cache
def platforms() -> Mapping[str, AnyPlatform]:
    """Return what each platform declares, by its name. Import none of their libraries."""
    declared = [import_module(f"{package}.platform").PLATFORM for package in PLATFORM_PACKAGES]
    found = {platform.name: platform for platform in declared}
    assert list(found) == platform_names(), "a platform has the name of its folder"
    return found


def reserved_role_names() -> list[str]:
    """Return the names that people take for a platform's own. A role that the model invents may not have one."""
    return [name for platform in platforms().values() for name in platform.official_names]
