"""Say in words whether a request that was built again is what was sent, and what differs."""

from typing import Any

from bot.core.sent_request import BodyPart
from bot.ops import request_texts as texts
from bot.ops.rebuilt_requests import RebuiltRequest
from bot.store.sent_requests import KeptRequest


def describe_verdict(row: KeptRequest, rebuilt: RebuiltRequest | None) -> str:
    """Return whether the request is what was sent, or why nobody can say that."""
    if rebuilt is None:
        return describe_why_not_rebuilt(row)
    if not rebuilt.is_comparable:
        return texts.DIGEST_FORGOTTEN()
    if rebuilt.is_as_sent:
        return texts.AS_SENT()
    parts = ", ".join(map(name_part, rebuilt.differing_parts))
    return texts.DIFFERS_WITHOUT_MEDIA(parts=parts) if rebuilt.has_lost_media else texts.DIFFERS(parts=parts)


def describe_why_not_rebuilt(row: KeptRequest) -> str:
    if row.sent is not None:
        return texts.CONVERSATION_GONE()
    reasons = {"open": texts.STILL_OPEN, "lost": texts.LOST}
    return reasons.get(row.state, texts.NOT_KEPT)()


def name_part(part: BodyPart) -> str:
    return texts.MESSAGE(number=part) if isinstance(part, int) else texts.PARTS[part]()


def request_as_json(row: KeptRequest, rebuilt: RebuiltRequest | None) -> dict[str, Any]:
    """Return a request with all that it holds. `headers` and `body` are None if it cannot be built."""
    return {
        "id": row.id,
        "turn": row.turn,
        "model": row.model,
        "state": row.state,
        "verdict": describe_verdict(row, rebuilt),
        "is_as_sent": rebuilt is not None and rebuilt.is_as_sent,
        "digest": row.sent.digest.whole if row.sent and row.sent.digest else None,
        "headers": rebuilt.headers if rebuilt else None,
        "body": rebuilt.body if rebuilt else None,
    }
