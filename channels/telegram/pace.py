"""How fast this channel may go: Telegram's limits as scopes of calls that are counted together."""

from bot.messages import Address
from channels.pacing import Pacing, Scope
from channels.telegram.timing import Rates


class Pace:
    """Two chats that are told to wait at the same time mean the whole bot: Telegram does not say which it means."""

    def __init__(self, rates: Rates) -> None:
        self.rates = rates
        self.pacing = Pacing()
        self._slowed: dict[str, Scope] = {}  # by chat: what was held up there

    async def wait(self, address: Address) -> None:
        """Until something that must be delivered may go there."""
        await self.pacing.pace(address.chat, [self.own(address), *self.shared(address)])

    def spend(self, address: Address, *, is_cosmetic: bool) -> None:
        own = [] if is_cosmetic else [self.own(address)]
        self.pacing.spend(address.chat, [*own, *self.shared(address)])

    def has_room(self, address: Address) -> bool:
        """Whether something cosmetic may go there."""
        return self.pacing.has_room(self.shared(address))

    def types(self, address: Address) -> bool:
        """Whether typing may be shown there, which is counted then. It costs the chat none of its messages."""
        typing = Scope(("typing", address), self.rates.typing)
        if self.pacing.is_held(self.burst(address)) or not self.pacing.has_room([typing, *self.all_chats()]):
            return False
        self.pacing.spend(typing.name, [typing, *self.all_chats()])
        return True

    def slow_down(self, address: Address, seconds: float) -> None:
        """Telegram has refused a call there, and asked to wait."""
        self._slowed = {chat: scope for chat, scope in self._slowed.items() if self.pacing.is_held(scope)}
        self._slowed[address.chat] = self.burst(address)
        self.pacing.hold(self.burst(address), seconds)
        if len(self._slowed) > 1:
            for scope in self.all_chats():
                self.pacing.hold(scope, seconds)

    def own(self, address: Address) -> Scope:
        """What must be delivered to one chat."""
        return Scope(("chat", address.chat), self.rates.chat)

    def shared(self, address: Address) -> list[Scope]:
        """All that goes to one chat, and all that goes to any."""
        in_group = [Scope(("group chat", address.chat), self.rates.group_chat)] if is_group(address) else []
        return [self.burst(address), *in_group, *self.all_chats()]

    def burst(self, address: Address) -> Scope:
        return Scope(("burst", address.chat), self.rates.burst)

    def all_chats(self) -> list[Scope]:
        return [Scope("bot", self.rates.bot), Scope("spread", self.rates.spread)]


def is_group(address: Address) -> bool:
    """Telegram numbers people upwards from one, and all other chats downwards."""
    return address.chat.startswith("-")
