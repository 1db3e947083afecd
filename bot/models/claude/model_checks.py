"""Ask the model's server about a key and models, free of charge. `setup` and `doctor` use this."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from bot.core.network import DEFAULT_NETWORK_ACCESS, NetworkAccess
from bot.core.phrases import format_efforts
from bot.core.settings import ModelSettings
from bot.models.claude import open_sdk_client, validate_api_key
from bot.models.claude import operator_texts as texts
from bot.models.claude.faults import Fault, FaultKind, RequestPatience
from bot.models.claude.server_errors import ModelServer
from bot.models.claude.traits import efforts_from_models_api

MODEL_CHECK_TIMEOUT_SECONDS = 10.0
NO_REQUIRED_EFFORTS: Mapping[str, Collection[str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelVerdict:
    """The verdict on one model. If `problem` is empty, nothing is wrong; otherwise `advice` says what to do."""

    model: str
    problem: str = ""
    advice: str = ""
    is_certain: bool = True  # whether the server said so; False if it only failed to answer
    is_about_key: bool = False  # whether the server refuses the API key


async def check_models_at_server(
    api_key: str | None,
    base_url: str | None,
    models: Collection[str],
    *,
    is_anthropic: bool | None = None,
    efforts: Mapping[str, Collection[str]] = NO_REQUIRED_EFFORTS,
    network: NetworkAccess = DEFAULT_NETWORK_ACCESS,
) -> list[ModelVerdict]:
    """Return one verdict for each model. `efforts` are those that the requests to each model will name. Raise
    ConfigError for an impossible key, and TimeoutError after ten seconds."""
    server = ModelServer(validate_api_key(api_key), base_url, is_anthropic=is_anthropic)
    seconds = MODEL_CHECK_TIMEOUT_SECONDS
    async with asyncio.timeout(seconds):
        patience = RequestPatience(timeout_seconds=seconds, read_timeout_seconds=seconds)
        wire = await asyncio.to_thread(open_sdk_client, server, patience, network)
        try:
            told = [(model, await wire.fetch_model_info(model)) for model in sorted(set(models))]
        finally:
            await wire.close()
    found = [(model, each if isinstance(each, Fault) else efforts_from_models_api(each)) for model, each in told]
    return [make_model_verdict(server, model, each, efforts.get(model, ())) for model, each in found]


def make_model_verdict(
    server: ModelServer, model: str, found: frozenset[str] | Fault, wanted: Collection[str]
) -> ModelVerdict:
    """Return the verdict on a model from its efforts or the server's fault. `wanted` are the efforts it must have."""
    if isinstance(found, Fault):
        # Many other servers do not list their models. Their answer to this question says little about a real request.
        is_certain = found.kind is FaultKind.NOT_RETRYABLE and (not server.is_other_server or found.is_about_key)
        verdict = ModelVerdict(model=model, problem=found.problem, advice=found.advice)
        return replace(verdict, is_certain=is_certain, is_about_key=found.is_about_key)
    unsent = set() if found else {ModelSettings().effort}  # a model without efforts is not sent the default one
    lacking = sorted(set(wanted) - found - unsent)
    if not (lacking and server.is_anthropic):
        return ModelVerdict(model=model)
    listed = format_efforts(found) or texts.NO_EFFORTS
    words = texts.NO_SUCH_EFFORT(model=model, efforts=", ".join(lacking), known=listed)
    return ModelVerdict(model=model, problem=words, advice=texts.SET_EFFORT)
