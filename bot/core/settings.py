"""Every setting: its name in config.json, its type, its default, and what is derived from it alone.

Only the settings of the channels are elsewhere, in `bot/config/settings.py`.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from bot.core.limits import MOST_ITERATIONS, UNLIMITED_COST, Limits
from bot.core.prices import MILLION, Micros
from bot.core.setting_types import (
    Count,
    CountOrNone,
    Days,
    Dollars,
    DollarsOrNone,
    Effort,
    Figure,
    FilePath,
    ModelAddress,
    Name,
    Port,
    ProxyAddress,
    Secret,
    TimeZone,
)
from bot.core.texts import setting_values as texts


class Section(BaseModel):
    """A level of the file: nothing in it may change, and nothing unknown may stand in it."""

    model_config = ConfigDict(frozen=True, extra="forbid")


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
    prices: dict[Name, Price] = {}
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


def reject_case_duplicates(roles: Mapping[str, Preset]) -> Mapping[str, Preset]:
    """Reject roles whose names differ only in case: lookups ignore case."""
    for name in roles:
        if any(name != other and name.casefold() == other.casefold() for other in roles):
            raise ValueError(texts.ROLES_ALIKE)
    return roles


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
    roles: Annotated[dict[str, Preset], AfterValidator(reject_case_duplicates)] = {}

    @property
    def delegation(self) -> Limits:
        """What a delegation may use if its role says nothing else. The turns above it limit its money."""
        return Limits(
            iterations=self.max_iterations, tokens=self.max_tokens, cost=UNLIMITED_COST, seconds=self.timeout_seconds
        )

    @property
    def delegation_cap(self) -> Limits:
        """What a delegation may use at most, even if its role or its call says more."""
        return Limits(
            iterations=MOST_ITERATIONS,
            tokens=self.max_tokens_cap,
            cost=UNLIMITED_COST,
            seconds=self.timeout_seconds_cap,
        )


def micros_from_usd(dollars: float) -> Micros:
    return Micros(max(1, round(dollars * MILLION)))


class LimitSettings(Section):
    turn_iterations: Count = 50
    turn_tokens: Count = 1_500_000
    turn_usd: Dollars = 1.0
    turn_seconds: Count = 1_800
    chat_day_usd: Dollars = 5.0
    day_usd: Dollars = 20.0
    person_day_percent: Annotated[int, Field(ge=1, le=100)] = 25
    owner_reserve_percent: Annotated[int, Field(ge=0, le=99)] = 20

    @property
    def turn(self) -> Limits:
        """What a turn may use, with everything it delegates."""
        return Limits(
            iterations=self.turn_iterations,
            tokens=self.turn_tokens,
            cost=micros_from_usd(self.turn_usd),
            seconds=self.turn_seconds,
        )

    @property
    def chat_day(self) -> Micros:
        return micros_from_usd(self.chat_day_usd)

    @property
    def day(self) -> Micros:
        return micros_from_usd(self.day_usd)


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


class Settings(Section):
    """The settings of one tenant, except those of its channels. The engine goes by them."""

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
