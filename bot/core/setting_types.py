"""The types of the settings' values: what each accepts, and how it is converted."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, TypeVar
from urllib.parse import urlsplit, urlunsplit
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BeforeValidator, Field, PlainSerializer, SecretStr, ValidationInfo

from bot.core.domains import normalize_domain
from bot.core.named_hosts import EVERY_HOST, parse_named_host
from bot.core.rights import EVERY_RIGHT, Right, Rights
from bot.core.texts import MAX_NAME_CHARACTERS, escape_unprintable
from bot.core.texts import setting_values as texts

T = TypeVar("T")

MAX_NAMED_HOSTS = 100  # of one list

# Those whose word stems Snowball knows
SEARCH_LANGUAGES = (
    *("arabic", "armenian", "basque", "catalan", "czech", "danish", "dutch", "english", "esperanto", "estonian"),
    *("finnish", "french", "german", "greek", "hindi", "hungarian", "indonesian", "irish", "italian", "lithuanian"),
    *("nepali", "norwegian", "persian", "polish", "portuguese", "romanian", "russian", "serbian", "sesotho", "spanish"),
    *("swedish", "tamil", "turkish", "yiddish"),
)

Count = Annotated[int, Field(ge=1, le=10**9)]  # high enough for all uses; all results fit a row
CountOrZero = Annotated[int, Field(ge=0, le=10**9)]
Days = Annotated[int, Field(ge=0, le=100_000)]  # dates do not go back further
NonEmptyText = Annotated[str, Field(min_length=1)]
Secret = Annotated[SecretStr, Field(min_length=1)]
Port = Annotated[int, Field(ge=1, le=65_535)]
Dollars = Annotated[float, Field(gt=0, le=10**9, allow_inf_nan=False)]
DollarsOrZero = Annotated[float, Field(ge=0, le=10**9, allow_inf_nan=False)]


def expand_home_in_path(path: Path) -> Path:
    if "\0" in str(path):
        raise ValueError(texts.NULL_CHARACTER)
    try:
        return path.expanduser()
    except RuntimeError:
        raise ValueError(texts.NO_SUCH_HOME) from None


def resolve_path_from_anchor(path: Path, info: ValidationInfo) -> Path:
    """Return the path, relative to the context's `anchor` if there is one."""
    return Path(info.context["anchor"] if info.context else "", expand_home_in_path(path))


def validate_time_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError):  # not found is a KeyError; a folder of zones, such as "Europe", an OSError
        raise ValueError(texts.NO_TIME_ZONE) from None
    return name


def validate_search_languages(names: tuple[str, ...]) -> tuple[str, ...]:
    if unknown := [name for name in names if name not in SEARCH_LANGUAGES]:
        raise ValueError(texts.NOT_SEARCH_LANGUAGES(names=", ".join(unknown), known=", ".join(SEARCH_LANGUAGES)))
    return tuple(dict.fromkeys(names))


def parse_allowed_people(value: object) -> tuple[int, ...] | Literal["*"]:
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


def validate_person_keys(value: Mapping[str, Rights]) -> Mapping[str, Rights]:
    for key in value:
        if key != "*" and not re.fullmatch(r"-?[0-9]+", key):
            raise ValueError(texts.NOT_PEOPLE_OR_OTHERS)
    return value


def reject_names_differing_only_in_case(by_role: Mapping[str, T]) -> Mapping[str, T]:
    for name in by_role:
        if any(name != other and name.casefold() == other.casefold() for other in by_role):
            raise ValueError(texts.ROLES_ALIKE)
    return by_role


def reject_underscores(value: object) -> object:
    """Raise ValueError for `50_000`: numbers in role files are texts, and Python would accept the underscore."""
    if isinstance(value, str) and "_" in value:
        raise ValueError(texts.MUST_BE_WHOLE)
    return value


def validate_web_address(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(texts.NOT_A_WEB_ADDRESS)
    if parts.username or parts.password:
        raise ValueError(texts.PASSWORD_IN_ADDRESS)
    return url


def validate_domains(names: tuple[str, ...]) -> tuple[str, ...]:
    found = []
    for name in names:
        try:
            found.append(normalize_domain(name))
        except ValueError:
            raise ValueError(texts.NOT_A_DOMAIN(name=escape_unprintable(name, MAX_NAME_CHARACTERS))) from None
    return tuple(dict.fromkeys(found))


def validate_named_hosts(names: tuple[str, ...]) -> tuple[str, ...]:
    found = []
    for name in names:
        try:
            found.append(str(parse_named_host(name)))
        except ValueError:
            raise ValueError(texts.NOT_A_NAMED_HOST(name=escape_unprintable(name, MAX_NAME_CHARACTERS))) from None
    return tuple(dict.fromkeys(found))


def validate_named_hosts_or_every_host(names: tuple[str, ...]) -> tuple[str, ...]:
    return names if names == (EVERY_HOST,) else validate_named_hosts(names)


def strip_api_version(url: str) -> str:
    """Return the address without the API version: the SDK adds it, but other clients want `/v1` at the end."""
    parts = urlsplit(url)
    above, _, last = parts.path.rstrip("/").rpartition("/")
    return urlunsplit(parts._replace(path=above)) if last == "v1" else url


def validate_websocket_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("ws", "wss") or not parts.hostname:
        raise ValueError(texts.NOT_A_SOCKET_ADDRESS)
    return url


def validate_proxy_address(url: SecretStr) -> SecretStr:
    parts = urlsplit(url.get_secret_value())
    try:
        is_whole = parts.scheme in ("http", "https") and parts.hostname and parts.port
    except ValueError:
        is_whole = False
    if not is_whole:
        raise ValueError(texts.NOT_A_PROXY)
    return url


CountWithoutUnderscores = Annotated[Count, BeforeValidator(reject_underscores)]
ProxyAddress = Annotated[Secret, AfterValidator(validate_proxy_address)]
FilePath = Annotated[Path, AfterValidator(resolve_path_from_anchor)]
TimeZone = Annotated[str, AfterValidator(validate_time_zone)]
SearchLanguages = Annotated[tuple[str, ...], AfterValidator(validate_search_languages)]
WebAddress = Annotated[str, AfterValidator(validate_web_address)]
Domains = Annotated[tuple[str, ...], AfterValidator(validate_domains)]
Hosts = Annotated[tuple[str, ...], Field(max_length=MAX_NAMED_HOSTS), AfterValidator(validate_named_hosts)]
HostsOrEvery = Annotated[
    tuple[str, ...], Field(max_length=MAX_NAMED_HOSTS), AfterValidator(validate_named_hosts_or_every_host)
]
ModelAddress = Annotated[WebAddress, AfterValidator(strip_api_version)]
WebSocketUrl = Annotated[str, AfterValidator(validate_websocket_url)]
RightsSetting = Annotated[
    Rights,
    BeforeValidator(parse_rights, json_schema_input_type=Literal["all"] | list[Right]),
    PlainSerializer(lambda rights: sorted(rights), return_type=list[str]),
]
RightsByPerson = Annotated[dict[str, RightsSetting], AfterValidator(validate_person_keys)]
AllowedPeople = Annotated[tuple[int, ...] | Literal["*"], BeforeValidator(parse_allowed_people)]
