"""The tokens by which clients show over HTTP who they are, and how many wrong ones an address may send."""

import hashlib
import hmac
import time
from collections import deque
from collections.abc import Callable, Mapping

BEARER = "bearer "
MAX_WRONG_TOKENS, WRONG_TOKEN_SECONDS = 10, 60.0  # of one address, within so many seconds
MAX_KNOWN_PEERS = 1_000


class WrongTokenLimit:
    """Count wrong tokens by the address that they come from."""

    def __init__(self, now: Callable[[], float] = time.monotonic, most: int = MAX_WRONG_TOKENS) -> None:
        self.now = now
        self.most = most
        self._wrong: dict[str, deque[float]] = {}

    def is_reached(self, peer: str) -> bool:
        times = self._wrong.get(peer, deque())
        while times and times[0] <= self.now() - WRONG_TOKEN_SECONDS:
            times.popleft()
        return len(times) >= self.most

    def count(self, peer: str) -> None:
        times = self._wrong.pop(peer, deque(maxlen=self.most))
        times.append(self.now())
        self._wrong[peer] = times  # the newest is last
        if len(self._wrong) > MAX_KNOWN_PEERS:
            del self._wrong[next(iter(self._wrong))]


class ClientTokens:
    """The tokens of clients, by their names. Right tokens are never counted out: behind a proxy, all clients come from
    its address, and so does an attacker who guesses."""

    def __init__(self, tokens: Mapping[str, str], most_wrong: int = MAX_WRONG_TOKENS) -> None:
        self.digests = {name: digest(token) for name, token in tokens.items()}
        self.wrong = WrongTokenLimit(most=most_wrong)

    def find_client(self, authorization: str) -> str | None:
        """Return the client whose token a header `Authorization` holds. Comparing takes the same time for every
        token."""
        if not authorization.lower().startswith(BEARER):
            return None
        given = digest(authorization[len(BEARER) :].strip())
        found = [name for name, known in self.digests.items() if hmac.compare_digest(given, known)]
        return found[0] if found else None

    def is_wrong_too_often(self, peer: str, authorization: str) -> bool:
        """Return True if an address has sent too many wrong tokens. Else count this one; a missing one is none."""
        if not authorization:
            return False
        if self.wrong.is_reached(peer):
            return True
        self.wrong.count(peer)
        return False


def digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
