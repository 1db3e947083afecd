"""Import the SDK without the parts that nobody here uses, which are half of its modules and of its memory.

While the SDK is imported, a finder gives it empty modules in place of those parts, with an empty class for each name.
Afterwards the modules are taken away, so a later import of such a part gets the real one, and so does the first use of
an empty class. If the import fails, because a new release of the SDK needs more of itself, the whole SDK is imported
([decision 18](../../../docs/decisions/0018-parts-of-the-sdk.md)).
"""

import importlib
import logging
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from bot.models.claude import operator_texts as texts

SDK_NAME = "anthropic"
USED_PARTS = (f"{SDK_NAME}.resources.models",)  # which the SDK itself imports only at their first use
UNUSED_PARTS = tuple(
    f"{SDK_NAME}.{part}"
    for part in (
        *("types.beta", "types.organization", "types.messages.batches", "types.skills", "types.user_profiles"),
        *("resources.beta", "resources.messages", "resources.organization", "resources.skills"),
        *("resources.user_profiles", "resources.files"),
        *("lib.tools", "lib.bedrock", "lib.vertex", "lib.aws", "lib.google_cloud", "lib.foundry", "lib.middleware"),
        *("lib.streaming", "lib.threads", "lib.sessions", "lib.environments"),
    )
)

log = logging.getLogger(__name__)


class UnusedClass(type):
    """The type of empty classes. Such a class can be named and be a base. If it is called, or asked for an attribute,
    the real class is imported and answers."""

    def __call__(cls, *args: Any, **fields: Any) -> Any:
        return cls.import_real_class()(*args, **fields)

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(cls.import_real_class(), name)

    def import_real_class(cls) -> type:
        """Return the class that this one stands for. May raise TypeError: the SDK is being imported, and needs it."""
        found: type = getattr(importlib.import_module(cls.__module__), cls.__name__)
        if isinstance(found, UnusedClass):
            raise TypeError(f"{cls.__module__}.{cls.__name__} is used")
        return found


class UnusedModule(ModuleType):
    """A module that has a new, empty class for each name that is asked of it."""

    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        made = UnusedClass(name, (), {"__module__": self.__name__})
        setattr(self, name, made)
        return made


class UnusedModuleFinder(MetaPathFinder, Loader):
    """Find an empty module for each module of the given parts."""

    def __init__(self, parts: Collection[str]) -> None:
        self.parts = parts
        self.found: list[str] = []

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if not any(name == part or name.startswith(f"{part}.") for part in self.parts):
            return None
        self.found.append(name)
        return ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return UnusedModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: the module is empty."""


def import_sdk_without_unused_parts(
    sdk: str = SDK_NAME, used: Collection[str] = USED_PARTS, unused: Collection[str] = UNUSED_PARTS
) -> None:
    """Import the SDK, if nobody has imported it yet: without its unused parts, or whole if it needs them."""
    if sdk in sys.modules:
        return
    try:
        with empty_modules_for(unused):
            for name in (sdk, *used):
                importlib.import_module(name)
        drop_empty_error_classes(sdk)
    except Exception as error:  # noqa: BLE001 -- a new release may do anything with an empty class
        log.warning(texts.SDK_NEEDS_ALL, error)
        for name in [name for name in sys.modules if name == sdk or name.startswith(f"{sdk}.")]:
            del sys.modules[name]
        importlib.import_module(sdk)


def drop_empty_error_classes(sdk: str) -> None:
    """Let the SDK raise the error of the status where the error of a code is an empty class."""
    if found := sys.modules.get(f"{sdk}._error_classes"):
        classes: dict[object, type] = found.ERROR_CLASSES
        for key in [key for key, error in classes.items() if not issubclass(error, Exception)]:
            del classes[key]


@contextmanager
def empty_modules_for(parts: Collection[str]) -> Iterator[None]:
    """Let each import of one of these parts get an empty module. Take these modules away at the end."""
    finder = UnusedModuleFinder(parts)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in finder.found:
            module = sys.modules.pop(name, None)
            above, _, last = name.rpartition(".")
            if module is not None and getattr(sys.modules.get(above), last, None) is module:
                delattr(sys.modules[above], last)
