"""Services that search the web, on the loopback address: Brave, Tavily and SearXNG, as strict as the real ones. Each
refuses a wrong path, a wrong key, a wrong field and a query that is too long, in its own words and with its own
status."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

from tests.stand_ins.http import Connection, Incoming
from tests.stand_ins.standing import StandIn

KEYS = {"brave": "BSA-0123456789abcdef", "tavily": "tvly-0123456789abcdef", "searxng": ""}
PATHS = {"brave": "/res/v1/web/search", "tavily": "/search", "searxng": "/search"}
BRAVE_FIELDS = {"q", "count", "offset", "country", "search_lang", "safesearch", "freshness", "text_decorations"}
TAVILY_FIELDS = {"query", "max_results", "search_depth", "topic", "time_range", "include_domains", "exclude_domains"}
SEARXNG_FIELDS = {"q", "format", "language", "pageno", "time_range", "safesearch", "categories", "engines"}
QUERY_CHARACTERS, QUERY_WORDS = 400, 50

Answer = tuple[int, dict[str, str], bytes]


def answer(status: int, value: object, **headers: str) -> Answer:
    return status, {"content-type": "application/json", **headers}, json.dumps(value).encode()


def page(title: str, url: str, text: str = "", date: str = "") -> dict[str, str]:
    return {"title": title, "url": url, "text": text, "date": date}


@dataclass(eq=False)
class SearchStandIn(StandIn):
    """`found` is what each search finds. `answers` are given once each, before any other."""

    service: str
    found: list[dict[str, str]] = field(default_factory=lambda: [page("One", "https://one.example/")])
    answers: deque[Answer] = field(default_factory=deque)
    has_json: bool = True  # of SearXNG: its operator has to allow it
    is_silent: bool = False
    port: int = 0
    queries: list[str] = field(default_factory=list)  # of accepted searches
    bodies: list[dict[str, Any]] = field(default_factory=list)
    asked: int = 0

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def __aenter__(self) -> SearchStandIn:
        await self.begin()
        return self

    async def serve(self, connection: Connection) -> None:
        while request := await connection.request():
            self.asked += 1
            if self.is_silent:
                await connection.watch()
                return
            await connection.whole(*(self.answers.popleft() if self.answers else self.reply(request)))

    def reply(self, request: Incoming) -> Answer:
        if request.path != PATHS[self.service]:
            return answer(404, {"detail": "Not Found"})
        return {"brave": self.brave, "tavily": self.tavily, "searxng": self.searxng}[self.service](request)

    def brave(self, request: Incoming) -> Answer:
        given = {name: values[0] for name, values in parse_qs(request.query, keep_blank_values=True).items()}
        if request.method != "GET":
            return answer(405, {"detail": "Method Not Allowed"})
        key = request.headers.get("x-subscription-token")
        if key is None:
            return brave_error(422, "VALIDATION", "Unable to validate request parameter(s)")
        if key != KEYS["brave"]:
            return brave_error(422, "SUBSCRIPTION_TOKEN_INVALID", "The provided subscription token is invalid.")
        query, count = given.get("q", ""), given.get("count", "20")
        is_long = len(query) > QUERY_CHARACTERS or len(query.split()) > QUERY_WORDS
        is_count = count.isdecimal() and 1 <= int(count) <= 20
        if not query or is_long or not is_count or given.keys() - BRAVE_FIELDS:
            return brave_error(422, "VALIDATION", "Unable to validate request parameter(s)")
        self.queries.append(query)
        results = [
            {"type": "search_result", "title": each["title"], "url": each["url"], "description": each["text"]}
            | ({"page_age": each["date"]} if each["date"] else {})
            for each in self.found[: int(count)]
        ]
        web = {"type": "search", "results": results, "family_friendly": True}
        found = {"type": "search", "query": {"original": query}} | ({"web": web} if results else {})
        return answer(200, found, **{"x-ratelimit-limit": "1, 15000"})

    def tavily(self, request: Incoming) -> Answer:
        if request.method != "POST":
            return answer(405, {"detail": "Method Not Allowed"})
        if request.headers.get("authorization") != f"Bearer {KEYS['tavily']}":
            return tavily_error(401, "Unauthorized: missing or invalid API key.")
        try:
            body = json.loads(request.body)
        except ValueError:
            return answer(422, {"detail": [{"type": "json_invalid", "loc": ["body", 0], "msg": "JSON decode error"}]})
        query = body.get("query")
        if not isinstance(query, str) or not query:
            return tavily_error(400, "Query is missing.")
        if len(query) > QUERY_CHARACTERS:
            return tavily_error(400, "Query is too long. Max query length is 400 characters.")
        if body.keys() - TAVILY_FIELDS or not 0 <= body.get("max_results", 5) <= 20:
            return answer(422, {"detail": [{"type": "extra_forbidden", "loc": ["body"], "msg": "Invalid field"}]})
        self.queries.append(query)
        self.bodies.append(body)
        results = [
            {"title": each["title"], "url": each["url"], "content": each["text"], "score": 0.9, "raw_content": None}
            | ({"published_date": each["date"]} if each["date"] else {})
            for each in self.found[: body.get("max_results", 5)]
        ]
        more: dict[str, Any] = {"answer": None, "images": [], "follow_up_questions": None, "response_time": 0.4}
        return answer(200, {"query": query, "results": results, **more})

    def searxng(self, request: Incoming) -> Answer:
        given = {name: values[0] for name, values in parse_qs(request.query, keep_blank_values=True).items()}
        if given.get("format") != "json" or not self.has_json:
            return 403, {"content-type": "text/html"}, b"<title>403 Forbidden</title>"
        if not given.get("q") or given.keys() - SEARXNG_FIELDS:
            return answer(400, {"error": "No query"})
        self.queries.append(given["q"])
        results = [
            {"title": each["title"], "url": each["url"], "content": each["text"], "engine": "mojeek", "score": 1.0}
            | {"publishedDate": each["date"] or None}
            for each in self.found
        ]
        more: dict[str, Any] = {
            "answers": [],
            "corrections": [],
            "infoboxes": [],
            "suggestions": [],
            "unresponsive_engines": [],
        }
        return answer(200, {"query": given["q"], "number_of_results": 0, "results": results, **more})


def brave_error(status: int, code: str, detail: str) -> Answer:
    error = {"id": "0b3c", "status": status, "code": code, "detail": detail}
    return answer(status, {"type": "ErrorResponse", "error": error, "time": 1_795_000_000})


def tavily_error(status: int, message: str) -> Answer:
    return answer(status, {"detail": {"error": message}})
