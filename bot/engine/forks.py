"""Try turns again in conversations of the owner's own, as a plain function: the page and a command only translate."""

from bot.core.forks import ForkOrder
from bot.core.limits import GetCurrentTerms
from bot.core.messages import Address, Sender
from bot.journal import forks as journal
from bot.journal.forks import Fork, OwnPlace
from bot.journal.openings import RoleResolver
from bot.store import Store


class Forks:
    """What begins forks."""

    def __init__(self, store: Store, resolver: RoleResolver, terms: GetCurrentTerms) -> None:
        self.store = store
        self.resolver = resolver
        self.terms = terms

    async def begin(self, order: ForkOrder, chat: Address, owner: Sender) -> Fork:
        """Begin a conversation in a chat of the owner's. When this returns, it is durable. Raise ForkRefused if it
        cannot begin."""
        return await self.store.write(journal.begin_fork, order, OwnPlace(chat, owner), self.resolver, self.terms())
