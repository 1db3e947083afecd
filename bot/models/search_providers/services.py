"""The services that search: how each is asked, and what its answers mean. Their formats are documented by

- Brave: api-dashboard.search.brave.com/app/documentation/web-search/get-started
- SearXNG: docs.searxng.org/dev/search_api.html
- Tavily: docs.tavily.com/documentation/api-reference/endpoint/search
"""

import html
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from bot.core.domains import DomainRules
from bot.core.search_provider import MAX_HITS, MAX_QUERY_CHARACTERS, SearchHit

MAX_HITS_ASKED = 20  # more than are shown: some may be of sites that are not allowed
MARKUP_PATTERN = re.compile(r"<[^<>]{0,100}>")


class Failure(Enum):
    """What a status means that is none of success."""

    KEY_REFUSED = auto()
    QUOTA = auto()
    BUSY = auto()
    NO_JSON = auto()
    REFUSED = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    params: Mapping[str, str] | None = None  # of a GET
    body: Mapping[str, Any] | None = None  # of a POST, as JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """`read_hits` raises KeyError, TypeError or AttributeError for an answer that is none."""

    title: str
    base_url: str = ""  # empty: the operator's own server
    needs_key: bool = True
    make_request: Callable[[str, str, DomainRules], SearchRequest]
    read_hits: Callable[[Any], Iterator[SearchHit]]
    find_failure: Callable[[int, Any], Failure]


def add_sites_to_query(query: str, domains: DomainRules) -> str:
    """Return the query with the sites that are allowed, if it may be so long: most engines understand that."""
    sites = " OR ".join(f"site:{domain}" for domain in domains.allowed)
    whole = f"{query} ({sites})" if sites else query
    return whole if len(whole) <= MAX_QUERY_CHARACTERS else query


def ask_brave(query: str, key: str, domains: DomainRules) -> SearchRequest:
    params = {"q": add_sites_to_query(query, domains), "count": str(MAX_HITS_ASKED), "text_decorations": "false"}
    headers = {"Accept": "application/json", "X-Subscription-Token": key}
    return SearchRequest(path="/res/v1/web/search", headers=headers, params=params)


def read_brave_hits(answer: Any) -> Iterator[SearchHit]:
    for each in (answer.get("web") or {}).get("results", ()):
        excerpt = html.unescape(MARKUP_PATTERN.sub("", each.get("description") or ""))
        title = html.unescape(MARKUP_PATTERN.sub("", each.get("title") or ""))
        yield SearchHit(title=title, address=each["url"], excerpt=excerpt, date=each.get("page_age") or "")


def find_brave_failure(status: int, answer: Any) -> Failure:
    error = answer.get("error") if isinstance(answer, dict) else None
    code = str(error.get("code", "")) if isinstance(error, dict) else ""
    if status in (401, 403) or "SUBSCRIPTION_TOKEN" in code:
        return Failure.KEY_REFUSED
    if status == 402 or "QUOTA" in code:
        return Failure.QUOTA
    return Failure.BUSY if status == 429 else Failure.REFUSED


def ask_tavily(query: str, key: str, domains: DomainRules) -> SearchRequest:
    lists = {"include_domains": domains.allowed, "exclude_domains": domains.blocked}
    given = {name: list(found) for name, found in lists.items() if found}
    body = {"query": query, "max_results": MAX_HITS, "search_depth": "basic", **given}
    return SearchRequest(path="/search", headers={"Authorization": f"Bearer {key}"}, body=body)


def read_tavily_hits(answer: Any) -> Iterator[SearchHit]:
    for each in answer["results"]:
        title, excerpt, date = (each.get(name) or "" for name in ("title", "content", "published_date"))
        yield SearchHit(title=title, address=each["url"], excerpt=excerpt, date=date)


def find_tavily_failure(status: int, answer: Any) -> Failure:
    meanings = {401: Failure.KEY_REFUSED, 403: Failure.KEY_REFUSED, 429: Failure.BUSY}
    meanings |= {432: Failure.QUOTA, 433: Failure.QUOTA}  # of the plan; of what is paid as it is used
    return meanings.get(status, Failure.REFUSED)


def ask_searxng(query: str, key: str, domains: DomainRules) -> SearchRequest:
    """Return the request. A server of one's own needs no key; one behind a proxy may want it as a bearer's token."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    params = {"q": add_sites_to_query(query, domains), "format": "json"}
    return SearchRequest(path="/search", headers=headers, params=params)


def read_searxng_hits(answer: Any) -> Iterator[SearchHit]:
    for each in answer["results"]:
        title, excerpt, date = (each.get(name) or "" for name in ("title", "content", "publishedDate"))
        yield SearchHit(title=title, address=each["url"], excerpt=excerpt, date=date)


def find_searxng_failure(status: int, answer: Any) -> Failure:
    meanings = {401: Failure.KEY_REFUSED, 403: Failure.NO_JSON, 429: Failure.BUSY}
    return meanings.get(status, Failure.REFUSED)


SERVICES: Mapping[str, Service] = {
    "brave": Service(
        title="Brave",
        base_url="https://api.search.brave.com",
        make_request=ask_brave,
        read_hits=read_brave_hits,
        find_failure=find_brave_failure,
    ),
    "searxng": Service(
        title="SearXNG",
        needs_key=False,
        make_request=ask_searxng,
        read_hits=read_searxng_hits,
        find_failure=find_searxng_failure,
    ),
    "tavily": Service(
        title="Tavily",
        base_url="https://api.tavily.com",
        make_request=ask_tavily,
        read_hits=read_tavily_hits,
        find_failure=find_tavily_failure,
    ),
}
