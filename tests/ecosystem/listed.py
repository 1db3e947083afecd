"""What `list.toml` lists: published servers, skills and agents, each with its version."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Self

LIST_PATH = Path(__file__).with_name("list.toml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedServer:
    """`answer` is a regular expression that the call's result has to match. `needs` is what it cannot work without."""

    name: str
    registry: Literal["npm", "pypi"]
    package: str
    version: str
    program: str
    call: Call
    answer: str
    args: Sequence[str] = ()
    besides: Sequence[str] = ()  # requirements that are installed with it
    public_env: Mapping[str, str] = field(default_factory=dict)
    needs: Literal["", "account", "network"] = ""

    def __str__(self) -> str:
        return f"{self.package} {self.version}"

    def of_version(self, version: str, besides: Sequence[str]) -> Self:
        return replace(self, version=version, besides=besides)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedFile:
    """A file of a public repository, or a folder."""

    repository: str
    commit: str
    path: str

    @property
    def name(self) -> str:
        return Path(self.path).name

    @property
    def owner(self) -> str:
        return self.repository.partition("/")[0]

    def __str__(self) -> str:
        return f"{self.repository}: {self.path}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """A script of a skill: the command that runs it in the skill's folder, and a pattern of what it prints."""

    skill: str
    command: str
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ecosystem:
    servers: Mapping[str, ListedServer]
    changes: Sequence[tuple[ListedServer, ListedServer]]  # the versions before and after
    skills: Sequence[ListedFile]
    scripts: Sequence[Script]
    agents: Sequence[ListedFile]
    node: tuple[str, str]  # package and version


def read_list() -> Ecosystem:
    listed = tomllib.loads(LIST_PATH.read_text())
    servers = {each["name"]: ListedServer(**{**each, "call": Call(**each["call"])}) for each in listed["server"]}
    return Ecosystem(
        servers=servers,
        changes=[
            (after.of_version(each["before"], each["besides"]), after)
            for each in listed["change"]
            for after in [servers[each["server"]]]
        ],
        skills=list_files(listed["skills"], "folders"),
        scripts=[Script(**each) for each in listed["script"]],
        agents=list_files(listed["agents"], "files"),
        node=(listed["node"]["package"], listed["node"]["version"]),
    )


def list_files(repositories: Sequence[Mapping[str, Any]], key: str) -> list[ListedFile]:
    return [
        ListedFile(repository=each["repository"], commit=each["commit"], path=path)
        for each in repositories
        for path in each[key]
    ]
