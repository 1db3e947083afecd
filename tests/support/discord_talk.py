"""The bot on Discord, in a town where people talk with it, end to end over sockets."""

import asyncio
from contextlib import AbstractAsyncContextManager
from typing import Any

from bot.core.access import Access
from bot.core.messages import PersonId
from bot.core.rights import EVERY_RIGHT
from tests.stand_ins.discord import Channel, Fault, Person
from tests.support.bench import Bench
from tests.support.discord_channel import Town, channel_of, private
from tests.support.engine_options import engine_options
from tests.support.patience import PATIENCE

QUICK = engine_options(draft_delay_seconds=0.05, draft_edit_seconds=(0.05,), delivery_retry_seconds=0.01)
FAULTS = [
    (Fault.RESET_BEFORE,),
    (Fault.RESET_AFTER, Fault.RESET_AFTER),
    (Fault.CLOSED_AFTER,),
    (Fault.HALF_ANSWER,),
    (Fault.NOT_JSON,),
    (Fault.UNAVAILABLE, Fault.UNAVAILABLE, Fault.UNAVAILABLE),
    (Fault.BAD_GATEWAY_AFTER,),
    (Fault.INTERNAL_ERROR,),
    (Fault.GATEWAY_TIMEOUT,),
    (Fault.BLACK_HOLE_BEFORE,),
    (Fault.BLACK_HOLE_AFTER,),
]


class Talk:
    """The bot in the town: Ann owns it, and at home everybody may speak."""

    def __init__(self, bench: Bench, town: Town) -> None:
        self.bench = bench
        self.town = town
        home = frozenset({str(town.home.id)})
        owner = PersonId(str(town.ann.id))
        self.access = {
            "discord": Access(
                owner_id=owner, owner_address=private(town.ann), allowed_ids=home, others_rights=EVERY_RIGHT
            )
        }

    def run(self, options: dict[str, Any] | None = None, **own: Any) -> AbstractAsyncContextManager[object]:
        self.bench.chat = channel_of(self.town.server, **own)  # type: ignore[assignment]  # a real one
        return self.bench.run(**{"access": self.access, **QUICK, **(options or {})})

    async def connected(self) -> None:
        gateway = self.town.server.gateway
        await self.town.server.until(lambda: any(each.session for each in gateway.connections))

    async def said(self, key: str) -> str:
        """What the bot says under a key of the outbox (a pattern of SQL), once it says something there."""
        found: list[tuple[str]] = []
        async with asyncio.timeout(PATIENCE):
            while not found:
                found = self.bench.rows("SELECT text FROM outbox WHERE key LIKE ?", key)
                await asyncio.sleep(0.01)
        return found[0][0]

    async def shown(self, text: str) -> None:
        """Wait until the rows say that a message with this text is shown."""
        async with asyncio.timeout(PATIENCE):
            while not self.bench.count("outbox", f"state = 'sent' AND text LIKE '%{text}%'"):  # noqa: ASYNC110 -- rows
                await asyncio.sleep(0.01)

    async def sees(self, person: Person, channel: Channel, *texts: str) -> list[str]:
        """What the bot has said, as that person sees it, once all of these are there."""

        def there() -> list[str]:
            return [one.text for one in person.sees(channel) if one.author == "Retinue"]

        try:
            await self.town.server.until(lambda: all(any(text in each for each in there()) for text in texts), 5)
        except TimeoutError:
            raise AssertionError(f"{texts} did not come; there is {there()}") from None
        return there()
