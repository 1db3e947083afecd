"""Install a listed server with its registry's own client, each in a folder of its own, as an operator would.

Install scripts are not run: they are programs of others, outside of every sandbox."""

import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.ecosystem.listed import ListedServer

QUIET_NPM = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledServer:
    """How the server is started, and what it must be able to read for that."""

    command: Path
    args: Sequence[str]
    read_only: Sequence[Path]


def install_server(server: ListedServer, node: tuple[str, str], cache: Path) -> InstalledServer:
    """Install a server into the cache, unless it is there. May raise CalledProcessError."""
    folder = folder_of(cache, server.registry, server.package, server.version)
    if server.registry == "npm":
        install_from_npm(folder, server.package, server.version)
        program = folder / "node_modules" / ".bin" / server.program
        runtime = install_node(node, cache)
        return InstalledServer(
            command=runtime, args=(str(program), *server.args), read_only=(folder, runtime.parents[1])
        )
    install_from_pypi(folder, [f"{server.package}=={server.version}", *server.besides])
    program = folder / "bin" / server.program
    return InstalledServer(command=program, args=server.args, read_only=(folder, *python_of_environments()))


def install_node(node: tuple[str, str], cache: Path) -> Path:
    """Return Node.js in the listed version."""
    folder = folder_of(cache, "npm", *node)
    install_from_npm(folder, *node)
    return folder / "node_modules" / node[0] / "bin" / "node"


def install_from_npm(folder: Path, package: str, version: str) -> None:
    if not (folder / "installed").exists():
        (folder / "package.json").write_text('{"private": true}')
        run("npm", "install", *QUIET_NPM, f"{package}@{version}", folder=folder)
        (folder / "installed").touch()


def install_from_pypi(folder: Path, requirements: Sequence[str]) -> None:
    if not (folder / "installed").exists():
        run(sys.executable, "-m", "venv", ".", folder=folder)
        run("bin/python", "-m", "pip", "install", "--quiet", *requirements, folder=folder)
        (folder / "installed").touch()


def python_of_environments() -> list[Path]:
    """Return the folder of the Python to which environments link, unless every sandbox sees it."""
    base = Path(sys.base_prefix).resolve()
    return [] if base.is_relative_to("/usr") else [base]


def folder_of(cache: Path, registry: str, package: str, version: str) -> Path:
    folder = cache / registry / re.sub(r"\W+", "-", f"{package}-{version}").strip("-")
    folder.mkdir(parents=True, exist_ok=True)
    return folder.resolve()


def run(*command: str, folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, timeout=1_200)
