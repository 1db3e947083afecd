"""Build the requests of a turn again from its rows, and compare each with the digest of what was sent."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from bot.core.content_blocks import replace_media_references
from bot.core.model import ModelRequest
from bot.core.sent_request import BodyPart, SentRequest
from bot.core.turn import Turn
from bot.models.claude.request_body import split_betas_from_body
from bot.models.claude.sent_body import Layout, digest_body
from bot.models.fallback import strip_fallback_prefix
from bot.store import sent_requests, sessions, transcript
from bot.store.connection import Connection
from bot.store.sent_requests import EntriesOfRequest, KeptRequest


@dataclass(frozen=True, kw_only=True)
class RebuiltRequest:
    """A request as it is built today from its rows, and whether that is what was sent."""

    row: KeptRequest
    sent: SentRequest
    body_with_betas: Mapping[str, Any]
    has_lost_media: bool  # a picture or PDF is no longer kept; a text is in its place

    @property
    def headers(self) -> dict[str, str]:
        """Return the header that the request needed besides those of every request."""
        return split_betas_from_body(self.body_with_betas)[0]

    @property
    def body(self) -> dict[str, Any]:
        """Return the body, as JSON."""
        return split_betas_from_body(self.body_with_betas)[1]

    @property
    def is_comparable(self) -> bool:
        """Return False if the digest was deleted, because a person was forgotten."""
        return self.sent.digest is not None

    @cached_property
    def differing_parts(self) -> tuple[BodyPart, ...]:
        """Return the parts that differ from what was sent; none if nothing differs, or if that cannot be compared."""
        now = digest_body(self.body_with_betas)
        if self.sent.digest is None or self.sent.digest.whole == now.whole:
            return ()
        return tuple(self.sent.digest.differing_parts(now))

    @property
    def is_as_sent(self) -> bool:
        return self.is_comparable and not self.differing_parts


def rebuild_requests_of_turn(db: Connection, turn: Turn) -> Iterator[tuple[KeptRequest, RebuiltRequest | None]]:
    """Yield the requests of a turn, oldest first, each as it is built today; None for one that cannot be built."""
    for row in sent_requests.list_requests_of_turn(db, turn.id):
        yield row, rebuild_request(db, turn, row)


def rebuild_request(db: Connection, turn: Turn, row: KeptRequest) -> RebuiltRequest | None:
    """Return a request of the turn as it is built today; None if nothing was kept of how it was built, or if none of
    its entries is left."""
    held = sent_requests.load_entries_of_request(db, turn.session, row.sent.last_entry) if row.sent else None
    if row.sent is None or held is None:
        return None
    keys = {key for entry in held.entries for key in entry.media_keys}
    encoded = transcript.load_media_as_base64(db, keys)
    entries = [replace(each, content=replace_media_references(each.content, encoded)) for each in held.entries]
    request = build_model_request(db, turn, row, row.sent, replace(held, entries=entries))
    body = Layout.from_json(row.sent.layout).build_body(request)
    return RebuiltRequest(row=row, sent=row.sent, body_with_betas=body, has_lost_media=keys > encoded.keys())


def build_model_request(
    db: Connection, turn: Turn, row: KeptRequest, sent: SentRequest, held: EntriesOfRequest
) -> ModelRequest:
    prefix = sessions.load_prefix(db, held.prefix_hash)
    return ModelRequest(
        chapter_name="",
        address=turn.address,
        prefix=replace(prefix, model=strip_fallback_prefix(row.model)),
        transcript=held.entries,
        last_entry=sent.last_entry,
        may_call_tools=row.limit is None,
        max_tokens=row.max_tokens,
        cache_lifetime=sent.cache_lifetime,
        server_tools=sent.server_tools,
        withheld_tools=sent.withheld_tools,
        web_use_limits=sent.web_use_limits,
        may_lose_thinking=sent.may_lose_thinking,
        pays_for_substitute=sent.pays_for_substitute,
        form=turn.form if sent.has_form else "",
    )
