"""Which sites the web tools may reach: lists of domains. A domain stands for itself and for all domains below it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

MAX_DOMAIN_CHARACTERS = 253
LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
DOMAIN_PATTERN = re.compile(rf"{LABEL}(?:\.{LABEL})*")


def normalize_domain(text: str) -> str:
    """Return a domain as name servers know it: in lower case, and in ASCII. Raise ValueError if it is none."""
    try:
        name = text.strip().rstrip(".").casefold().encode("idna").decode()
    except UnicodeError:
        raise ValueError(text) from None
    if len(name) > MAX_DOMAIN_CHARACTERS or not DOMAIN_PATTERN.fullmatch(name):
        raise ValueError(text)
    return name


def is_within(host: str, domains: Iterable[str]) -> bool:
    """Return True if the host is one of the domains, or below one."""
    return any(host == domain or host.endswith(f".{domain}") for domain in domains)


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainRules:
    """Normalized domains. If some are allowed, no others are."""

    allowed: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()

    def allows(self, host: str) -> bool:
        if not self.allowed and not self.blocked:
            return True
        try:
            name = normalize_domain(host)
        except ValueError:  # an address in numbers, such as ::1, is within no domain
            return not self.allowed
        return not is_within(name, self.blocked) and (not self.allowed or is_within(name, self.allowed))

    @property
    def fields_of_server_tool(self) -> dict[str, list[str]]:
        """Return what the tools of Anthropic's server call these rules. They take one of both lists."""
        lists = {"allowed_domains": self.allowed, "blocked_domains": self.blocked}
        return {name: list(domains) for name, domains in lists.items() if domains}


ANY_DOMAIN = DomainRules()
