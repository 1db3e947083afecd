"""Claude behind the Model protocol: request_body.py builds a request, sdk_client.py sends it, and reply_reader.py reads
the reply. server_errors.py knows what an error means, and faults.py decides what to do about it."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import random
from collections import defaultdict
from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from bot.core import prices
from bot.core.errors import ConfigError, ModelFailed, RetryableModelFailure
from bot.core.model import ModelReply, ModelRequest, ShowTextCallback, StopReason
from bot.core.network import DEFAULT_NETWORK_ACCESS, NetworkAccess
from bot.core.prices import SubstituteUsage, Usage
from bot.core.web import server_tool_names
from bot.models.claude import operator_texts as texts
from bot.models.claude import traits as model_traits
from bot.models.claude.faults import PART_REFUSED_KINDS, Fault, FaultKind, RequestPatience, convert_fault_to_error
from bot.models.claude.message_layout import MessageCache
from bot.models.claude.optional_parts import OptionalRequestPart, RefusedRequestParts
from bot.models.claude.refused_content import RefusedContent
from bot.models.claude.request_body import encode_messages, may_use_substitute
from bot.models.claude.sent_body import Layout, describe_sent_request
from bot.models.claude.server_errors import ModelServer
from bot.models.claude.substitutes import SubstituteAllowance
from bot.models.claude.traits import ModelTraits

if TYPE_CHECKING:
    from bot.models.claude.sdk_client import SdkClient

RATE_LIMIT_JITTER_SECONDS = 1.0  # requests are spread over it after a gate opens

log = logging.getLogger(__name__)


class Claude:
    """A Model that is used as an async context manager.

    `user_key` is a secret of this installation. It turns an address into a name that tells the server nothing. `models`
    are those of the config and the roles: during the first request, the server is asked whether it knows them.
    `is_anthropic` is True if a server at another address takes everything that Anthropic's takes."""

    def __init__(
        self,
        api_key: str | None,
        base_url: str | None,
        user_key: bytes,
        *,
        models: Collection[str] = (),
        is_anthropic: bool | None = None,
        patience: RequestPatience = RequestPatience(),  # noqa: B008  # a frozen value
        network: NetworkAccess = DEFAULT_NETWORK_ACCESS,
    ) -> None:
        self.server = ModelServer(validate_api_key(api_key), base_url, is_anthropic=is_anthropic)
        self.user_key = user_key
        self.models = models
        self.patience = patience
        self.network = network
        self._closed_until: defaultdict[str, float] = defaultdict(float)  # a gate for each model, by the loop's clock
        self.message_cache = MessageCache()
        self._refused = RefusedContent()
        self._optional = RefusedRequestParts()
        self._told: dict[str, ModelTraits] = {}
        self._opening = asyncio.Lock()
        self._wire: SdkClient | None = None
        self._is_checked = False

    async def __aenter__(self) -> Self:
        self._beside = await asyncio.TaskGroup().__aenter__()
        self._tasks = [self._beside.create_task(self.import_sdk_early(), name="import of the SDK")]
        return self

    async def __aexit__(self, *error: object) -> None:
        for task in self._tasks:
            task.cancel()
        await self._beside.__aexit__(None, None, None)  # hide the error: the group would wrap it
        if self._wire:
            await self._wire.close()

    async def reply(self, request: ModelRequest, show: ShowTextCallback) -> ModelReply:
        wire = self._wire or await self.get_or_open_client()
        if not self._is_checked:
            self._is_checked = True
            looking_up = wire.warn_of_unknown_or_retired_models(self.models)
            self._tasks.append(self._beside.create_task(looking_up, name="look up models"))
        model, chapter = request.prefix.model, request.chapter_name
        if (closed := self._closed_until[model] - asyncio.get_running_loop().time()) > 0:
            seconds = closed + random.uniform(0, RATE_LIMIT_JITTER_SECONDS)
            fault = replace(self.server.rate_limit_fault(), retry_after_seconds=seconds)
            raise convert_fault_to_error(fault, request.attempt, request.outage, self.patience)
        user = hmac.new(self.user_key, str(request.address).encode(), hashlib.sha256).hexdigest()
        gaps = self._refused.thinking_gaps_of(chapter)
        unread = self._refused.message_indexes_of_unreadable_media(chapter)
        all_traits = await self.load_model_traits(wire, model)
        traits = model_traits.traits_without_parts(all_traits, self._optional.parts_to_leave_out(model, chapter))
        layout = Layout(user=user, traits=traits, gaps=gaps, unread=unread)
        body = encode_messages(layout.build_body(request, self.message_cache))  # once, for the digest and the server
        request.meter.sent = describe_sent_request(request, layout, body)
        ttl = request.cache_lifetime if traits.has_automatic_caching else "5m"
        allowance = build_substitute_allowance(request, body)
        outcome = await wire.make_request_and_read_reply(body, request.meter, show, ttl, allowance)
        if isinstance(outcome, Fault):
            raise self.note_and_convert_fault(outcome, request, layout.build_body(request))
        if refused := self._optional.confirm_left_out_part(model, chapter):
            log.warning(texts.ASKED_WITHOUT, self.server.name, model, texts.PARTS[refused.name])
        if outcome.stop_reason is StopReason.REFUSAL and outcome.refusal_category:
            log.warning(texts.DECLINED, self.server.name, model, outcome.refusal_category)
        elif outcome.stop_reason is StopReason.REFUSAL:
            log.warning(texts.DECLINED_WITHOUT_CATEGORY, self.server.name, model)
        self.log_substitute_and_check_price(model, outcome.usage)
        return outcome

    def log_substitute_and_check_price(self, model: str, usage: Usage) -> None:
        """Log that a substitute answered. If its price is above what we reserve, allow `model` no substitute again."""
        if not isinstance(usage, SubstituteUsage):
            return
        log.info(texts.SUBSTITUTE_ANSWERED, self.server.name, model, usage.model)
        card, paid = prices.find_pricing(usage.model), prices.dearest_substitute_card(model)
        if card is None or paid is None or not card.card.is_worst_case_no_dearer_than(paid):
            self._optional.leave_out_for_model(model, OptionalRequestPart.SUBSTITUTES)
            log.warning(texts.SUBSTITUTE_TOO_DEAR, self.server.name, usage.model, model)

    async def load_model_traits(self, wire: SdkClient, model: str) -> ModelTraits:
        """Return what a model's requests may hold. Ask the server first about a Claude that is not in the table."""
        if not self.server.is_anthropic:
            return model_traits.reduce_traits_for_other_server(model_traits.traits_from_table(model))
        if model_traits.is_unlisted_claude(model) and model not in self._told:
            info = await wire.fetch_model_info(model)
            if isinstance(info, Fault):
                return model_traits.UNLISTED_CLAUDE_TRAITS
            self._told[model] = model_traits.traits_from_models_api(info)
            prices.record_reported_model_sizes(model, info.max_input_tokens, info.max_tokens)
        return self._told.get(model) or model_traits.traits_from_table(model)

    async def get_or_open_client(self) -> SdkClient:
        """Return the client. Open it in a thread, because importing the SDK takes a second and would hold up others."""
        async with self._opening:
            if self._wire is None:
                self._wire = await asyncio.to_thread(open_sdk_client, self.server, self.patience, self.network)
        return self._wire

    async def import_sdk_early(self) -> None:
        """Import the SDK before the first message comes. If that fails, the first request reports it."""
        with suppress(Exception):
            await self.get_or_open_client()

    def note_and_convert_fault(
        self, fault: Fault, request: ModelRequest, body: dict[str, Any]
    ) -> RetryableModelFailure | ModelFailed:
        """Return the error for a fault. If the server refused a part, the request is repeated at once without that
        part. If the server asks one request to wait, all requests to that model wait."""
        if fault.is_unbilled:
            request.meter.sent_at_loop_seconds = None
        chapter, messages, refused = request.chapter_name, body["messages"], self._refused
        if fault.kind is FaultKind.MEDIA_REFUSED and refused.try_leaving_out_media(chapter, fault.complaint, messages):
            log.warning(texts.MEDIA_LEFT_OUT, chapter, self.server.name)
            return RetryableModelFailure(fault.problem, 0)
        if (block := fault.thinking_block) and refused.try_leaving_out_thinking(chapter, block, until=len(messages)):
            log.warning(texts.THINKING_LEFT_OUT, chapter, block)
            return RetryableModelFailure(fault.problem, 0)
        is_part_refused = fault.kind in PART_REFUSED_KINDS
        if is_part_refused and self._optional.try_leaving_out_next_part(chapter, body, fault.complaint):
            return RetryableModelFailure(fault.problem, 0)
        error = convert_fault_to_error(fault, request.attempt, request.outage, self.patience)
        if fault.kind is FaultKind.RATE_LIMITED and isinstance(error, RetryableModelFailure):
            until = asyncio.get_running_loop().time() + error.seconds
            self._closed_until[request.prefix.model] = max(self._closed_until[request.prefix.model], until)
        return error


def build_substitute_allowance(request: ModelRequest, body: dict[str, Any]) -> SubstituteAllowance | None:
    """Return how much a substitute model may cost; None if no other model may answer."""
    if not may_use_substitute(body):
        return None
    page = request.web_use_limits.tokens_per_page if server_tool_names(body.get("tools", ())) else 0
    asked, most, money = request.prefix.model, request.max_tokens, request.reserved
    return SubstituteAllowance(requested_model=asked, max_tokens=most, reserved_micros=money, web_page_tokens=page)


def validate_api_key(api_key: str | None) -> str | None:
    """Return the key, or None. Raise ConfigError for an impossible key, because the SDK's own error would quote it."""
    key = api_key.strip() if api_key else None
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        raise ConfigError(texts.KEY_NOT_POSSIBLE)
    return key or None


def open_sdk_client(server: ModelServer, patience: RequestPatience, network: NetworkAccess) -> SdkClient:
    from bot.models.claude.sdk_client import SdkClient  # imported here because it imports the SDK

    return SdkClient(server, patience.timeout_seconds, patience.read_timeout_seconds, network)
