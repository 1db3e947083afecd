"""What clients may do, as plain functions: a front such as `retinue mcp` only translates. Rows hold everything, so a
client that goes away leaves its delegation running, and so does a process that dies."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import replace

from bot.core.clients import ClientDelegation, DelegationOrder
from bot.core.exits import Cleaner, current_exit_rules
from bot.core.limits import GetCurrentTerms
from bot.core.role import Role
from bot.core.turn import TurnId
from bot.engine.client_channel import ClientChannel
from bot.journal import client_delegations as journal
from bot.journal.openings import RoleResolver
from bot.store import Store, turns


class ClientDelegations:
    """Each call names the client, and raises DelegationRefused if that may not have what it asks for."""

    def __init__(self, store: Store, resolver: RoleResolver, terms: GetCurrentTerms) -> None:
        self.store = store
        self.resolver = resolver
        self.terms = terms
        self.channel = ClientChannel()

    async def list_roles(self, client: str) -> Sequence[Role]:
        return await self.store.read(journal.list_roles_for_client, client, self.resolver, self.terms())

    async def begin(self, order: DelegationOrder) -> TurnId:
        return await self.store.write(journal.begin_delegation, order, self.resolver, self.terms())

    async def list_all(self, client: str) -> Sequence[ClientDelegation]:
        return [clean(each) for each in await self.store.read(journal.list_client_delegations, client, self.terms())]

    async def find(self, client: str, id: str) -> ClientDelegation:
        return clean(await self.store.read(journal.load_client_delegation, client, id, self.terms()))

    async def cancel(self, client: str, id: str) -> None:
        await self.store.write(journal.cancel_delegation, client, id, self.terms())

    async def follow(self, client: str, id: str) -> AsyncIterator[str]:
        """Yield what is said about a delegation until it has ended; an empty text if nothing is said for a while."""
        found = await self.find(client, id)
        address = (await self.store.read(turns.get_turn, found.id)).address
        with self.channel.listen(address) as heard:
            while (await self.find(client, id)).is_running:
                text = ""
                with suppress(TimeoutError):
                    async with asyncio.timeout(self.terms().timings.client_heartbeat_seconds):
                        text = await heard.get()
                yield text  # outside of the timeout: who reads it may take its time


def clean(found: ClientDelegation) -> ClientDelegation:
    """Return a delegation as it may leave: without secrets of the settings. The reply that it has posted reports them,
    so the operator is told once."""
    clean_text = Cleaner(current_exit_rules()).clean
    return replace(
        found,
        role=clean_text(found.role),
        task=clean_text(found.task),
        result=clean_text(found.result),
        reason=clean_text(found.reason),
        below=tuple(map(clean, found.below)),
    )
