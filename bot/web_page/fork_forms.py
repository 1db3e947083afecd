"""The form by which the owner tries a turn again, in a conversation of their own."""

import re
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from urllib.parse import quote

from markupsafe import escape
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from bot.core.errors import ForkRefused
from bot.core.forks import ForkOrder
from bot.core.turn import TurnId
from bot.journal.forks import Fork
from bot.web_page import request_views
from bot.web_page.owner_forms import MAX_FIELD_BYTES
from bot.web_page.shown_page import ShownPage

BeginFork = Callable[[ForkOrder], Awaitable[Fork]]

MAX_MODEL_CHARACTERS = 100
KEY_PATTERN = re.compile(r"[\w-]{1,64}", re.ASCII)


class ForkForms:
    """What answers below `/forks`. Each form has a key, so a form that is sent twice begins one conversation."""

    def __init__(self, page: ShownPage, begin: BeginFork) -> None:
        self.page = page
        self.begin = begin

    def routes(self) -> Sequence[Route]:
        return [
            Route("/forks/{turn:path}", self.show_form),
            Route("/forks/{turn:path}", self.begin_fork, methods=["POST"]),
        ]

    async def show_form(self, request: Request) -> Response:
        self.page.require_login(request)
        words = await self.load_shown_words(request)
        order = ForkOrder(key=secrets.token_urlsafe(16), turn=TurnId(request.path_params["turn"]), text="")
        return self.page.render("fork.html", order=order, words=words, problem="", is_logged_in=True)

    async def begin_fork(self, request: Request) -> Response:
        """Begin a conversation and lead there; if the bot does not take the order, show why, with the same form."""
        self.page.require_login(request)
        form = await request.form(max_files=0, max_fields=3, max_part_size=MAX_FIELD_BYTES)
        order = ForkOrder(
            key=str(form.get("key", "")),
            turn=TurnId(request.path_params["turn"]),
            text=str(form.get("words", "")).replace("\r\n", "\n"),
            model=str(form.get("model", "")).strip()[:MAX_MODEL_CHARACTERS],
        )
        if not KEY_PATTERN.fullmatch(order.key):
            raise HTTPException(400)
        is_as_shown = order.text.split() == (await self.load_shown_words(request)).split()
        try:  # words that nobody has changed are the turn's own, with all that the form has hidden of them
            fork = await self.begin(replace(order, text="") if is_as_shown else order)
        except ForkRefused as error:
            values = {"order": order, "words": escape(order.text), "problem": str(error)}
            return self.page.render("fork.html", 409, **values, is_logged_in=True)
        return RedirectResponse(f"/conversations/{quote(fork.session, safe='')}", 303)

    async def load_shown_words(self, request: Request) -> str:
        """Return what people wrote to the turn, as the form shows it. Raise HTTPException if there is no such turn."""
        turn = TurnId(request.path_params["turn"])
        words = await self.page.rows.read(partial(request_views.load_words_of_turn, id=turn), None)
        if words is None:
            raise HTTPException(404)
        return str(self.page.without_secrets(words))
