"""The client of the SDK. Only this module imports the SDK, and only at first use, because the import takes a second."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Mapping
from typing import Any, cast

import aiohttp
import httpx2

from bot.core.content_blocks import Block
from bot.core.model import ModelReply, RequestMeter, ShowTextCallback, StopReason
from bot.core.network import NetworkAccess
from bot.core.texts import people_model_faults as people
from bot.models.claude import operator_texts as texts
from bot.models.claude.faults import Fault, FaultKind
from bot.models.claude.reply_reader import ReplyReader
from bot.models.claude.request_body import encode_request, is_thinking_for_people, split_betas_from_body
from bot.models.claude.sdk_import import import_sdk_without_unused_parts
from bot.models.claude.server_errors import ModelServer
from bot.models.claude.substitutes import SubstituteAllowance

import_sdk_without_unused_parts()  # before anything below imports it

import anthropic  # noqa: E402 -- see above
from anthropic import AsyncStream  # noqa: E402
from anthropic.types import ModelInfo  # noqa: E402

log = logging.getLogger(__name__)

PLACEHOLDER_API_KEY = "no-key"  # for servers that need no key: the SDK always wants one
EVENT_STREAM_TYPE = "text/event-stream"
REQUEST_PIECE_BYTES = 1 << 18  # pieces of a request's body: aiohttp warns of large ones, which keep the loop busy
STREAM_CLOSE_TIMEOUT_SECONDS = 2.0  # time for a server to close a stream after its last event

# Before the stream, the SDK raises its own errors; within it, those of its libraries, or bugs such as TypeError
SDK_ERRORS = (
    *(anthropic.AnthropicError, httpx2.HTTPError, httpx2.StreamError, aiohttp.ClientError),
    *(ValueError, LookupError, AttributeError, TypeError),
)
# Only these mean that the request was not sent: the SDK's transport reports a lost connection as a ConnectError, too
NOT_SENT_ERRORS = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, aiohttp.ClientHttpProxyError)


class SdkClient:
    def __init__(self, server: ModelServer, seconds: float, read_seconds: float, network: NetworkAccess) -> None:
        self.server = server
        self.request_timeout_seconds = seconds
        timeout = httpx2.Timeout(connect=10, read=read_seconds, write=60, pool=10)
        http_client = anthropic.DefaultAioHttpClient(proxy=network.proxy, verify=network.ssl_context())
        # Always name key and address. Otherwise the SDK would look for them in the environment and on the disk.
        # It must never retry by itself: each request is paid for in advance.
        self.client = anthropic.AsyncAnthropic(
            api_key=server.key or PLACEHOLDER_API_KEY,
            base_url=server.url,
            max_retries=0,
            timeout=timeout,
            http_client=http_client,
        )
        _ = self.client.models  # imports the part of the SDK that is used besides

    async def close(self) -> None:
        await self.client.close()

    async def open_stream(self, body: Mapping[str, Any]) -> AsyncStream[object]:
        """Send a request, and return the events of its reply as plain dictionaries. May raise SDK_ERRORS."""
        betas, sent = split_betas_from_body(body)
        # As bytes: the SDK would copy a dictionary before it encodes it, and make objects of the events.
        encoded = encode_request(sent)
        return await self.client.post(
            "/v1/messages",
            content=split_into_pieces(encoded),
            options={"headers": {"content-length": str(len(encoded)), **betas}},
            cast_to=object,
            stream=True,
            stream_cls=AsyncStream[object],  # of any other class, even `Any`, the SDK would look for a constructor
        )

    async def make_request_and_read_reply(
        self,
        body: dict[str, Any],
        meter: RequestMeter,
        show: ShowTextCallback,
        ttl: str,
        allowance: SubstituteAllowance | None,
    ) -> ModelReply | Fault:
        """Make one request. Afterwards, its connection is closed, or free for the next request. `allowance` is what a
        substitute may cost. If the substitute uses it up, return the first model's refusal."""
        clock = asyncio.get_running_loop().time
        reading = ReplyReader(meter, show, ttl, allowance, shows_notes=is_thinking_for_people(body))
        fault, is_stream, is_paid = self.server.broken_reply_fault(), True, True
        at_most = clock() + self.request_timeout_seconds

        def end_in(seconds: float) -> None:
            nonlocal is_paid
            until = clock() + max(0, seconds)
            is_paid = until >= at_most
            limit.reschedule(min(until, at_most))

        try:
            async with asyncio.timeout_at(at_most) as limit:
                meter.sent_at_loop_seconds = clock()
                async with await self.open_stream(body) as stream:
                    is_stream = EVENT_STREAM_TYPE in stream.response.headers.get("content-type", "")  # may be missing
                    # Read to the very end, so that the connection can be used again.
                    events = cast("AsyncIterable[Block]", stream)
                    await reading.read_stream(
                        events, lambda: limit.reschedule(clock() + STREAM_CLOSE_TIMEOUT_SECONDS), end_in
                    )
        except TimeoutError:
            if not limit.expired():
                raise
            if not is_paid and not reading.is_whole and allowance:
                log.warning(texts.SUBSTITUTE_STOPPED, self.server.name)
                usage = meter.estimate_usage_so_far(clock(), allowance.max_tokens)
                category = reading.declined_category
                return ModelReply(content=[], usage=usage, stop_reason=StopReason.REFUSAL, refusal_category=category)
            words = people.TOO_SLOW(model=self.server.name_for_people, seconds=self.request_timeout_seconds)
            fault = Fault(kind=FaultKind.BROKEN_REPLY, problem=words)
        except SDK_ERRORS as error:
            fault = self.fault_for_exception(error, str(body["model"]))
        if not reading.is_whole:
            is_of_another_kind = self.server.is_other_server and not is_stream and not reading.has_begun
            return self.server.no_messages_api_fault() if is_of_another_kind else fault
        reply = reading.build_reply()
        if reply is None:
            log.warning(texts.ARGUMENTS_NOT_JSON, self.server.name)
        return reply or self.server.broken_reply_fault()

    def fault_for_exception(self, error: Exception, model: str) -> Fault:
        """Return the fault for an error. Do not log the error's text if that may quote the request."""
        match error:
            case anthropic.APIStatusError():
                facts = (self.server.name, error.status_code, error.type, error.request_id)
                log.warning("%s: %s, %s, %s", *facts, extra={"model": model})
                return self.server.fault_for_status_error(error, model)
            case anthropic.APIConnectionError(__cause__=Exception(__cause__=cause)) if isinstance(
                cause, NOT_SENT_ERRORS
            ):
                return self.server.unreachable_fault(was_sent=False)
            case anthropic.APITimeoutError():
                return Fault(kind=FaultKind.UNAVAILABLE, problem=texts.SILENT(server=self.server.name))
            case anthropic.APIConnectionError():
                return self.server.unreachable_fault(was_sent=True)
        log.warning(texts.REPLY_BROKE_OFF, self.server.name, type(error).__name__)
        log.debug(texts.BROKE_OFF_HERE, exc_info=error)
        return self.server.broken_reply_fault()

    async def fetch_model_info(self, model: str) -> ModelInfo | Fault:
        """Return what the server says about this model, or the fault that kept it from answering."""
        try:
            return await self.client.models.retrieve(model)
        except SDK_ERRORS as error:
            return self.fault_for_exception(error, model)

    async def warn_of_unknown_or_retired_models(self, models: Iterable[str]) -> None:
        """Warn if the server does not know these models. It stays a warning: some servers cannot say."""
        for model in sorted(set(models)):
            try:
                known = await self.client.models.retrieve(model)
            except anthropic.NotFoundError as error:
                if error.type == "not_found_error":
                    log.warning(texts.NO_SUCH_MODEL_IN_CONFIG, self.server.name, model)
            except SDK_ERRORS as error:
                log.debug(texts.NOT_ASKED_ABOUT_MODEL, self.server.name, model, type(error).__name__)
            else:
                lifecycle, until = getattr(known, "lifecycle", None), getattr(known, "retires_at", None)
                if lifecycle in ("deprecated", "retired") and until:
                    log.warning(texts.MODEL_ENDS, model, lifecycle, until)
                elif lifecycle in ("deprecated", "retired"):
                    log.warning(texts.MODEL_IS_OLD, model, lifecycle)


async def split_into_pieces(body: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(body), REQUEST_PIECE_BYTES):
        yield body[start : start + REQUEST_PIECE_BYTES]
