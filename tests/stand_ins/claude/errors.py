"""The error answers of the service."""

from dataclasses import dataclass, field
from typing import Any

TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    408: "timeout_error",
    409: "conflict_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    503: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}


@dataclass
class ApiError(Exception):
    """An error answer. The request does not count."""

    message: str
    status: int = 400
    code: str = ""  # details.error_code, if the service sends one
    headers: dict[str, str] = field(default_factory=dict)

    def body(self, request_id: str) -> dict[str, Any]:
        error: dict[str, Any] = {"type": TYPES.get(self.status, "api_error"), "message": self.message}
        if self.code:
            error["details"] = {"error_code": self.code}
        return {"type": "error", "error": error, "request_id": request_id}


def extra(where: str) -> ApiError:
    return ApiError(f"{where}: Extra inputs are not permitted")
