"""What a random talk has shown: the requests that the rows give again, and what they were made of."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.core.sent_request import BodyPart
from tests.stand_ins.claude import ClaudeStandIn
from tests.stand_ins.claude.canonical import Json
from tests.support.time_travel import rebuild_all_requests, recorded_but_not_rebuilt
from tests.time_travel.random_talk import RandomTalk


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    turns: int  # with those of roles
    delegations: int
    summaries: int  # after which a chapter began
    requests: int  # that the stand-in has recorded
    refusals: int  # requests that it has refused
    not_rebuilt: list[int]  # the numbers of recorded requests that the rows do not give again
    different: list[tuple[int, tuple[BodyPart, ...]]]  # requests of rows that differ from their digest, and where
    blocks: Counter[str]  # of each type, in all requests
    kept_bytes: int  # what is kept of all requests

    def __str__(self) -> str:
        most = ", ".join(f"{count} {kind}" for kind, count in self.blocks.most_common())
        return (
            f"{self.turns} turns, of them {self.delegations} delegations, with {self.summaries} summaries:\n"
            f"{self.requests} requests recorded, {self.refusals} refused; {len(self.not_rebuilt)} not built again,"
            f" {len(self.different)} different from their digest\n"
            f"{self.kept_bytes / max(1, self.requests):.0f} bytes kept of each\n{most}"
        )


async def talk_and_judge(folder: Path, server: ClaudeStandIn, seed: int, turns: int) -> Findings:
    """Hold a random talk in which people write `turns` messages, and compare what was sent with what the rows give."""
    talk = RandomTalk(folder, server, seed)
    await talk.hold(turns)
    bench, rebuilt = talk.talk.bench, rebuild_all_requests(folder / "bot.db")
    return Findings(
        turns=bench.count("turns"),
        delegations=bench.count("turns", "depth > 0"),
        summaries=bench.count("chapters", "chapter > 1"),
        requests=len(server.requests),
        refusals=len(server.refused),
        not_rebuilt=[request.number for request in recorded_but_not_rebuilt(server.requests, rebuilt)],
        different=[(each.row.id, each.differing_parts) for each in rebuilt if not each.is_as_sent],
        blocks=Counter(str(block["type"]) for request in server.requests for block in blocks_in(request.body)),
        kept_bytes=bench.select("sum(length(sent))", "requests")[0][0],
    )


def blocks_in(body: Json) -> Iterator[Json]:
    """Yield the blocks of a request's messages, also those in the results of calls."""
    for message in body["messages"]:
        for block in message["content"]:
            yield block
            inner: Any = block.get("content")
            if isinstance(inner, list):
                yield from inner
