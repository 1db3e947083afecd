"""The addresses of the page, and what answers at each."""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from bot.core.exits import remove_secrets_from_json
from bot.core.findings import CheckState
from bot.core.limits import GetCurrentTerms
from bot.core.messages import role_display_name
from bot.core.program_names import retinue_command
from bot.core.secret_search import SecretIndex
from bot.core.turn import SessionId, TurnId
from bot.store import page_rows
from bot.store.page_rows import ListedConversation
from bot.store.text_search.words import Languages
from bot.web_page import figures, overview, texts, views
from bot.web_page.file_answers import answer_with_file, view_file
from bot.web_page.fork_forms import BeginFork, ForkForms
from bot.web_page.kept_files import KeptFiles
from bot.web_page.live_views import LiveViews
from bot.web_page.logins import LOGIN_LIFETIME, Logins, TooManyFailures
from bot.web_page.markdown_html import markdown_to_html
from bot.web_page.overview import ListFindings, NamedThing
from bot.web_page.owner_forms import MAX_FORM_ID_CHARACTERS, OwnerForms, TakeWords, new_form_id
from bot.web_page.protection import Protection
from bot.web_page.request_pages import RequestPages
from bot.web_page.row_reader import RowReader, RowsOfOtherVersion

CONVERSATIONS_PER_PAGE = 30
MAX_CODE_CHARACTERS = 100
MAX_QUERY_CHARACTERS = 200
STATIC_FOLDER = Path(__file__).parent / "static"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFacts:
    """What the page needs to know from the settings."""

    origins: tuple[str, ...]  # the addresses by which it may be called, its own first
    secrets: SecretIndex  # those of the settings, which nothing shows
    languages: Languages  # of searches
    time_zone: tzinfo
    kept_files: KeptFiles
    list_findings: ListFindings  # looks for problems, as `retinue doctor` does
    list_roles: Callable[[], Sequence[NamedThing]]
    list_groups: Callable[[], Sequence[NamedThing]]
    begin_fork: BeginFork  # has the running bot try a turn again
    terms: GetCurrentTerms  # by which the bot decides what the owner may do
    take_words: TakeWords  # hands what the owner writes to the running bot


class Page:
    """What answers."""

    def __init__(self, rows: RowReader, logins: Logins, facts: PageFacts) -> None:
        self.rows = rows
        self.logins = logins
        self.facts = facts
        self.cookie_name = cookie_name(facts.origins[0])
        self.live_views = LiveViews(self.load_conversation)
        self.templates = Environment(
            loader=PackageLoader("bot.web_page"),
            autoescape=select_autoescape(default=True),
            undefined=StrictUndefined,
            finalize=self.without_secrets,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self.templates.globals |= {"texts": texts, "views": views, "role_display_name": role_display_name}
        self.templates.filters["markdown"] = lambda text: markdown_to_html(self.without_secrets(text))
        self.templates.globals["view_file"] = partial(view_file, kept=facts.kept_files)

    def application(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/", self.show_conversations),
                Route("/login", self.show_login),
                Route("/login", self.log_in, methods=["POST"]),
                Route("/logout", self.log_out, methods=["POST"]),
                Route("/conversations/{id}", self.show_conversation),
                Route("/conversations/{id}/events", self.stream_conversation),
                Route("/turns/{id:path}", self.show_turn),
                Route("/files/{origin}", self.show_file),
                Route("/figures", self.show_figures),
                Route("/state", self.show_state),
                *RequestPages(self).routes(),
                *ForkForms(self, self.facts.begin_fork).routes(),
                *OwnerForms(self, self.facts.take_words).routes(),
                Mount("/static", StaticFiles(directory=STATIC_FOLDER)),
            ],
            middleware=self.middleware(),
            exception_handlers={
                404: self.show_nothing,
                RowsOfOtherVersion: self.show_other_version,
                ClientDisconnect: self.answer_nobody,
            },
        )

    def middleware(self) -> list[Middleware]:
        return [Middleware(Protection, origins=self.facts.origins)]

    def is_logged_in(self, request: Request) -> bool:
        token = request.cookies.get(self.cookie_name, "")
        return bool(token) and self.logins.is_logged_in(token)

    def require_login(self, request: Request) -> None:
        """Raise HTTPException, which leads to the login, unless the browser is logged in."""
        if not self.is_logged_in(request):
            raise HTTPException(303, headers={"Location": "/login"})

    def without_secrets(self, value: Any) -> Any:
        """Return what is shown with a mark in place of each secret. What a template has rendered holds none."""
        return value if isinstance(value, Markup) else remove_secrets_from_json(value, self.facts.secrets)

    def render(self, template: str, status: int = 200, **values: object) -> HTMLResponse:
        return HTMLResponse(self.templates.get_template(template).render(values), status)

    async def show_nothing(self, request: Request, error: Exception) -> Response:
        return self.render("nothing.html", 404, text=texts.NOT_FOUND(), is_logged_in=self.is_logged_in(request))

    async def show_other_version(self, request: Request, error: Exception) -> Response:
        return self.render("nothing.html", 503, text=str(error), is_logged_in=True)

    async def answer_nobody(self, request: Request, error: Exception) -> Response:
        """Answer a browser that has gone while it sent a form. Nothing is logged: anybody could fill the log so."""
        return Response(status_code=400)

    async def show_login(self, request: Request) -> Response:
        """Show a button that uses up the code of the address. Only a person presses it: what fetches an address
        beforehand, such as a preview, uses up nothing."""
        code = request.query_params.get("code", "")[:MAX_CODE_CHARACTERS]
        return self.render_login(code=code)

    def render_login(self, status: int = 200, code: str = "", problem: str = "") -> HTMLResponse:
        command = retinue_command("web login")
        return self.render("login.html", status, code=code, problem=problem, command=command, is_logged_in=False)

    async def log_in(self, request: Request) -> Response:
        form = await request.form(max_files=0, max_fields=2)
        code = str(form.get("code", ""))[:MAX_CODE_CHARACTERS]
        try:
            token = self.logins.redeem_code(code)
        except TooManyFailures:
            return self.render_login(429, problem=texts.LOGIN_TOO_OFTEN())
        if token is None:
            return self.render_login(403, problem=texts.LOGIN_FAILED())
        answer = RedirectResponse("/", 303)
        is_https = self.facts.origins[0].startswith("https:")
        lifetime = int(LOGIN_LIFETIME.total_seconds())
        answer.set_cookie(self.cookie_name, token, lifetime, secure=is_https, httponly=True, samesite="strict")
        return answer

    async def log_out(self, request: Request) -> Response:
        self.logins.log_out(request.cookies.get(self.cookie_name, ""))
        answer = RedirectResponse("/login", 303)
        answer.delete_cookie(self.cookie_name)
        return answer

    async def show_conversations(self, request: Request) -> Response:
        self.require_login(request)
        query = request.query_params.get("words", "").strip()[:MAX_QUERY_CHARACTERS]
        number = page_number(request)
        most = CONVERSATIONS_PER_PAGE + 1  # one more than is shown, to know whether there are older ones
        if query:
            find = partial(
                page_rows.find_conversations_with_words, query=query, languages=self.facts.languages, most=most
            )
        else:
            find = partial(page_rows.list_conversations_before, number=number, most=most)
        found: list[ListedConversation] = await self.rows.read(find, [])
        shown = found[:CONVERSATIONS_PER_PAGE]
        older = shown[-1].number if len(found) > len(shown) and not query else None
        return self.render("conversations.html", found=shown, words=query, older=older, is_logged_in=True)

    async def show_conversation(self, request: Request) -> Response:
        self.require_login(request)
        view = await self.load_conversation(SessionId(request.path_params["id"]), page_number(request))
        return self.render("conversation.html", view=view, **form_values(request), is_logged_in=True)

    async def load_conversation(self, id: SessionId, before: int = page_rows.NEWEST) -> views.ConversationView:
        view = await self.rows.read(
            partial(views.load_conversation, id=id, terms=self.facts.terms(), before=before), None
        )
        if view is None:
            raise HTTPException(404)
        return view

    async def stream_conversation(self, request: Request) -> Response:
        """Send the parts of a conversation's page that have changed, as they change."""
        self.require_login(request)
        await self.load_conversation(SessionId(request.path_params["id"]))
        return StreamingResponse(self.changed_parts(request), media_type="text/event-stream")

    async def changed_parts(self, request: Request) -> AsyncIterator[str]:
        form = request.query_params.get("form", "")[:MAX_FORM_ID_CHARACTERS]
        parts = {name: self.templates.get_template(f"{name}.html") for name in ("messages", "delegations")}
        sent = dict[str, str]()
        async for version in self.rows.watch.wait_for_changes():
            if not self.is_logged_in(request):
                return
            try:
                view = await self.live_views.view_at(SessionId(request.path_params["id"]), version)
            except HTTPException:  # it was deleted
                return
            for name, template in parts.items():
                html = await asyncio.to_thread(template.render, view=view, form=form)
                digest = hashlib.sha256(html.encode()).hexdigest()
                if sent.get(name) != digest:
                    sent[name] = digest
                    yield f"data: {json.dumps({'part': name, 'html': html})}\n\n"
            yield ": \n\n"  # so that a browser that has gone is noticed

    async def show_turn(self, request: Request) -> Response:
        self.require_login(request)
        id = TurnId(request.path_params["id"])
        view = await self.rows.read(partial(views.load_turn, id=id), None)
        if view is None:
            raise HTTPException(404)
        is_part = request.headers.get("x-part") == "yes"  # the script asks for the transcript alone
        return self.render("transcript.html" if is_part else "turn.html", view=view, is_logged_in=True)

    async def show_file(self, request: Request) -> Response:
        self.require_login(request)
        answer = await answer_with_file(request, self.rows, self.facts.kept_files)
        if answer is None:
            raise HTTPException(404)
        return answer

    async def show_figures(self, request: Request) -> Response:
        self.require_login(request)
        today = datetime.now(self.facts.time_zone).date()
        view = await self.rows.read(partial(figures.load_figures, today=today), None)
        return self.render("figures.html", view=view, days=figures.DAYS, is_logged_in=True)

    async def show_state(self, request: Request) -> Response:
        self.require_login(request)
        view = await self.rows.read(partial(overview.load_overview, terms=self.facts.terms()), None)
        findings = await asyncio.to_thread(lambda: overview.findings_worst_first([*self.facts.list_findings()]))
        wrong = [each for each in findings if each.state is not CheckState.OK]
        return self.render(
            "state.html",
            view=view,
            findings=wrong,
            good_count=len(findings) - len(wrong),
            roles=self.facts.list_roles(),
            groups=self.facts.list_groups(),
            **form_values(request),
            is_logged_in=True,
        )


def cookie_name(origin: str) -> str:
    """Return the name of the cookie of a login. It has the port: browsers send the cookies of a machine to all ports,
    so the pages of two bots there need two names."""
    port = urlsplit(origin).port
    return f"retinue_login_{port}" if port else "retinue_login"


def form_values(request: Request) -> dict[str, Any]:
    """Return what a page with forms shows: their id, and whether the bot has just taken what one has sent."""
    return {"form": new_form_id(), "is_taken": "taken" in request.query_params}


def page_number(request: Request) -> int:
    """Return the number below which a list goes on, from the address; page_rows.NEWEST if it has none."""
    before = request.query_params.get("before", "")
    return int(before) if before.isascii() and before.isdecimal() and len(before) < 19 else page_rows.NEWEST
