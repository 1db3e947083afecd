"""Links whose words look like an address: if the link leads elsewhere, we show the host that it leads to."""

import re
import unicodedata
from urllib.parse import urlsplit

HOST_NAME_PATTERN = re.compile(r"(?:[^\W_](?:[\w-]*[^\W_])?\.)+[^\W\d_][\w-]*[^\W_]")  # a host, anywhere in the words
MAX_CHECKED_LINK_TEXT_LENGTH = 255  # the longest host name; the search takes quadratic time
UNSAFE_HOST_CHARACTER_PATTERN = re.compile(r"[^a-z0-9.:\[\]-]")


def misleading_link_note(words: str, target: str) -> str:
    """Return the host to show behind a link, as ` (evil.example)`. Return "" if the link's words name the host already,
    or if they contain no address. Words longer than MAX_CHECKED_LINK_TEXT_LENGTH are not checked: the host is always
    shown."""
    host = ascii_host_of_url(target)
    if not host:
        return ""
    if len(words) <= MAX_CHECKED_LINK_TEXT_LENGTH:
        plain = unicodedata.normalize("NFKC", words).replace("\u3002", ".").casefold()
        named = HOST_NAME_PATTERN.findall(plain)
        has_address = bool(named) or "://" in plain
        if not has_address or (named and all(is_same_host_or_subdomain(host, each) for each in named)):
            return ""
    return f" ({host})"


def ascii_host_of_url(target: str) -> str:
    """Return the host as browsers read it, in letters that cannot look like others. Return "" if there is no host."""
    try:
        parts = urlsplit(target.strip().replace("\\", "/"))
        host = parts.path.rpartition("@")[2] if parts.scheme == "mailto" else parts.hostname or ""
        found = host.encode("idna").decode() if not host.isascii() else host
    except ValueError:
        return "?"
    return UNSAFE_HOST_CHARACTER_PATTERN.sub("?", found.casefold())


def is_same_host_or_subdomain(host: str, named: str) -> bool:
    try:
        plain = named if named.isascii() else named.encode("idna").decode()
    except ValueError:
        return False
    bare = plain.removeprefix("www.")
    return host == bare or host.endswith(f".{bare}")
