"""Requests to the API: who asks, whether that may be asked, what the answer is. The parts of a request are read in this
order: the token, the query, the body."""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import quote

from pydantic import BaseModel, ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from bot.core.client_settings import ApiScope
from bot.core.errors import BotAway, DelegationRefused
from bot.core.exits import remove_secrets_from_json
from bot.core.secret_search import SecretIndex
from bot.ops.client_tokens import WRONG_TOKEN_SECONDS, ClientTokens
from bot.web_page.api import texts
from bot.web_page.api.openapi import describe_operations
from bot.web_page.api.operation import Call, Caller, Operation
from bot.web_page.api.problems import Mistake, Problem, mistakes_of
from bot.web_page.protection import Protection
from bot.web_page.row_reader import RowsOfOtherVersion

PREFIX = "/v1"  # of every address
DESCRIPTION_PATH = "/v1/openapi.json"
MAX_BODY_BYTES = 2 * 2**20
AWAY_SECONDS = 5  # after which a program may ask again


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiClients:
    """Who may ask: clients with their tokens and scopes, both by name."""

    tokens: ClientTokens
    scopes: Mapping[str, frozenset[ApiScope]]


class Api:
    """What answers requests. No answer holds one of `secrets`, those of the settings."""

    def __init__(
        self,
        operations: Sequence[Operation],
        clients: ApiClients,
        secrets: SecretIndex,
        version: str,
        origins: Collection[str],
    ) -> None:
        """`origins` are the addresses by which it may be called, each with its scheme and port."""
        self.operations = operations
        self.clients = clients
        self.origins = origins
        self.secrets = secrets
        self.version = version

    def application(self) -> ASGIApp:
        by_path = defaultdict[str, dict[str, Operation]](dict)
        for operation in self.operations:
            by_path[operation.path][operation.method] = operation
        # An id may have slashes. So what follows one is looked for first, in longer addresses.
        paths = sorted(by_path, key=len, reverse=True)
        application = Starlette(
            routes=[
                Route(DESCRIPTION_PATH, self.describe),
                *(
                    Route(
                        path.replace("{id}", "{id:path}"),
                        partial(self.answer, by_path[path]),
                        methods=[*by_path[path]],
                    )
                    for path in paths
                ),
            ],
            exception_handlers=REFUSALS,
        )
        application.router.redirect_slashes = False
        # Who asks shows a token, which no browser sends by itself.
        return Protection(application, self.origins, lambda reason: Problem(403, reason).response(), needs_origin=False)

    async def describe(self, request: Request) -> Response:
        return JSONResponse(describe_operations(self.operations, self.version))

    async def answer(self, by_method: Mapping[str, Operation], request: Request) -> Response:
        operation = by_method["GET" if request.method == "HEAD" else request.method]
        caller = self.find_caller(request)
        if caller.scopes.isdisjoint(operation.scopes):
            raise no_scope(caller, operation)
        query = read_query(operation, request)
        body = await read_body(operation.body, request) if operation.body else None
        call = Call(caller=caller, id=request.path_params.get("id", ""), query=query, body=body)
        answered = (await operation.run(call)).model_dump(mode="json")
        shown = remove_secrets_from_json(answered, self.secrets)
        if not operation.created_at:
            return JSONResponse(shown)
        address = operation.created_at.format(id=quote(answered["id"], safe=""))
        return JSONResponse(shown, 201, {"Location": address})

    def find_caller(self, request: Request) -> Caller:
        """Return the client whose token the request holds. Raise Problem if there is none."""
        authorization = request.headers.get("authorization", "")
        if name := self.clients.tokens.find_client(authorization):
            return Caller(name=name, scopes=self.clients.scopes[name])
        peer = request.client.host if request.client else ""
        if self.clients.tokens.is_wrong_too_often(peer, authorization):
            wait = {"Retry-After": str(round(WRONG_TOKEN_SECONDS))}
            raise Problem(429, texts.TOO_MANY_WRONG_TOKENS, headers=wait)
        if authorization:
            raise Problem(401, texts.WRONG_TOKEN, headers={"WWW-Authenticate": 'Bearer error="invalid_token"'})
        raise Problem(401, texts.NO_TOKEN, headers={"WWW-Authenticate": "Bearer"})


def no_scope(caller: Caller, operation: Operation) -> Problem:
    scopes = " ".join(operation.scopes)
    headers = {"WWW-Authenticate": f'Bearer error="insufficient_scope", scope="{scopes}"'}
    return Problem(403, texts.NO_SCOPE(client=caller.name, scopes=scopes), headers=headers)


def read_query(operation: Operation, request: Request) -> BaseModel:
    given = request.query_params.multi_items()
    names = [name for name, _ in given]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        mistakes = [Mistake(where=f"query.{name}", message=texts.TWICE) for name in twice]
        raise Problem(422, texts.WRONG_QUERY, mistakes)
    try:
        return operation.query.model_validate(dict(given))
    except ValidationError as error:
        raise Problem(422, texts.WRONG_QUERY, mistakes_of(error, "query")) from None


async def read_body(expected: type[BaseModel], request: Request) -> BaseModel:
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json":
        raise Problem(415, texts.NOT_SENT_AS_JSON)
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise Problem(413, texts.TOO_LARGE(most=MAX_BODY_BYTES))
    try:
        return expected.model_validate_json(bytes(body))
    except ValidationError as error:
        if error.errors()[0]["type"] == "json_invalid":
            raise Problem(400, texts.NOT_JSON, mistakes_of(error, "body")) from None
        raise Problem(422, texts.WRONG_BODY, mistakes_of(error, "body")) from None


def problem_of(error: Exception) -> Problem:
    match error:
        case Problem():
            return error
        case HTTPException(status_code=404):
            return Problem(404, texts.NOTHING_HERE)
        case HTTPException(status_code=405):
            return Problem(405, texts.WRONG_METHOD, headers=error.headers or {})
        case BotAway():
            return Problem(503, str(error), headers={"Retry-After": str(AWAY_SECONDS)})
        case DelegationRefused():
            return Problem(409, str(error))
        case RowsOfOtherVersion():
            return Problem(503, str(error))
    return Problem(500, texts.FAILED)


async def refuse(request: Request, error: Exception) -> Response:
    return problem_of(error).response()


Refuse = Callable[[Request, Exception], Awaitable[Response]]
REFUSALS: Mapping[Any, Refuse] = dict.fromkeys(
    (Problem, HTTPException, DelegationRefused, RowsOfOtherVersion, Exception), refuse
)


def beside_page(page: ASGIApp, api: ASGIApp) -> ASGIApp:
    """Return what answers below PREFIX as the API, and elsewhere as the page. Each has its own protection around it."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        is_of_api = scope["type"] == "http" and f"{scope['path']}/".startswith(f"{PREFIX}/")
        await (api if is_of_api else page)(scope, receive, send)

    return answer
