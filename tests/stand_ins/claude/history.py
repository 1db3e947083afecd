"""What the stand-in said before, and whether a request continues it unchanged."""

from collections import defaultdict
from dataclasses import dataclass, field

from tests.stand_ins.claude.asked import Asked
from tests.stand_ins.claude.canonical import Json, blocks_of, digest
from tests.stand_ins.claude.checks.fallbacks import check_seams
from tests.stand_ins.claude.checks.harsh import Harsh, refuse
from tests.stand_ins.claude.errors import ApiError
from tests.stand_ins.claude.models import ModelCard
from tests.stand_ins.claude.records import Request
from tests.stand_ins.claude.signing import context_of, holds, lasting_context_of, opened

THINKING = ("thinking", "redacted_thinking")
CHANGED = (
    "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified."
    " These blocks must remain as they were in the original response."
)


@dataclass(frozen=True, slots=True)
class Issued:
    """One reply: what it answered, and what it said."""

    request: Request
    context: str
    before: str  # the digest of the messages that it answered
    blocks: list[Json]
    stop_reason: str


@dataclass
class History:
    # By a mark of the reply, then by what it answered, because the same words may be said often.
    issued: dict[str, dict[str, list[Issued]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))

    heard: set[str] = field(default_factory=set)  # digests of the messages of all accepted requests

    def hear(self, asked: Asked) -> None:
        self.heard.add(asked.before[-1])

    def add(self, request: Request, blocks: list[Json], stop_reason: str) -> None:
        asked = request.asked
        issued = Issued(request, context_of(asked), asked.before[-1], blocks, stop_reason)
        for mark in marks(blocks):
            self.issued[mark][issued.before].append(issued)

    def check(self, asked: Asked, card: ModelCard, harsh: frozenset[Harsh]) -> tuple[Request | None, list[Json]]:
        """Return the request that this one extends, and the dropped blocks. Raise ApiError if history was changed."""
        before = asked.before
        self.check_latest(asked, before)
        for number, message in enumerate(asked.messages):
            blocks = blocks_of(message["content"]) if message["role"] == "assistant" else []
            for one in self.answers(blocks, before[number]) if thoughts(blocks) else ():
                check_seams(f"messages.{number}", blocks, one.blocks)
        dropped = self.check_signatures(asked, card, before)
        return self.parent(asked, before, harsh), dropped

    def paused(self, asked: Asked) -> set[int]:
        """Return the numbers of the messages that are paused replies."""
        return {
            number
            for number, message in enumerate(asked.messages)
            if message["role"] == "assistant"
            for issued in self.answers(blocks_of(message["content"]), asked.before[number])
            if issued.stop_reason == "pause_turn"
        }

    def is_pause(self, asked: Asked) -> bool:
        """Return True if the last message is a paused reply, to be continued."""
        last = asked.messages[-1]
        found = self.answers(blocks_of(last["content"]), asked.before[-2]) if last["role"] == "assistant" else []
        return any(issued.stop_reason == "pause_turn" for issued in found)

    def answers(self, blocks: list[Json], before: str) -> list[Issued]:
        """Return the replies of ours that an assistant message may be, after the messages before it."""
        return [one for mark in marks(blocks) if mark in self.issued for one in self.issued[mark].get(before, ())]

    def check_latest(self, asked: Asked, before: list[str]) -> None:
        """Raise ApiError if thinking was changed in the current turn. Replies after edited history are not checked."""
        context, first = context_of(asked), len(asked.messages) - len(asked.turn)
        for number, message in enumerate(asked.messages):
            if number < first or message["role"] != "assistant":
                continue
            blocks = blocks_of(message["content"])
            same = [one for one in self.answers(blocks, before[number]) if one.context == context]
            ours = [one for one in same if one.request.asked.model == asked.model]
            if ours and all(thoughts(one.blocks) != thoughts(blocks) for one in ours):
                raise ApiError(CHANGED)

    def check_signatures(self, asked: Asked, card: ModelCard, before: list[str]) -> list[Json]:
        binding = asked.thinking.get("block_binding") or {}
        drops = binding.get("prefix_mismatch_behavior") == "drop_block"
        context, dropped = context_of(asked), []
        for number, message in enumerate(asked.messages):
            so_far, blocks = before[number], blocks_of(message["content"])
            for place, block in enumerate(blocks) if thoughts(blocks) else ():
                where = f"messages.{number}.content.{place}"
                if block["type"] == "thinking":
                    sealed = opened(block["signature"])
                    if sealed is None:
                        raise ApiError(f"{where}: Invalid `signature` in `thinking` block")
                    if sealed.model != asked.model:
                        dropped.append(drop(where, "model_binding_mismatch"))
                    elif card.bound and not holds(block, sealed, asked.model, context, so_far):
                        if not drops:
                            raise ApiError(unbound(where))
                        dropped.append(drop(where, "prefix_binding_mismatch"))
                so_far = digest(so_far, message["role"], block)
        return dropped

    def parent(self, asked: Asked, before: list[str], harsh: frozenset[Harsh]) -> Request | None:
        """Return the request of the last reply that we know. Each reply of ours must follow what it answered."""
        context, parent = context_of(asked), None
        for number, message in enumerate(asked.messages):
            if message["role"] != "assistant":
                continue
            blocks = blocks_of(message["content"])
            same = self.answers(blocks, before[number])
            if not same:
                # Anything may follow a request that was sent: a reply that was cut off, or the client's own text.
                is_ours = before[number] not in self.heard and any(mark in self.issued for mark in marks(blocks))
                if is_ours and Harsh.CHURN in harsh:
                    raise refuse(Harsh.CHURN, f"something before messages.{number} is not as it was")
                continue
            steady = [issued for issued in same if issued.context == context]
            but_web = lasting_context_of(asked)
            is_lasting = any(lasting_context_of(issued.request.asked) == but_web for issued in same)
            if not is_lasting and Harsh.PREFIX in harsh:
                raise refuse(Harsh.PREFIX, f"since messages.{number}")
            parent = (steady or same)[-1].request
        return parent


def marks(blocks: list[Json]) -> list[str]:
    """Return the marks that identify a reply: its ids and signatures. Without any, return the digest of its blocks."""
    own = [str(block.get("signature") or block.get("id") or "") for block in blocks]
    return [mark for mark in own if mark] or [digest(blocks)]


def thoughts(blocks: list[Json]) -> list[Json]:
    return [block for block in blocks if block["type"] in THINKING]


def drop(where: str, reason: str) -> Json:
    return {"type": "thinking_dropped", "reason": reason, "path": where}


def unbound(where: str) -> str:
    return (
        f"{where}: Invalid `signature` in `thinking` block. The block is bound to a different conversation."
        ' Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
    )
