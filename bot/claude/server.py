"""Whom we ask, as people call it, and what its errors mean. (Types of the SDK are named for the type checker only.)"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from email.utils import mktime_tz, parsedate_tz
from time import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from bot.claude.faults import LATER, Fault, Kind
from bot.claude.optional import is_about_web
from bot.claude.thinking import block_named
from bot.claude.unread import is_about_media
from bot.texts import reasons

if TYPE_CHECKING:
    from anthropic import APIStatusError

ANTHROPIC = "https://api.anthropic.com"
WORDS = 200  # characters of a server's own words
SET_KEY = "set model.api_key in the config, or ANTHROPIC_API_KEY"
SET_MODEL = "set model.lead or model.roles in the config"
SET_URL = "check model.base_url in the config"
SET_WEB = "set web to false in the config"
BEGIN_ANEW = "/new begins a new one"
UNKNOWN_MODEL = re.compile(r"\b(invalid|unknown|no such) model\b|\bmodel\b.{0,80}\b(not found|not exist)\b", re.I)
PASSING = ("overloaded_error", "api_error", "timeout_error", "None")  # types of errors in mid-stream


class Server:
    def __init__(self, api_key: str | None, base_url: str | None, *, is_anthropic: bool | None = None) -> None:
        self.key = api_key
        self.url = base_url or ANTHROPIC
        self.is_other = base_url is not None
        self.is_anthropic = base_url is None if is_anthropic is None else is_anthropic  # or takes all that that takes
        self.name = f"the model at {urlsplit(self.url).netloc}" if base_url else "Claude"  # for the operator
        self.short_name = "the model" if base_url else "Claude"  # for people

    def meant(self, error: APIStatusError, model: str) -> Fault:
        """What an error that the server sent comes to."""
        if "spend_limit" in str(error.error_code):
            limit = f"the spending limit of the account at {self.name} is reached"
            fault = for_operator(limit, "its owner can raise it")
        elif error.status_code == 200:
            return self.in_stream(error)
        else:
            fault = self.by_status(error, model)
        return replace(fault, is_free=error.status_code != 200)

    def in_stream(self, error: APIStatusError) -> Fault:
        """An error that came as an event: its status is the stream's, so only its type tells."""
        match str(error.type):
            case "rate_limit_error":
                return self.busy()
            case "overloaded_error":
                return self.overloaded()
            case kind if kind in PASSING:
                return self.in_trouble()
        return fatal(f"{self.short_name} broke off")

    def by_status(self, error: APIStatusError, model: str) -> Fault:
        headers = error.response.headers
        should_retry = headers.get("x-should-retry")
        match error.status_code:
            case 429:
                fault = replace(self.busy(), wait=seconds_to_wait(headers))
            case 529:
                fault = self.overloaded()
            case 405 | 501 if self.is_other:
                fault = self.of_another_kind()
            case status if status >= 500 or status in (408, 409, 499):
                fault = self.in_trouble(f" (error {status})")
            case _:
                fault = self.refused(error, model)
                return replace(fault, kind=Kind.TROUBLE) if should_retry == "true" else fault
        return replace(fault, kind=Kind.FATAL, is_away=True) if should_retry == "false" else fault

    def refused(self, error: APIStatusError, model: str) -> Fault:
        """What would be refused again."""
        said, complaint = self.said(error), error.api_message or ""
        match error.status_code:
            case 403 | 404 if is_about_web(complaint):
                return self.unaccepted(f"{self.name} has no tools for the web: {said}", SET_WEB, complaint)
            case 401:
                return for_operator(f"{self.name} refused the API key", SET_KEY)
            case 402:
                return self.without_credit()
            case 400 if "credit balance" in complaint:
                return self.without_credit()
            case 403:
                return for_operator(f"{self.name} does not let this API key in: {said}", SET_KEY)
            case 404 if self.is_other and not is_about_model(error, model):
                return self.of_another_kind()
            case 404:
                return for_operator(f"{self.name} has no model {model!r}", SET_MODEL)
            case 413:
                return self.too_long()
            case 400 if "prompt is too long" in said:
                return self.too_long()
            case 400 if is_about_media(complaint):
                words = f"{self.short_name} cannot read an image or a PDF of this conversation"
                return Fault(kind=Kind.UNREAD, words=words, advice=BEGIN_ANEW, complaint=complaint)
            case 400 if block := block_named(complaint):
                words = f"{self.short_name} no longer accepts what it thought in this conversation"
                return Fault(kind=Kind.UNBOUND, words=words, advice=BEGIN_ANEW, complaint=complaint, block=block)
            case 400 if self.is_other and UNKNOWN_MODEL.search(said):
                return for_operator(f"{self.name} has no model {model!r}", SET_MODEL)
            case 400 | 422:
                return self.unaccepted(f"{self.name} did not accept the request: {said}", BEGIN_ANEW, complaint)
        fault = fatal(f"{self.name} did not accept the request: {said}", BEGIN_ANEW)
        return replace(fault, excuse=reasons.MODEL_TOOK_NOTHING)

    def unaccepted(self, words: str, advice: str, complaint: str) -> Fault:
        """The request may be taken without what is optional in it."""
        excuse = reasons.MODEL_TOOK_NOTHING
        return Fault(kind=Kind.UNACCEPTED, words=words, advice=advice, complaint=complaint, excuse=excuse)

    def without_credit(self) -> Fault:
        return for_operator(f"the account at {self.name} has no credit left", "its owner can add some")

    def busy(self) -> Fault:
        return Fault(kind=Kind.BUSY, words=f"the rate limit of {self.name} is reached")

    def overloaded(self) -> Fault:
        return Fault(kind=Kind.TROUBLE, words=f"{self.name} is overloaded")

    def in_trouble(self, which: str = "") -> Fault:
        return Fault(kind=Kind.TROUBLE, words=f"{self.name} is in trouble of its own{which}")

    def too_long(self) -> Fault:
        words = "this conversation has grown too long for the model"
        return Fault(kind=Kind.TOO_LONG, words=words, advice=BEGIN_ANEW)

    def silent(self) -> Fault:
        return Fault(kind=Kind.TROUBLE, words=f"{self.name} does not answer")

    def unreachable(self, *, was_sent: bool) -> Fault:
        advice = SET_URL if self.is_other else "check the network"
        return Fault(kind=Kind.TROUBLE, words=f"{self.name} cannot be reached", advice=advice, is_free=not was_sent)

    def of_another_kind(self) -> Fault:
        return replace(for_operator(f"{self.name} does not speak the Messages API", SET_URL), is_free=True)

    def cut(self) -> Fault:
        return Fault(kind=Kind.CUT, words=f"the answer of {self.short_name} broke off", advice="try again")

    def too_slow(self, seconds: float) -> Fault:
        return Fault(kind=Kind.CUT, words=f"{self.short_name} took longer than {seconds:g} s", advice=LATER)

    def said(self, error: APIStatusError) -> str:
        """The server's own words, as far as a person can use them."""
        words = " ".join((error.api_message or f"error {error.status_code}").split())[:WORDS]
        return words.replace(self.key, "…") if self.key else words


def is_about_model(error: APIStatusError, model: str) -> bool:
    """Whether a 404 is the model's, and not the address's: both may come as a `not_found_error`."""
    said = error.api_message or ""
    return model in said or (error.type == "not_found_error" and "model" in said.lower())


def fatal(words: str, advice: str = "") -> Fault:
    return Fault(kind=Kind.FATAL, words=words, advice=advice)


def for_operator(words: str, advice: str) -> Fault:
    """A fault of the key, the account or the settings."""
    return replace(fatal(words, advice), is_operators=True)


def seconds_to_wait(headers: Mapping[str, str]) -> float | None:
    """How long a server asks us to wait, in any of the forms that there are; None if it does not say."""
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        try:
            seconds = float(headers[name]) / unit
        except (KeyError, ValueError):
            continue
        if math.isfinite(seconds):
            return seconds
    date = parsedate_tz(headers.get("retry-after", ""))
    return mktime_tz(date) - time() if date else None
