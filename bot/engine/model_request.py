"""Build a request to a model from where a turn stands and what has been said."""

from collections.abc import Sequence
from dataclasses import replace

from bot.core.model import ModelRequest, Outage, RequestMeter, TranscriptEntry
from bot.core.prompt_prefix import Prefix
from bot.core.turn import Request, TurnStanding
from bot.core.web import CAP_LEVELS, server_tool_names


def build_model_request(
    stand: TurnStanding, request: Request, prefix: Prefix, transcript: Sequence[TranscriptEntry], outage: Outage
) -> ModelRequest:
    return ModelRequest(
        chapter=f"{stand.turn.session}/{stand.chapter}",
        address=stand.turn.address,
        prefix=replace(prefix, model=request.model),
        transcript=transcript,
        may_call=not request.is_last,
        max_tokens=request.max_tokens,
        attempt=request.attempt,
        outage=outage,
        cache_lifetime=stand.turn.cache_lifetime,
        served=stand.turn.tools & server_tool_names(prefix.tools),
        web=CAP_LEVELS[stand.web_level],
        reserved=request.reserved,
        pays_for_substitute=stand.pays_for_substitute,
        form="" if stand.is_closing else stand.turn.form,
        meter=RequestMeter(prompt=prefix.tokens + sum(entry.tokens for entry in transcript)),
    )
