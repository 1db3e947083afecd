"""The settings of MCP servers: other programs whose tools roles may use."""

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, Self, TypeVar
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from bot.core import setting_types as types
from bot.core.acts import ActKind, Critical, Effect, Part
from bot.core.rights import Right
from bot.core.settings_section import Section
from bot.core.texts import setting_values as texts

T = TypeVar("T")

SERVER_NAME_PATTERN = re.compile(r"[a-z0-9](?:[a-z0-9-]|_(?!_)){0,29}(?<!_)")
SERVER_TOOL_SEPARATOR = "__"  # between a server's name and its tool's
ALL_TOOLS_SIGN = "*"  # after the separator: all tools of a server


def validate_server_names(servers: Mapping[str, T]) -> Mapping[str, T]:
    for name in servers:
        if not SERVER_NAME_PATTERN.fullmatch(name):
            raise ValueError(texts.NOT_A_SERVER_NAME)
    return servers


def validate_shape(shape: str) -> str:
    try:
        re.compile(shape)
    except re.error:
        raise ValueError(texts.NOT_A_PATTERN) from None
    return shape


def parse_whole_address(value: object) -> object:
    """Return an address of a server. What stands behind a # would be dropped, and belongs to no server."""
    if isinstance(value, str) and "#" in value:
        raise ValueError(texts.NOT_A_WEB_ADDRESS)
    return value


class CriticalArgument(Section):
    """What a critical argument of a server's tool is for its act."""

    part: Part
    type: str = ""
    shape: Annotated[str, AfterValidator(validate_shape)] = ""
    is_own_id: bool = False
    said_as: dict[str, tuple[types.NonEmptyText, ...]] = Field(default_factory=dict)

    @property
    def as_declared(self) -> Critical:
        said_as = tuple(self.said_as.items())
        return Critical(self.part, self.type, self.shape, is_own_id=self.is_own_id, said_as=said_as)


class TrustedPart(Section):
    """The values at one place of a tool's results. `of` names fields of the same record, such as who has paid: a value
    then counts only if the person names one of them. `own` limits it to records that the account's owner has made: in
    these a field has a certain value."""

    type: types.NonEmptyText
    of: tuple[types.NonEmptyText, ...] = ()
    own: dict[types.NonEmptyText, str | bool | int] = Field(default_factory=dict)


def parse_trusted_parts(value: object) -> object:
    """Return the parts of one place as sections: one may stand without a list, and a text alone is its type."""
    parts = value if isinstance(value, list | tuple) else [value]
    return [{"type": each} if isinstance(each, str) else each for each in parts]


TrustedParts = Annotated[tuple[TrustedPart, ...], BeforeValidator(parse_trusted_parts)]


class McpToolSettings(Section):
    """What the operator declares about a tool of a server. What is not declared counts as the worst."""

    effects: tuple[Effect, ...] | None = None
    acts: tuple[ActKind, ...] = ()
    things: tuple[types.NonEmptyText, ...] = ()
    critical: dict[types.NonEmptyText, CriticalArgument] = Field(default_factory=dict)
    uncritical: tuple[types.NonEmptyText, ...] = ()
    trusted_parts: dict[types.NonEmptyText, TrustedParts] = Field(default_factory=dict)  # by path
    is_query: bool = False

    @model_validator(mode="after")
    def reject_argument_that_is_both(self) -> Self:
        if not self.critical.keys().isdisjoint(self.uncritical):
            raise ValueError(texts.CRITICAL_AND_NOT)
        return self


class McpServerSettings(Section):
    """A server: a program that the bot starts, or an address."""

    command: types.NonEmptyText | None = None
    args: tuple[str, ...] = ()
    env: dict[types.NonEmptyText, types.Secret | None] = Field(default_factory=dict)
    public_env: dict[types.NonEmptyText, str] = Field(default_factory=dict)
    folder: types.FilePath | None = None
    sandbox: bool = True
    network: bool = False
    hosts: types.HostsOrEvery = ()
    read_only: tuple[types.FilePath, ...] = ()
    url: Annotated[types.WebAddress, BeforeValidator(parse_whole_address)] | None = None
    headers: dict[types.NonEmptyText, types.Secret | None] = Field(default_factory=dict)
    allow_private_address: bool = False
    right: Right = Right.SHELL
    roles: tuple[types.NonEmptyText, ...] | None = None
    groups: tuple[types.NonEmptyText, ...] | None = None
    tools: dict[types.NonEmptyText, McpToolSettings] = Field(default_factory=dict)
    call_seconds: types.Count = 60
    result_kilobytes: Annotated[int, Field(ge=1, le=20_000)] = 1_000
    calls_at_once: Annotated[int, Field(ge=1, le=100)] = 4

    @property
    def is_program(self) -> bool:
        return self.command is not None

    @property
    def max_message_bytes(self) -> int:
        return self.result_kilobytes * 1_000

    @model_validator(mode="after")
    def reject_unclear_choice(self) -> Self:
        if (self.command is None) == (self.url is None):
            raise ValueError(texts.PROGRAM_OR_ADDRESS)
        of_program = {"args", "env", "public_env", "folder", "sandbox", "network", "hosts", "read_only"}
        of_address = {"headers", "allow_private_address"}
        if wrong := sorted(self.model_fields_set & (of_address if self.is_program else of_program)):
            raise ValueError(texts.NOT_OF_THIS_SERVER(keys=", ".join(wrong)))
        if self.hosts and (self.network or not self.sandbox):
            raise ValueError(texts.HOSTS_WITHOUT_SANDBOX)
        return self


def validate_listening_address(address: str) -> str:
    listening_place(address)
    return address


class McpSettings(Section):
    """The servers whose tools roles may use, and where `retinue mcp` serves clients over HTTP."""

    servers: Annotated[dict[str, McpServerSettings], AfterValidator(validate_server_names)] = Field(
        default_factory=dict
    )
    listen: Annotated[str, AfterValidator(validate_listening_address)] = "127.0.0.1:8790"
    hosts: tuple[types.NonEmptyText, ...] = ()


def listening_place(address: str) -> tuple[str, int]:
    """Return the host and the port of an address such as `127.0.0.1:8790` or `[::1]:8790`. Port 0 means any that is
    free. Raise ValueError if it is none."""
    parts = urlsplit(f"//{address}")
    with suppress(ValueError):  # the port is no number, or too high
        if parts.hostname and parts.port is not None and parts.netloc == address and "@" not in address:
            return parts.hostname, parts.port
    raise ValueError(texts.NOT_A_LISTENING_ADDRESS)


def filled_secrets(given: Mapping[str, types.Secret | None]) -> dict[str, str]:
    """Return the values of a server's variables or headers. One that is null in the file gets the value of the same
    name in any case: names of secret files and of variables are in lower case. Raise ValueError with the name of one
    that has no value."""
    values = {name: secret.get_secret_value() for name, secret in given.items() if secret is not None}
    named = [name for name, secret in given.items() if secret is None]
    for name in named:
        found = next((each for each in values if each.casefold() == name.casefold()), None)
        if found is None:
            raise ValueError(name)
        values[name] = values.pop(found)
    return values


def server_of_tool(tool: str) -> str:
    """Return the server's name in the name of a tool; empty if the tool is of no server."""
    server, separator, _ = tool.partition(SERVER_TOOL_SEPARATOR)
    return server if separator else ""


def all_tools_of(server: str) -> str:
    """Return the name that stands for all tools of a server in the list of a role."""
    return f"{server}{SERVER_TOOL_SEPARATOR}{ALL_TOOLS_SIGN}"
