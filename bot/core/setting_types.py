"""The types of settings that the config and the platforms share. Each says in plain words what it does not take."""

import re
from collections.abc import Mapping
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, SecretStr

from bot.core.rights import EVERY_RIGHT, Right, Rights
from bot.core.texts import setting_values as texts


class Section(BaseModel):
    """A level of the file: nothing in it may change, and nothing unknown may stand in it."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def parse_people(value: object) -> tuple[int, ...] | Literal["*"]:
    if value in ("*", ["*"]):
        return "*"
    if isinstance(value, list | tuple) and all(type(person) is int for person in value):
        return tuple(value)
    raise ValueError(texts.NOT_PEOPLE)


def parse_rights(value: object) -> Rights:
    if value == "all":
        return EVERY_RIGHT
    known = list(map(str, Right))
    if isinstance(value, list | tuple | frozenset) and all(each in known for each in value):
        return frozenset(map(Right, value))
    raise ValueError(texts.NOT_RIGHTS(rights=", ".join(known)))


def check_person_keys(value: "Mapping[str, Rights]") -> "Mapping[str, Rights]":
    for key in value:
        if key != "*" and not re.fullmatch(r"-?[0-9]+", key):
            raise ValueError(texts.NOT_PEOPLE_OR_OTHERS)
    return value


def check_web_address(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(texts.NOT_A_WEB_ADDRESS)
    if parts.username or parts.password:
        raise ValueError(texts.PASSWORD_IN_ADDRESS)
    return url


def check_socket_address(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("ws", "wss") or not parts.hostname:
        raise ValueError(texts.NOT_A_SOCKET_ADDRESS)
    return url


Secret = Annotated[SecretStr, Field(min_length=1)]
WebAddress = Annotated[str, AfterValidator(check_web_address)]
SocketAddress = Annotated[str, AfterValidator(check_socket_address)]
GivenRights = Annotated[
    Rights,
    BeforeValidator(parse_rights, json_schema_input_type=Literal["all"] | list[Right]),
    PlainSerializer(lambda rights: sorted(rights), return_type=list[str]),
]
RightsByPerson = Annotated[dict[str, GivenRights], AfterValidator(check_person_keys)]
People = Annotated[tuple[int, ...] | Literal["*"], BeforeValidator(parse_people)]
