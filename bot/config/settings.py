"""Every key of config.json: its name, its type and its default."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, model_validator

from bot.config import texts
from bot.config.addresses import check_proxy_address, strip_api_version
from bot.config.channel_sections import Channels
from bot.core.setting_types import Secret, Section, WebAddress

Effort = Literal["low", "medium", "high", "xhigh", "max"]
Count = Annotated[int, Field(ge=1, le=10**9)]  # no end in practice, and whatever is reckoned from it fits a row
CountOrNone = Annotated[int, Field(ge=0, le=10**9)]
Days = Annotated[int, Field(ge=0, le=100_000)]  # further back there is no date
Name = Annotated[str, Field(min_length=1)]
Port = Annotated[int, Field(ge=1, le=65_535)]
Dollars = Annotated[float, Field(gt=0, le=10**9, allow_inf_nan=False)]
DollarsOrNone = Annotated[float, Field(ge=0, le=10**9, allow_inf_nan=False)]


def expand_path(path: Path) -> Path:
    if "\0" in str(path):
        raise ValueError(texts.NULL_CHARACTER)
    try:
        return path.expanduser()
    except RuntimeError:
        raise ValueError(texts.NO_SUCH_HOME) from None


def check_time_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError):  # not found is a KeyError; a folder of zones, such as "Europe", an OSError
        raise ValueError(texts.NO_TIME_ZONE) from None
    return name


def reject_underscores(value: object) -> object:
    """A role file's numbers are texts, of which Python reads more than YAML does: 50_000."""
    if isinstance(value, str) and "_" in value:
        raise ValueError(texts.MUST_BE_WHOLE)
    return value


def reject_case_duplicates(roles: "Mapping[str, Preset]") -> "Mapping[str, Preset]":
    """Reject roles whose names differ only in case: lookups ignore case."""
    for name in roles:
        if any(name != other and name.casefold() == other.casefold() for other in roles):
            raise ValueError(texts.ROLES_ALIKE)
    return roles


Figure = Annotated[Count, BeforeValidator(reject_underscores)]
ProxyAddress = Annotated[Secret, AfterValidator(check_proxy_address)]
FilePath = Annotated[Path, AfterValidator(expand_path)]
TimeZone = Annotated[str, AfterValidator(check_time_zone)]
ModelAddress = Annotated[WebAddress, AfterValidator(strip_api_version)]


class Price(Section):
    """What a model costs, in dollars per million tokens."""

    input: DollarsOrNone
    output: DollarsOrNone
    cache_read: DollarsOrNone | None = None


class FallbackSettings(Section):
    model: Name | None = None
    api_key: Secret | None = None
    base_url: ModelAddress | None = None
    base_url_is_anthropic: bool = False


class ModelSettings(Section):
    api_key: Secret | None = None
    base_url: ModelAddress | None = None
    lead: Name = "claude-sonnet-5-5"
    roles: Name = "claude-haiku-5-5"
    effort: Effort = "medium"
    context_tokens: Count = 32_000
    base_url_is_anthropic: bool = False
    read_timeout_seconds: Count = 300
    max_output_tokens: Count = 32_000
    prices: dict[Name, Price] = Field(default={})
    fallback: FallbackSettings = FallbackSettings()


class PresetLimits(Section):
    """What is left out is the role file's, or else the swarm's."""

    iterations: Figure | None = None
    tokens: Figure | None = None
    seconds: Figure | None = None


class Preset(Section):
    """A role of the operator's. What is left out is taken from the role file of that name."""

    system_prompt: str | None = None
    description: str | None = None
    tools: tuple[Name, ...] | None = None
    model: Name | None = None
    limits: PresetLimits = PresetLimits()
    delegates_to: tuple[Name, ...] | None = None


class SwarmSettings(Section):
    enabled: bool = True
    max_depth: CountOrNone = 1
    max_concurrent: Count = 3
    max_running: Count = 12
    max_per_step: Count = 10
    max_iterations: Count = 20
    max_tokens: Count = 250_000
    max_tokens_cap: Count = 500_000
    timeout_seconds: Count = 1_200
    timeout_seconds_cap: Count = 1_800
    max_updates: CountOrNone = 5
    allow_adhoc: bool = True
    memory_writes: Literal["delegated", "shared"] = "delegated"
    roles_dir: FilePath = Path("roles")
    groups_dir: FilePath = Path("groups")
    max_group_delegations: Count = 3
    roles: Annotated[dict[str, Preset], AfterValidator(reject_case_duplicates)] = Field(default={})


class LimitSettings(Section):
    turn_iterations: Count = 50
    turn_tokens: Count = 1_500_000
    turn_usd: Dollars = 1.0
    turn_seconds: Count = 1_800
    chat_day_usd: Dollars = 5.0
    day_usd: Dollars = 20.0
    person_day_percent: Annotated[int, Field(ge=1, le=100)] = 25
    owner_reserve_percent: Annotated[int, Field(ge=0, le=99)] = 20


class MetricSettings(Section):
    """Neither a port nor a socket: nothing is served."""

    host: Name = "127.0.0.1"
    port: Port | None = None
    socket: FilePath | None = None

    @model_validator(mode="after")
    def reject_port_and_socket(self) -> Self:
        if self.port is not None and self.socket is not None:
            raise ValueError(texts.PORT_AND_SOCKET)
        return self


class NetworkSettings(Section):
    proxy: ProxyAddress | None = None
    ca_file: FilePath | None = None


class Config(Section):
    """The settings of one tenant. `load` gives one whose paths are absolute."""

    schema_: str | None = Field(default=None, alias="$schema", exclude=True)
    model: ModelSettings = ModelSettings()
    swarm: SwarmSettings = SwarmSettings()
    limits: LimitSettings = LimitSettings()
    web: bool = True
    busy: Literal["steer", "queue"] = "steer"
    keep_days: Days = 30
    data_dir: FilePath = Path("data")
    workspace: FilePath = Path("workspace")
    time_zone: TimeZone | None = None
    secrets_dir: FilePath | None = None
    logs: Literal["lines", "json"] = "lines"
    metrics: MetricSettings = MetricSettings()
    network: NetworkSettings = NetworkSettings()
    channels: Channels = Channels()


NAMED_SECTIONS = {"swarm.roles": Preset, "model.prices": Price}  # objects whose keys the operator names


def list_setting_keys(section: type[BaseModel] = Config, above: str = "", role: str = "NAME") -> Iterator[str]:
    """Return every dotted key, including sections; `role` stands for the names that the operator chooses."""
    for name, field in section.model_fields.items():
        key = f"{above}{field.alias or name}"
        yield key
        below: Any = field.annotation
        if key in NAMED_SECTIONS:
            key, below = f"{key}.{role}", NAMED_SECTIONS[key]
            yield key
        if isinstance(below, type) and issubclass(below, BaseModel):
            yield from list_setting_keys(below, f"{key}.", role)
