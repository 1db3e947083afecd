"""The pages of a turn's requests, and of what its calls have done."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bot.core.turn import RequestId, TurnId
from bot.store.connection import Connection
from bot.web_page import request_texts, request_views
from bot.web_page.shown_page import ShownPage

View = TypeVar("View")


class RowNumberConvertor(IntegerConvertor):
    """A number that SQLite takes. With more digits, an address names no request."""

    regex = "[0-9]{1,18}"


register_url_convertor("row", RowNumberConvertor())


class RequestPages:
    """What answers below `/requests` and `/effects`."""

    def __init__(self, page: ShownPage) -> None:
        self.page = page
        page.templates.globals |= {"request_texts": request_texts, "request_views": request_views}

    def routes(self) -> Sequence[Route]:
        return [
            Route("/requests/{number:row}", self.show_request),
            Route("/requests/{number:row}/json", self.send_request_as_json),
            Route("/requests/{turn:path}", self.show_requests),
            Route("/effects/{turn:path}", self.show_effects),
        ]

    async def show_requests(self, request: Request) -> Response:
        turn = TurnId(request.path_params["turn"])
        lines = await self.load(request, partial(request_views.load_requests, id=turn))
        return self.page.render("requests.html", turn=turn, lines=lines, is_logged_in=True)

    async def show_request(self, request: Request) -> Response:
        view = await self.load_request(request)
        body = request_views.body_view(view.rebuilt) if view.rebuilt else None
        return self.page.render("request.html", view=view, body=body, is_logged_in=True)

    async def send_request_as_json(self, request: Request) -> Response:
        view = await self.load_request(request)
        return JSONResponse(self.page.without_secrets(view.as_json()))

    async def show_effects(self, request: Request) -> Response:
        turn = TurnId(request.path_params["turn"])
        view = await self.load(request, partial(request_views.load_effects, turn=turn))
        return self.page.render("effects.html", view=view, is_logged_in=True)

    async def load_request(self, request: Request) -> request_views.RequestView:
        id = RequestId(request.path_params["number"])
        return await self.load(request, partial(request_views.load_request, id=id))

    async def load(self, request: Request, work: Callable[[Connection], View | None]) -> View:
        """Return what `work` finds for somebody who is logged in. Raise HTTPException if it finds nothing."""
        self.page.require_login(request)
        found = await self.page.rows.read(work, None)
        if found is None:
            raise HTTPException(404)
        return found
