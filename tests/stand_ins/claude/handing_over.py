"""Which model writes a reply, and what each bills. If the asked model declines, another one continues."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from tests.stand_ins.claude.asked import Asked
from tests.stand_ins.claude.canonical import Json
from tests.stand_ins.claude.checks.fallbacks import BLOCK, MODELS_OWN
from tests.stand_ins.claude.records import Billed
from tests.stand_ins.claude.replies import HandOver, Reply

OtherPrompt = Callable[[str, str], Billed]  # takes a model, and the text to continue
EXPLAINED = "This request was declined under the usage policy."


@dataclass
class Writing:
    """The attempts at one reply."""

    asked: Asked
    billed: Billed  # of the current attempt
    model: str = ""
    attempts: list[tuple[str, Billed, bool]] = field(default_factory=list)  # declined: the model, its bill, is it paid
    has_written: bool = False

    def __post_init__(self) -> None:
        self.model = self.asked.model
        self.opened = (self.model, self.billed)  # as in the head of the reply

    def hand_over(self, handover: HandOver, blocks: list[Json], other: OtherPrompt) -> Json | None:
        """Let the next model continue. Return the handover block, or None if the model before was not asked at all."""
        text = "".join(block["text"] for block in blocks if block["type"] == "text")
        if not handover.is_sticky:
            self.attempts.append((self.model, self.billed, self.has_written))
        before, self.model = self.model, handover.to
        self.billed = other(handover.to, text)
        if not self.has_written:
            self.opened = (self.model, self.billed)
        trigger = {"type": "refusal", "category": handover.category}
        block = {"type": BLOCK, "from": {"model": before}, "to": {"model": handover.to}, "trigger": trigger}
        return None if handover.is_sticky else block

    @property
    def iterations(self) -> list[Json]:
        declined = [iteration("message", model, billed) for model, billed, _ in self.attempts]
        kind = "message" if self.model == self.asked.model else "fallback_message"
        return [*declined, iteration(kind, self.model, self.billed)]

    @property
    def bills(self) -> dict[str, Billed]:
        """Return what each model is paid. A refusal before anything was written is free."""
        paid = {model: billed for model, billed, is_billed in self.attempts if is_billed}
        return {self.asked.model: Billed(), **paid, self.model: self.billed}


def iteration(kind: str, model: str, billed: Billed) -> Json:
    counted = billed.as_json()
    del counted["service_tier"]
    return {"type": kind, "model": model, **counted}


def kept(blocks: list[Json]) -> list[Json]:
    """Return the blocks before a handover that a client must send back."""
    answered = {block.get("tool_use_id") for block in blocks}
    return [
        block
        for block in blocks
        if block["type"] not in MODELS_OWN and (block["type"] != "server_tool_use" or block["id"] in answered)
    ]


def declined(reply: Reply, handover: HandOver) -> Reply:
    details = {"type": "refusal", "category": handover.category, "explanation": EXPLAINED}
    return replace(reply, stop_reason="refusal", stop_details=details)


def unstreamed(sent: list[Json]) -> list[Json]:
    """Return the reply without a stream. It lacks what was written before the first handover."""
    handovers = [place for place, block in enumerate(sent) if block["type"] == BLOCK]
    return sent[handovers[0] :] if handovers else sent


def frames_of(index: int, block: Json) -> Iterator[Json]:
    yield {"type": "content_block_start", "index": index, "content_block": block}
    yield {"type": "content_block_stop", "index": index}
