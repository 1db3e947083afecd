"""Every setting: its name in config.json, its type, its default, and what is derived from it alone. Only the settings
of the channels are elsewhere, in `bot/config/settings.py`."""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from bot.core import setting_types as types
from bot.core.client_settings import ClientsByName
from bot.core.domains import DomainRules
from bot.core.limits import MAX_DELEGATION_ITERATIONS, UNLIMITED_COST, Limits
from bot.core.mcp_settings import McpSettings
from bot.core.prices import MILLION, Micros
from bot.core.prompt_prefix import Effort
from bot.core.settings_section import Section as Section
from bot.core.texts import setting_values as texts

FILE_PLACEHOLDER = "{file}"  # in `voice.command`: the path of the recording


class Price(Section):
    input: types.DollarsOrZero
    output: types.DollarsOrZero
    cache_read: types.DollarsOrZero | None = None


class FallbackSettings(Section):
    model: types.NonEmptyText | None = None
    api_key: types.Secret | None = None
    base_url: types.ModelAddress | None = None
    base_url_is_anthropic: bool = False


class ModelSettings(Section):
    api_key: types.Secret | None = None
    base_url: types.ModelAddress | None = None
    lead: types.NonEmptyText = "claude-sonnet-5-5"
    roles: types.NonEmptyText = "claude-haiku-5-5"
    effort: Effort = "medium"
    context_tokens: types.Count = 32_000
    base_url_is_anthropic: bool = False
    read_timeout_seconds: types.Count = 330
    max_output_tokens: types.Count = 32_000
    prices: dict[types.NonEmptyText, Price] = Field(default_factory=dict)
    fallback: FallbackSettings = FallbackSettings()


class PresetLimits(Section):
    """A missing value comes from the role file, or else from the section `swarm`."""

    iterations: types.CountWithoutUnderscores | None = None
    tokens: types.CountWithoutUnderscores | None = None
    seconds: types.CountWithoutUnderscores | None = None


class RolePreset(Section):
    """A role in the config. A missing value comes from the role file of that name."""

    system_prompt: str | None = None
    description: str | None = None
    tools: tuple[types.NonEmptyText, ...] | None = None
    model: types.NonEmptyText | None = None
    hosts: types.Hosts | None = None
    limits: PresetLimits = PresetLimits()
    delegates_to: tuple[types.NonEmptyText, ...] | None = None


class SwarmSettings(Section):
    enabled: bool = True
    max_depth: types.CountOrZero = 1
    max_concurrent: types.Count = 3
    max_running: types.Count = 12
    max_per_step: types.Count = 10
    max_iterations: types.Count = 20
    max_tokens: types.Count = 250_000
    max_tokens_cap: types.Count = 500_000
    timeout_seconds: types.Count = 1_200
    timeout_seconds_cap: types.Count = 1_800
    max_updates: types.CountOrZero = 5
    ask_above_usd: types.Dollars | None = None
    allow_adhoc: bool = True
    memory_writes: Literal["delegated", "shared"] = "delegated"
    roles_dir: types.FilePath = Path("roles")
    groups_dir: types.FilePath = Path("groups")
    max_group_delegations: types.Count = 3
    roles: Annotated[dict[str, RolePreset], AfterValidator(types.reject_names_differing_only_in_case)] = Field(
        default_factory=dict
    )

    @property
    def ask_above_micros(self) -> Micros | None:
        return None if self.ask_above_usd is None else micros_from_usd(self.ask_above_usd)

    @property
    def default_delegation_limits(self) -> Limits:
        """Return the default limits of a delegation. The turns above it limit its money."""
        return Limits(
            iterations=self.max_iterations, tokens=self.max_tokens, cost=UNLIMITED_COST, seconds=self.timeout_seconds
        )

    @property
    def highest_delegation_limits(self) -> Limits:
        """Return the highest limits of a delegation, even if its role or its call asks for more."""
        tokens, seconds = self.max_tokens_cap, self.timeout_seconds_cap
        return Limits(iterations=MAX_DELEGATION_ITERATIONS, tokens=tokens, cost=UNLIMITED_COST, seconds=seconds)


def micros_from_usd(dollars: float) -> Micros:
    return Micros(max(1, round(dollars * MILLION)))


class ApprovalSettings(Section):
    """When a person is asked whether a call may run, and for how long the call waits."""

    enabled: bool = True
    unattended: Literal["wait", "refuse"] = "wait"  # in runs of schedules and in the background
    timeout_minutes: types.Count = 60
    unattended_timeout_minutes: types.Count = 1_440


class LimitSettings(Section):
    turn_iterations: types.Count = 50
    turn_tokens: types.Count = 1_500_000
    turn_usd: types.Dollars = 1.0
    turn_seconds: types.Count = 1_800
    chat_day_usd: types.Dollars = 5.0
    day_usd: types.Dollars = 20.0
    person_day_percent: Annotated[int, Field(ge=1, le=100)] = 25
    owner_reserve_percent: Annotated[int, Field(ge=0, le=99)] = 20

    @property
    def turn_limits(self) -> Limits:
        steps, cost = self.turn_iterations, micros_from_usd(self.turn_usd)
        return Limits(iterations=steps, tokens=self.turn_tokens, cost=cost, seconds=self.turn_seconds)

    @property
    def chat_day_micros(self) -> Micros:
        return micros_from_usd(self.chat_day_usd)

    @property
    def day_micros(self) -> Micros:
        return micros_from_usd(self.day_usd)


class GroupChatSettings(Section):
    """How the bot takes part in group chats. A chat's own mode is set there, by `/mode`."""

    follow_ups: bool = True
    talk_messages: Annotated[int, Field(ge=0, le=200)] = 50
    keep_talk_hours: Annotated[float, Field(ge=0, le=24)] = 0


class FileSettings(Section):
    """Files that people send."""

    max_megabytes: types.Count = 50
    chat_megabytes: types.Count = 200

    @property
    def max_bytes(self) -> int:
        return self.max_megabytes * 2**20

    @property
    def chat_bytes(self) -> int:
        return self.chat_megabytes * 2**20


class MetricSettings(Section):
    """Where metrics are served. Without a port and a socket, nothing is served."""

    host: types.NonEmptyText = "127.0.0.1"
    port: types.Port | None = None
    socket: types.FilePath | None = None

    @model_validator(mode="after")
    def reject_port_and_socket(self) -> Self:
        if self.port is not None and self.socket is not None:
            raise ValueError(texts.PORT_AND_SOCKET)
        return self


class ScheduleSettings(Section):
    per_person: types.Count = 20
    shortest_minutes: types.Count = 15
    run_usd: types.Dollars = 0.25
    day_usd: types.Dollars = 1.0


class ShellSettings(Section):
    """Commands that roles run in a sandbox, with the tool `shell`. The limits are for one command."""

    enabled: bool = False
    max_seconds: types.Count = 300
    max_processes: types.Count = 256
    memory_megabytes: types.Count = 1_024
    disk_megabytes: types.Count = 1_024
    programs: tuple[types.FilePath, ...] = ()
    hosts: types.Hosts = ()


class VoiceSettings(Section):
    """What turns speech into text: a server or a command. Without either, nobody does."""

    base_url: types.WebAddress | None = None
    api_key: types.Secret | None = None
    model: types.NonEmptyText = "whisper-1"
    usd_per_minute: types.DollarsOrZero = 0.006
    command: tuple[types.NonEmptyText, ...] | None = None
    timeout_seconds: types.Count = 120

    @property
    def is_set(self) -> bool:
        return self.command is not None or self.base_url is not None

    @property
    def micros_per_minute(self) -> Micros:
        return Micros(round(self.usd_per_minute * MILLION))

    @model_validator(mode="after")
    def reject_unclear_choice(self) -> Self:
        if self.command is not None and self.base_url is not None:
            raise ValueError(texts.SERVER_AND_COMMAND)
        if self.command is not None and not any(FILE_PLACEHOLDER in word for word in self.command[1:]):
            raise ValueError(texts.NO_PLACE_FOR_FILE(placeholder=FILE_PLACEHOLDER))
        return self


class WebSettings(Section):
    """The tools `web_search` and `web_fetch`: where they run, and which sites they may reach."""

    enabled: bool = True
    run_here: Literal["if_needed", "always", "never"] = "if_needed"
    provider: Literal["brave", "searxng", "tavily"] | None = None
    base_url: types.WebAddress | None = None
    api_key: types.Secret | None = None
    allowed_domains: types.Domains = ()
    blocked_domains: types.Domains = ()

    @property
    def domains(self) -> DomainRules:
        return DomainRules(allowed=self.allowed_domains, blocked=self.blocked_domains)

    @model_validator(mode="after")
    def reject_two_lists(self) -> Self:
        if self.allowed_domains and self.blocked_domains:
            raise ValueError(texts.ALLOWED_AND_BLOCKED)
        return self


class WebPageSettings(Section):
    """Where the page in a browser is served, by which addresses it may be called, and whether `run` serves it."""

    enabled: bool = False
    host: types.NonEmptyText = "127.0.0.1"
    port: types.Port = 8700
    public_address: types.WebAddress | None = None

    @property
    def origins(self) -> tuple[str, ...]:
        """Return the addresses by which a browser may call the page, with scheme and port; the first is told."""
        public = [self.public_address.rstrip("/")] if self.public_address else []
        names = ["127.0.0.1", "localhost", "[::1]"]
        return (*public, *(f"http://{name}:{self.port}" for name in names))


class NetworkSettings(Section):
    proxy: types.ProxyAddress | None = None
    ca_file: types.FilePath | None = None
    proxy_resolves_names: bool = False


class Settings(Section):
    """The settings of one tenant, except those of its channels."""

    schema_: str | None = Field(default=None, alias="$schema", exclude=True)
    model: ModelSettings = ModelSettings()
    swarm: SwarmSettings = SwarmSettings()
    limits: LimitSettings = LimitSettings()
    approvals: ApprovalSettings = ApprovalSettings()
    web: WebSettings = WebSettings()
    files: FileSettings = FileSettings()
    busy: Literal["steer", "queue"] = "steer"
    keep_days: types.Days = 30
    long_answer_parts: types.Count = 3
    send_to_other_chats: bool = False
    language: types.NonEmptyText = "en"
    languages_dir: types.FilePath = Path("languages")
    skills_dir: types.FilePath = Path("skills")
    trusted_skills: tuple[types.NonEmptyText, ...] = ()
    tools_dir: types.FilePath | None = None
    tool_packages: tuple[types.NonEmptyText, ...] = ()
    tools_must_load: bool = False
    search_languages: types.SearchLanguages = ("english", "german")
    data_dir: types.FilePath = Path("data")
    workspace: types.FilePath = Path("workspace")
    time_zone: types.TimeZone | None = None
    secrets_dir: types.FilePath | None = None
    logs: Literal["lines", "json"] = "lines"
    metrics: MetricSettings = MetricSettings()
    schedules: ScheduleSettings = ScheduleSettings()
    shell: ShellSettings = ShellSettings()
    voice: VoiceSettings = VoiceSettings()
    web_page: WebPageSettings = WebPageSettings()
    network: NetworkSettings = NetworkSettings()
    group_chats: GroupChatSettings = GroupChatSettings()
    mcp: McpSettings = McpSettings()
    clients: ClientsByName = Field(default_factory=dict)
