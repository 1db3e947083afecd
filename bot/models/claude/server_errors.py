"""The model's server: its name for people, and what its errors mean. It imports the SDK only for the type checker."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from email.utils import mktime_tz, parsedate_tz
from time import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from bot.core.texts import people_model_faults as people
from bot.core.texts import reasons
from bot.models.claude import operator_texts as texts
from bot.models.claude.faults import Fault, FaultKind
from bot.models.claude.optional_parts import OptionalRequestPart
from bot.models.claude.refused_content import find_refused_thinking_block, is_complaint_about_media

if TYPE_CHECKING:
    from anthropic import APIStatusError

CLAUDE_NAME = "Claude"
ANTHROPIC_URL = "https://api.anthropic.com"
MAX_QUOTED_CHARACTERS = 200  # characters quoted from a server's own words
UNKNOWN_MODEL_COMPLAINT_PATTERN = re.compile(
    r"\b(invalid|unknown|no such) model\b|\bmodel\b.{0,80}\b(not found|not exist)\b", re.I
)
TRANSIENT_STREAM_ERRORS = ("api_error", "timeout_error", "None")  # error types inside a stream that may pass


class ModelServer:
    def __init__(self, api_key: str | None, base_url: str | None, *, is_anthropic: bool | None = None) -> None:
        self.key = api_key
        self.url = base_url or ANTHROPIC_URL
        self.is_other_server = base_url is not None
        self.is_anthropic = base_url is None if is_anthropic is None else is_anthropic  # or compatible with it
        # The name for operators, and the one for people
        self.name = texts.OTHER_SERVER(address=urlsplit(self.url).netloc) if base_url else CLAUDE_NAME
        self.name_for_people = people.MODEL() if base_url else CLAUDE_NAME

    def fault_for_status_error(self, error: APIStatusError, model: str) -> Fault:
        if "spend_limit" in str(error.error_code):
            fault = operator_fault(texts.SPENDING_LIMIT_REACHED(server=self.name), texts.RAISE_LIMIT)
        elif error.status_code == 200:
            return self.fault_for_stream_error(str(error.type))
        else:
            fault = self.fault_for_http_status(error, model)
        return replace(fault, is_unbilled=error.status_code != 200)

    def fault_for_stream_error(self, kind: str) -> Fault:
        """Return the fault for an error inside the stream. Only its type says what is wrong: the status is 200."""
        if kind == "rate_limit_error":
            return self.rate_limit_fault()
        if kind == "overloaded_error":
            return Fault(kind=FaultKind.UNAVAILABLE, problem=texts.OVERLOADED(server=self.name))
        if kind in TRANSIENT_STREAM_ERRORS:
            return Fault(kind=FaultKind.UNAVAILABLE, problem=texts.IN_TROUBLE(server=self.name))
        return Fault(kind=FaultKind.NOT_RETRYABLE, problem=people.BROKE_OFF(model=self.name_for_people), advice="")

    def fault_for_http_status(self, error: APIStatusError, model: str) -> Fault:
        headers = error.response.headers
        should_retry = headers.get("x-should-retry")
        match error.status_code:
            case 429:
                fault = replace(self.rate_limit_fault(), retry_after_seconds=parse_retry_after(headers))
            case 529:
                fault = Fault(kind=FaultKind.UNAVAILABLE, problem=texts.OVERLOADED(server=self.name))
            case 405 | 501 if self.is_other_server:
                fault = self.no_messages_api_fault()
            case status if status >= 500 or status in (408, 409, 499):
                words = texts.IN_TROUBLE_WITH_STATUS(server=self.name, status=status)
                fault = Fault(kind=FaultKind.UNAVAILABLE, problem=words)
            case _:
                fault = self.fault_for_refused_request(error, model)
                return replace(fault, kind=FaultKind.UNAVAILABLE) if should_retry == "true" else fault
        if should_retry == "false":
            return replace(fault, kind=FaultKind.NOT_RETRYABLE, is_server_at_fault=True)
        return fault

    def fault_for_refused_request(self, error: APIStatusError, model: str) -> Fault:
        """Return the fault for a request that would be refused again in the same form."""
        complaint = error.api_message or ""
        said = " ".join((complaint or texts.UNNAMED_ERROR(status=error.status_code)).split())[:MAX_QUOTED_CHARACTERS]
        said = said.replace(self.key, "…") if self.key else said
        # A 404 may be about the model or about the address: both may come as a `not_found_error`.
        is_about_model = model in complaint or (error.type == "not_found_error" and "model" in complaint.lower())
        match error.status_code:
            case 403 | 404 if OptionalRequestPart.WEB.is_named_in_complaint(complaint):
                words = texts.NO_TOOLS_FOR_THE_WEB(server=self.name, complaint=said)
                return self.refused_request_fault(words, texts.SET_WEB, complaint)
            case 401:
                return operator_fault(texts.KEY_REFUSED(server=self.name), texts.SET_KEY, is_about_key=True)
            case 400 | 402 if error.status_code == 402 or "credit balance" in complaint:
                return operator_fault(texts.NO_CREDIT(server=self.name), texts.ADD_CREDIT)
            case 403:
                words = texts.KEY_NOT_LET_IN(server=self.name, complaint=said)
                return operator_fault(words, texts.SET_KEY, is_about_key=True)
            case 404 if self.is_other_server and not is_about_model:
                return self.no_messages_api_fault()
            case 404:
                return operator_fault(texts.NO_SUCH_MODEL(server=self.name, model=model), texts.SET_MODEL)
            case 400 | 413 if error.status_code == 413 or "prompt is too long" in said:
                return Fault(kind=FaultKind.PROMPT_TOO_LONG, problem=people.TOO_LONG(), advice=people.BEGIN_A_NEW_ONE())
            case 400 if is_complaint_about_media(complaint):
                words = people.MEDIA_NOT_READ(model=self.name_for_people)
                fault = self.refused_request_fault(words, people.BEGIN_A_NEW_ONE(), complaint)
                return replace(fault, kind=FaultKind.MEDIA_REFUSED, people_text="")
            case 400 if block := find_refused_thinking_block(complaint):
                words = people.THINKING_NOT_ACCEPTED(model=self.name_for_people)
                fault = self.refused_request_fault(words, people.BEGIN_A_NEW_ONE(), complaint)
                return replace(fault, kind=FaultKind.THINKING_REFUSED, thinking_block=block, people_text="")
            case 400 if self.is_other_server and UNKNOWN_MODEL_COMPLAINT_PATTERN.search(said):
                return operator_fault(texts.NO_SUCH_MODEL(server=self.name, model=model), texts.SET_MODEL)
        words = texts.REQUEST_NOT_ACCEPTED(server=self.name, complaint=said)
        fault = self.refused_request_fault(words, people.BEGIN_A_NEW_ONE(), complaint)
        if error.status_code in (400, 422):
            return fault
        return replace(fault, kind=FaultKind.NOT_RETRYABLE, complaint="", is_about_key="API key" in said)

    def refused_request_fault(self, words: str, advice: str, complaint: str) -> Fault:
        """Return the fault for a request that the server may accept without its optional parts."""
        kind, text = FaultKind.REQUEST_REFUSED, reasons.MODEL_TOOK_NOTHING()
        return Fault(kind=kind, problem=words, advice=advice, complaint=complaint, people_text=text)

    def rate_limit_fault(self) -> Fault:
        return Fault(kind=FaultKind.RATE_LIMITED, problem=texts.RATE_LIMITED(server=self.name))

    def unreachable_fault(self, *, was_sent: bool) -> Fault:
        words = texts.UNREACHABLE(server=self.name)
        advice = texts.SET_URL if self.is_other_server else texts.CHECK_NETWORK
        return Fault(kind=FaultKind.UNAVAILABLE, problem=words, advice=advice, is_unbilled=not was_sent)

    def no_messages_api_fault(self) -> Fault:
        return replace(operator_fault(texts.NO_MESSAGES_API(server=self.name), texts.SET_URL), is_unbilled=True)

    def broken_reply_fault(self) -> Fault:
        words = people.ANSWER_BROKE_OFF(model=self.name_for_people)
        return Fault(kind=FaultKind.BROKEN_REPLY, problem=words, advice=people.TRY_AGAIN())


def operator_fault(words: str, advice: str, *, is_about_key: bool = False) -> Fault:
    kind = FaultKind.NOT_RETRYABLE
    return Fault(kind=kind, problem=words, advice=advice, is_operator_problem=True, is_about_key=is_about_key)


def parse_retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks us to wait, in every known header form; None if it does not say."""
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        try:
            seconds = float(headers[name]) / unit
        except (KeyError, ValueError):
            continue
        if math.isfinite(seconds):
            return seconds
    date = parsedate_tz(headers.get("retry-after", ""))
    return mktime_tz(date) - time() if date else None
