"""What a chat platform declares of itself.

Each folder in `channels/` has a `platform.py` with one `Platform`. `channels/registry.py` lists them, and the settings,
the addresses of groups, `retinue doctor`, `retinue setup` and the start of the bot ask it. So a `platform.py` imports
neither the platform's library nor the channel: its functions do, when they are called.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from pydantic import Field

from bot.core.setting_types import People, RightsByPerson, Secret
from bot.core.settings import Section

if TYPE_CHECKING:  # every command that reads the settings imports this module
    from bot.core.channel import Channel
    from bot.core.findings import CheckFinding
    from bot.core.network import Network


class ChannelSettings(Section):
    """What every platform has in its section of the config. A platform's own settings come after these."""

    enabled: bool = False
    token: Secret | None = None
    allow_from: People = ()
    people: RightsByPerson = Field(default={})
    owner: int | None = None


S = TypeVar("S", bound=ChannelSettings)
Command = tuple[str, str]  # the name of a command in chats, without the slash, and what it is for


@dataclass(frozen=True, slots=True, kw_only=True)
class BotAccount(Generic[S]):
    """What a bot signs in to its platform with."""

    token: str = field(repr=False)
    settings: S
    network: Network


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressForm:
    """How operators write where a group lives: `PLATFORM:CHAT`, or `PLATFORM:CHAT:THREAD` with a thread's number."""

    chat_pattern: str  # matches the whole of CHAT, in ASCII
    example: str  # a sentence's end, after "write it as"
    has_threads: Callable[[str], bool] = lambda chat: True


class Interview(Protocol):
    """The person who runs `retinue setup`, as a platform's part of it sees them. Each text is one line."""

    def say(self, text: str) -> None: ...

    def ask_yes_or_no(self, question: str, *, usual: bool) -> bool:
        """Return the answer, or `usual` if nothing is answered."""
        ...

    def name_message_taker(self) -> str:
        """Return a line that names the running process that takes the platform's messages; empty if none does."""
        ...


class PlatformSetup(ABC, Generic[S]):
    """A platform's part of `retinue setup`. One is made for each run; its methods are called in the order below."""

    about_token: ClassVar[str]  # where a bot and its token are made
    token_question: ClassVar[str]

    def __init__(self, interview: Interview) -> None:
        self.interview = interview

    def extract_token(self, answer: str) -> str:
        """Return the token in what was pasted, or the whole text if there is none."""
        return answer

    @abstractmethod
    async def sign_in(self, account: BotAccount[S]) -> str:
        """Return the line that says whose token it is.

        Raise ConfigError if the platform refuses the token, OSError if it cannot be asked.
        """

    def offer_repairs(self, account: BotAccount[S]) -> None:
        """Say what keeps the bot from being heard, and mend it if the operator agrees. Raise as `sign_in` does."""

    def find_owner(self, account: BotAccount[S]) -> int | None:
        """Return the owner's id if the platform can tell it and the operator agrees, else None: the id is asked for."""
        return None

    def list_next_steps(self, account: BotAccount[S]) -> Iterable[str]:
        """Return what is left to do on the platform."""
        return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform(Generic[S]):
    """A platform that Retinue can answer on."""

    name: str  # of its folder, of its section in the config, and of the channel in addresses
    title: str  # as people call it
    settings: type[S]
    token_variable: str  # the environment variable that other programs read the token from too
    address: AddressForm
    bot_id: Callable[[str], str]  # the bot that a token belongs to; raises ConfigError if it is no token
    make_channel: Callable[[BotAccount[S], Sequence[Command]], Channel]
    check: Callable[[BotAccount[S]], Awaitable[list[CheckFinding]]]  # for doctor; raises as `PlatformSetup.sign_in`
    make_setup: Callable[[Interview], PlatformSetup[S]]
    owner_chat: Callable[[int], str] = str  # the chat where the bot writes to its owner in private, by the owner's id
    id_to_allow: Callable[[str], int | None] = int  # what lets people speak in a chat; None if the chat does not tell
    libraries: tuple[str, ...] = ()  # what it imports: slow to import, and talkative in the log
    official_names: tuple[str, ...] = ()  # names, in lower case, that people take for the platform's own

    @property
    def token_file(self) -> str:
        """Return the name of the file in the secrets folder that holds the token."""
        return f"channels__{self.name}__token"


AnyPlatform = Platform[Any]
