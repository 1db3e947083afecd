"""What the owner does from the page: write, stop, steer and answer. Each form is handed to the bot, as words of theirs.

Each page that is shown has an id of its own, which its forms carry. So a form that is sent twice is one message.
"""

import secrets
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from bot.core.errors import WordsRefused
from bot.core.page_words import PageAct, PageWords
from bot.core.turn import TurnId
from bot.store import session_records
from bot.web_page.shown_page import ShownPage

MAX_FORM_ID_CHARACTERS = 100
MAX_FIELD_BYTES = 2 * 2**20  # of a field: MAX_WORDS_CHARACTERS, each up to twelve bytes in a form

TakeWords = Callable[[PageWords], Awaitable[None]]
ADDRESSES = {
    "/conversations/{id}/words": PageAct.WRITE,
    "/conversations/{id}/stop": PageAct.STOP,
    "/turns/{id:path}/words": PageAct.TELL,
    "/turns/{id:path}/stop": PageAct.STOP_DELEGATION,
    "/questions/{id:path}": PageAct.ANSWER,
}


class OwnerForms:
    def __init__(self, page: ShownPage, take: TakeWords) -> None:
        self.page = page
        self.take = take

    def routes(self) -> Sequence[Route]:
        return [Route(path, partial(self.hand_in, act), methods=["POST"]) for path, act in ADDRESSES.items()]

    async def hand_in(self, act: PageAct, request: Request) -> Response:
        """Hand the words of a form to the bot, and lead back to where it stood. If the bot does not take them, show
        why, with the same form to send again."""
        self.page.require_login(request)
        form = await request.form(max_files=0, max_fields=2, max_part_size=MAX_FIELD_BYTES)
        words = PageWords(
            form=str(form.get("form", ""))[:MAX_FORM_ID_CHARACTERS],
            act=act,
            about=request.path_params["id"],
            text=str(form.get("words", "")).replace("\r\n", "\n"),
        )
        back = await self.find_page_of_form(act, words.about)
        try:
            await self.take(words)
        except WordsRefused as error:
            values = {"problem": str(error), "words": words, "action": request.url.path, "back": back}
            return self.page.render("refused.html", 409, **values, is_logged_in=True)
        return RedirectResponse(f"{back}?taken=yes", 303)

    async def find_page_of_form(self, act: PageAct, about: str) -> str:
        """Return the address of the page on which a form stands."""
        if act is PageAct.ANSWER:
            return "/state"
        if act in (PageAct.WRITE, PageAct.STOP):
            return f"/conversations/{quote(about, safe='')}"
        try:
            found = await self.page.rows.read(
                partial(session_records.find_conversation_of_turn, turn=TurnId(about)), ""
            )
        except LookupError:
            return "/"
        return f"/conversations/{quote(found, safe='')}"


def new_form_id() -> str:
    return secrets.token_urlsafe(16)
