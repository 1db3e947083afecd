"""Refusals of the API, all in one shape: the problem details of RFC 9457."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.responses import Response

from bot.web_page.api import texts

PROBLEM_MEDIA_TYPE = "application/problem+json"
NO_HEADERS: Mapping[str, str] = {}


class Mistake(BaseModel):
    where: str = Field(description=texts.WHERE)
    message: str


class ProblemDetails(BaseModel):
    """Why a request was refused (RFC 9457)."""

    model_config = ConfigDict(title="Problem")

    type: str = "about:blank"  # the status says all there is to say about the kind
    title: str
    status: int
    detail: str
    mistakes: list[Mistake] = []


class Problem(Exception):
    """A request is refused with this status."""

    def __init__(
        self, status: int, detail: str, mistakes: Sequence[Mistake] = (), headers: Mapping[str, str] = NO_HEADERS
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.details = ProblemDetails(
            title=HTTPStatus(status).phrase, status=status, detail=detail, mistakes=[*mistakes]
        )
        self.headers = headers

    def response(self) -> Response:
        content = self.details.model_dump_json()
        return Response(content, self.status, {**self.headers}, media_type=PROBLEM_MEDIA_TYPE)


def mistakes_of(error: ValidationError, part: str) -> list[Mistake]:
    """Return what pydantic has found wrong in a part of a request: the query or the body."""
    return [
        Mistake(where=".".join([part, *map(str, each["loc"])]), message=each["msg"])
        for each in error.errors(include_url=False, include_context=False, include_input=False)
    ]
