"""Load the operator's own tools: Python files in `tools_dir`, and installed packages that `tool_packages` names.

What cannot be loaded is a fault in words, with the file and the line. It ends the start only if the operator wants that
(`tools_must_load`)."""

import importlib
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType

from bot.config import texts
from bot.core.invisible_characters import find_invisible
from bot.core.turn import CallKind
from bot.tools import Tool

PACKAGE_NAME = "retinue_tools"  # of the files in `tools_dir`: `from retinue_tools._helpers import …`
ENTRY_POINT_GROUP = "retinue.tools"
NAME_PATTERN = re.compile(r"[a-zA-Z](?:[a-zA-Z0-9-]|_(?!_)){0,63}")  # two underscores are for the tools of MCP servers
OWN_KINDS = (CallKind.READ, CallKind.CHANGE)
MAX_CACHED_FOLDERS = 8


class NotATool(Exception):
    """The message says why what a file or package holds cannot be used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnTools:
    tools: tuple[Tool, ...] = ()
    origins: tuple[str, ...] = ()  # of each tool: its file, or its package
    faults: tuple[str, ...] = ()

    @property
    def names(self) -> frozenset[str]:
        return frozenset(tool.name for tool in self.tools)


@lru_cache(MAX_CACHED_FOLDERS)
def load_own_tools(
    folder: Path | None, packages: tuple[str, ...], taken: frozenset[str], written_by_roles: tuple[Path, ...] = ()
) -> OwnTools:
    """Return the tools and the faults. `taken` are the names that they may not have, and `written_by_roles` the folders
    where no link may lead. Each process loads them once: a changed file counts after a restart."""
    tools, origins, faults = list[Tool](), list[str](), list[str]()
    found: list[Tool]
    loads: list[tuple[str, Callable[[], object]]] = [*iterate_packages(packages, faults)]
    loads = [*(iterate_files(folder, written_by_roles, faults) if folder else ()), *loads]
    for origin, load in loads:
        try:
            found = list(tools_in(load()))
            if not found:
                raise NotATool(texts.HOLDS_NO_TOOL)
            for each in found:
                by_name = dict(zip([tool.name for tool in tools], origins, strict=True))
                reject_unusable_tool(each, taken, by_name)
                tools.append(each)
                origins.append(origin)
        except NotATool as wrong:
            faults.append(texts.OWN_TOOL_FAULT(where=origin, fault=wrong))
        except (Exception, SystemExit) as error:  # noqa: BLE001 -- the file may raise anything
            faults.append(describe_failed_load(origin, error))
    return OwnTools(tools=tuple(tools), origins=tuple(origins), faults=tuple(faults))


def iterate_files(
    folder: Path, written_by_roles: Iterable[Path], faults: list[str]
) -> Iterator[tuple[str, "LoadFile"]]:
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix == ".py" and path.name[0] not in "._")
    except OSError as error:
        faults.append(texts.TOOLS_FOLDER_NOT_READABLE(path=folder, reason=error.strerror))
        return
    if paths:
        forget_earlier_package(folder)
    for path in paths:
        if any(path.resolve().is_relative_to(each.resolve()) for each in written_by_roles):
            faults.append(texts.OWN_TOOL_FAULT(where=path, fault=texts.TOOL_LINK_INTO_WORKSPACE))
        else:
            yield str(path), LoadFile(path)


def forget_earlier_package(folder: Path) -> None:
    """Let the package of helpers be that of this folder."""
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE_NAME]:
        del sys.modules[name]
    package = ModuleType(PACKAGE_NAME)
    package.__path__ = [str(folder)]
    sys.modules[PACKAGE_NAME] = package
    importlib.invalidate_caches()


@dataclass(frozen=True, slots=True)
class LoadFile:
    path: Path

    def __call__(self) -> object:
        """Run the file, and return its module. No compiled file is written beside it."""
        module = ModuleType(f"{PACKAGE_NAME}.{self.path.stem}")
        module.__file__ = str(self.path)
        sys.modules[module.__name__] = module  # for what looks up its own module, such as a dataclass
        exec(compile(self.path.read_bytes(), str(self.path), "exec", dont_inherit=True), module.__dict__)
        return module


def iterate_packages(packages: Iterable[str], faults: list[str]) -> Iterator[tuple[str, "LoadEntryPoint"]]:
    installed = list(entry_points(group=ENTRY_POINT_GROUP))
    for name in packages:
        found = [point for point in installed if fold_package_name(package_of(point)) == fold_package_name(name)]
        if not found:
            known = ", ".join(sorted({package_of(point) for point in installed})) or texts.NO_PACKAGES
            faults.append(texts.NO_SUCH_PACKAGE(name=name, group=ENTRY_POINT_GROUP, known=known))
        yield from ((texts.IN_PACKAGE(name=name, point=point.name), LoadEntryPoint(point)) for point in found)


@dataclass(frozen=True, slots=True)
class LoadEntryPoint:
    point: EntryPoint

    def __call__(self) -> object:
        found: object = self.point.load()
        return found() if callable(found) and not isinstance(found, Tool) else found


def package_of(point: EntryPoint) -> str:
    return point.dist.name if point.dist else ""


def fold_package_name(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).casefold()


def unused_packages(packages: Iterable[str]) -> list[str]:
    """Return the installed packages that have tools and that the operator has not named."""
    named = {fold_package_name(name) for name in packages}
    found = {package_of(point) for point in entry_points(group=ENTRY_POINT_GROUP)}
    return sorted(name for name in found if fold_package_name(name) not in named)


def tools_in(found: object) -> Iterator[Tool]:
    """Yield the tools in a module, a list or a tuple, each once."""
    held = vars(found).values() if isinstance(found, ModuleType) else [found]
    seen = set[int]()
    for value in held:
        for each in value if isinstance(value, list | tuple) else [value]:
            if isinstance(each, Tool) and id(each) not in seen:
                seen.add(id(each))
                yield each


def reject_unusable_tool(tool: Tool, taken: frozenset[str], origins_by_name: dict[str, str]) -> None:
    """Raise NotATool if the tool cannot be used beside the others."""
    if not NAME_PATTERN.fullmatch(tool.name):
        raise NotATool(texts.TOOL_NAME_NOT_VALID(name=repr(tool.name)))
    if tool.name in taken:
        raise NotATool(texts.TOOL_NAME_TAKEN(name=tool.name))
    if tool.name in origins_by_name:
        raise NotATool(texts.TOOL_NAME_TWICE(name=tool.name, other=origins_by_name[tool.name]))
    if tool.kind not in OWN_KINDS:
        raise NotATool(texts.TOOL_KIND_NOT_OWN(name=tool.name, kind=tool.kind))
    if not tool.description:
        raise NotATool(texts.TOOL_WITHOUT_DESCRIPTION(name=tool.name))
    if find_invisible(f"{tool.description}{tool.input_schema}"):
        raise NotATool(texts.TOOL_WITH_INVISIBLE_CHARACTERS(name=tool.name))


def describe_failed_load(origin: str, error: BaseException) -> str:
    """Return what went wrong, with the line of the file where it did."""
    line = error.lineno if isinstance(error, SyntaxError) and error.filename == origin else None
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename == origin:
            line = frame.lineno
    kind, said = type(error).__name__, " ".join(str(error).split())
    if isinstance(error, SyntaxError):
        said = error.msg
    where = f"{origin}:{line}" if line else origin
    return texts.OWN_TOOL_FAULT(where=where, fault=f"{kind}: {said}" if said else kind)
