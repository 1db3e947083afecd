"""What the model's server says of a key and of models, for who sets the bot up or asks what is wrong; at no cost."""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass

from bot.claude import open_wire, valid
from bot.claude.faults import Fault, Kind
from bot.claude.server import Server
from bot.network import DIRECT, Network

SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Of one model. Nothing is wrong where `words` is empty; else `advice` says what to do."""

    model: str
    words: str = ""
    advice: str = ""
    is_certain: bool = True  # whether the server has said so, and not only failed to say anything


async def examine(
    api_key: str | None, base_url: str | None, models: Collection[str], network: Network = DIRECT
) -> list[Verdict]:
    """One verdict for each model; raises ConfigError for what can be no key, TimeoutError after ten seconds."""
    server = Server(valid(api_key), base_url)
    async with asyncio.timeout(SECONDS):
        wire = await asyncio.to_thread(open_wire, server, SECONDS, network)
        try:
            return [verdict(server, model, await wire.look_up(model)) for model in sorted(set(models))]
        finally:
            await wire.close()


def verdict(server: Server, model: str, fault: Fault | None) -> Verdict:
    if fault is None:
        return Verdict(model=model)
    # Of the others, many do not list their models: what they say of this question means little for the one that counts.
    is_certain = fault.kind is Kind.FATAL and (not server.is_other or "API key" in fault.words)
    return Verdict(model=model, words=fault.words, advice=fault.advice, is_certain=is_certain)
