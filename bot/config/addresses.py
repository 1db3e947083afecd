"""Which addresses a setting takes, and what is made of them."""

from urllib.parse import urlsplit, urlunsplit

from pydantic import SecretStr

from bot.config import texts


def check_web_address(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(texts.NOT_A_WEB_ADDRESS)
    if parts.username or parts.password:
        raise ValueError(texts.PASSWORD_IN_ADDRESS)
    return url


def strip_api_version(url: str) -> str:
    """Return the address without the API version: the SDK adds it, but other clients want `/v1` at the end."""
    parts = urlsplit(url)
    above, _, last = parts.path.rstrip("/").rpartition("/")
    return urlunsplit(parts._replace(path=above)) if last == "v1" else url


def add_bot_path(url: str) -> str:
    """Return the address of a Bot API server as the library wants it: the library puts the token right behind
    `/bot`."""
    parts = urlsplit(url)
    path = parts.path.rstrip("/")
    is_whole = path.endswith("/bot") or "{token}" in path
    return urlunsplit(parts._replace(path=path if is_whole else f"{path}/bot"))


def check_socket_address(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("ws", "wss") or not parts.hostname:
        raise ValueError(texts.NOT_A_SOCKET_ADDRESS)
    return url


def check_proxy_address(url: SecretStr) -> SecretStr:
    parts = urlsplit(url.get_secret_value())
    try:
        is_whole = parts.scheme in ("http", "https") and parts.hostname and parts.port
    except ValueError:
        is_whole = False
    if not is_whole:
        raise ValueError(texts.NOT_A_PROXY)
    return url
