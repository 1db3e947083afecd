"""A socket for a server of HTTP."""

import socket


def listen_at(host: str, port: int) -> socket.socket:
    """Return a listening socket. Raise OSError if there can be none."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.create_server((host, port), family=family)
    # The head and the body of an answer are two writes: without this, the second waits 40 ms for an acknowledgement of
    # the first. asyncio sees to it only on sockets that name their protocol, which these do not.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening
