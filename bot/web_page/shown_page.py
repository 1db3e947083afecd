"""What the parts of the page need of it."""

from typing import Any, Protocol

from jinja2 import Environment
from starlette.requests import Request
from starlette.responses import Response

from bot.web_page.row_reader import RowReader


class ShownPage(Protocol):
    """The page, as its parts see it."""

    rows: RowReader
    templates: Environment

    def require_login(self, request: Request) -> None:
        """Raise HTTPException, which leads to the login, unless the browser is logged in."""

    def render(self, template: str, status: int = 200, **values: object) -> Response: ...

    def without_secrets(self, value: Any) -> Any:
        """Return what is shown, a text or a value that is to be JSON, with a mark in place of each secret."""
