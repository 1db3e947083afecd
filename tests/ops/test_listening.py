"""The sockets of our servers."""

import socket

from bot.ops.listening import listen_at


def test_the_body_of_an_answer_waits_for_no_acknowledgement() -> None:
    with listen_at("127.0.0.1", 0) as listening, socket.create_connection(listening.getsockname()):
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
