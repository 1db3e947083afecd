"""Which addresses a setting takes, and what is made of them."""

from urllib.parse import urlsplit, urlunsplit

from pydantic import SecretStr

from bot.config import texts


def strip_api_version(url: str) -> str:
    """Return the address without the API version: the SDK adds it, but other clients want `/v1` at the end."""
    parts = urlsplit(url)
    above, _, last = parts.path.rstrip("/").rpartition("/")
    return urlunsplit(parts._replace(path=above)) if last == "v1" else url


def check_proxy_address(url: SecretStr) -> SecretStr:
    parts = urlsplit(url.get_secret_value())
    try:
        is_whole = parts.scheme in ("http", "https") and parts.hostname and parts.port
    except ValueError:
        is_whole = False
    if not is_whole:
        raise ValueError(texts.NOT_A_PROXY)
    return url
