"""What a chat platform declares about itself. Each folder in `channels/` has a `platform.py` with one `Platform`.
`channels/registry.py` lists them, and the settings, the addresses of groups, `retinue doctor`, `retinue setup` and the
start of the bot ask it. So a `platform.py` imports the platform's library and the channel only in its functions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from pydantic import Field

from bot.core.setting_types import AllowedPeople, RightsByPerson, Secret
from bot.core.settings import Section

if TYPE_CHECKING:  # every command that reads the settings imports this module
    from bot.core.channel import Channel, GetRolePicture
    from bot.core.command_menus import CommandMenu
    from bot.core.findings import CheckFinding
    from bot.core.network import NetworkAccess


class ChannelSettings(Section):
    """The settings that every platform has in its section of the config. A platform adds its own."""

    enabled: bool = False
    token: Secret | None = None
    allow_from: AllowedPeople = ()
    people: RightsByPerson = Field(default={})
    owner: int | None = None
    reactions: bool = True

    @property
    def allowed_roles(self) -> tuple[int, ...]:
        """Return the ids of the server roles that let people speak in their server, on a platform with such roles."""
        return ()


SettingsType = TypeVar("SettingsType", bound=ChannelSettings)
ChatCommand = tuple[str, str]  # the name of a command in chats, without the slash, and what it is for


@dataclass(frozen=True, slots=True, kw_only=True)
class BotAccountConfig(Generic[SettingsType]):
    token: str = field(repr=False)
    settings: SettingsType
    network: NetworkAccess
    get_picture: GetRolePicture = lambda role: b""
    menus: Sequence[
        CommandMenu
    ] = ()  # the first is for everybody whose language has none: it has the channel's commands


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressForm:
    """How operators write where a group lives: `PLATFORM:CHAT`, or `PLATFORM:CHAT:THREAD` with a thread's number."""

    chat_pattern: str  # a pattern for the whole of CHAT, in ASCII
    example: str  # the end of a sentence that begins with "write it as"
    has_threads: Callable[[str], bool] = lambda chat: True


class SetupInterview(Protocol):
    """How a platform's setup talks to the operator who runs `retinue setup`. Each text is one line."""

    def say(self, text: str) -> None: ...

    def ask_yes_or_no(self, question: str, *, usual: bool) -> bool:
        """Return the answer; `usual` if it is empty."""

    def describe_receiving_process(self) -> str:
        """Return a line that names the process that already receives the platform's messages; empty if none does."""


class PlatformSetup(ABC, Generic[SettingsType]):
    """A platform's part of `retinue setup`. One is made for each run; its methods are called in the order below."""

    token_instructions: ClassVar[str]  # how to make a bot and its token
    token_question: ClassVar[str]

    def __init__(self, interview: SetupInterview) -> None:
        self.interview = interview

    def extract_token(self, answer: str) -> str:
        """Return the token in the pasted text; the whole text if it contains none."""
        return answer

    @abstractmethod
    async def sign_in_and_describe_bot(self, account: BotAccountConfig[SettingsType]) -> str:
        """Return a line that says whose token it is. Raise ConfigError if it is refused, OSError without an answer."""

    def offer_to_fix_missing_messages(self, account: BotAccountConfig[SettingsType]) -> None:
        """Say why the bot receives no messages; fix it if the operator agrees. Raise as `sign_in_and_describe_bot`."""

    def find_and_confirm_owner_id(self, account: BotAccountConfig[SettingsType]) -> int | None:
        """Return the owner's id if the platform can find it and the operator agrees. None: setup asks for it."""
        return None

    def list_next_steps(self, account: BotAccountConfig[SettingsType]) -> Iterable[str]:
        return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform(Generic[SettingsType]):
    name: str  # the name of its folder, its section in the config, and its channel
    title: str  # the name that people know
    settings_type: type[SettingsType]
    token_variable: str  # the environment variable that other programs read the token from too
    address_form: AddressForm
    bot_id_of_token: Callable[[str], str]  # the id of the token's bot; raises ConfigError if it is no token
    make_channel: Callable[[BotAccountConfig[SettingsType], Sequence[ChatCommand]], Channel]
    # For doctor; raises as `PlatformSetup.sign_in_and_describe_bot`.
    doctor_findings: Callable[[BotAccountConfig[SettingsType]], Awaitable[list[CheckFinding]]]
    make_setup: Callable[[SetupInterview], PlatformSetup[SettingsType]]
    # Returns a link that opens the private chat with the bot and hands over a word; raises as `doctor_findings`.
    invitation_link: Callable[[BotAccountConfig[SettingsType], str], Coroutine[Any, Any, str]] | None = None
    owner_private_chat: Callable[[int], str] = str  # the private chat of the bot and its owner, by the owner's id
    allow_from_id_of_chat: Callable[[str], int | None] = int  # the id in `allow_from` that opens a chat; None: unknown
    role_secrets: tuple[str, ...] = ()  # its settings with a secret for each role, by the role's name
    slow_libraries: tuple[str, ...] = ()  # libraries that are slow to import and write much into the log
    official_names: tuple[str, ...] = ()  # names, in lower case, that people take for the platform's own

    @property
    def token_file_name(self) -> str:
        return f"channels__{self.name}__token"


AnyPlatform = Platform[Any]
