"""Links whose words look like an address: if the link leads elsewhere, we show the host that it leads to."""

import re
import unicodedata
from urllib.parse import urlsplit

ADDRESS = re.compile(r"(?:[^\W_](?:[\w-]*[^\W_])?\.)+[^\W\d_][\w-]*[^\W_]")  # a host, anywhere in the words
MAX_LETTERS = 255  # the longest host name; the search takes quadratic time
UNSAFE_IN_HOST = re.compile(r"[^a-z0-9.:\[\]-]")


def host_note(words: str, target: str) -> str:
    """Return the host to show behind a link, as ` (evil.example)`. Return "" if the link's words name the host already,
    or if they contain no address. Words longer than MAX_LETTERS are not checked: the host is always shown."""
    host = readable_host(target)
    if not host:
        return ""
    if len(words) <= MAX_LETTERS:
        plain = unicodedata.normalize("NFKC", words).replace("\u3002", ".").casefold()
        named = ADDRESS.findall(plain)
        has_address = bool(named) or "://" in plain
        if not has_address or (named and all(is_same_host(host, each) for each in named)):
            return ""
    return f" ({host})"


def readable_host(target: str) -> str:
    """Return the host as browsers read it, in letters that cannot look like others. Return "" if there is no host."""
    try:
        parts = urlsplit(target.strip().replace("\\", "/"))
        host = parts.path.rpartition("@")[2] if parts.scheme == "mailto" else parts.hostname or ""
        found = host.encode("idna").decode() if not host.isascii() else host
    except ValueError:
        return "?"
    return UNSAFE_IN_HOST.sub("?", found.casefold())


def is_same_host(host: str, named: str) -> bool:
    try:
        plain = named if named.isascii() else named.encode("idna").decode()
    except ValueError:
        return False
    bare = plain.removeprefix("www.")
    return host == bare or host.endswith(f".{bare}")
