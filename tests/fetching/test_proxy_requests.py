"""What the proxy for named hosts reads in a request, and what it refuses."""

import pytest

from bot.core.host_proxy.requests import WrongRequest, parse_request


def head(*lines: str) -> bytes:
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def test_a_tunnel_is_asked_for_by_host_and_port() -> None:
    asked = parse_request(head("CONNECT Example.Org.:443 HTTP/1.1", "Host: example.org:443"))
    assert (asked.is_tunnel, asked.host, asked.port, asked.place) == (True, "example.org", 443, "example.org:443")


def test_a_plain_request_goes_on_without_the_headers_of_its_hop() -> None:
    asked = parse_request(
        head(
            "POST http://example.org:8080?q=1 HTTP/1.1",
            *("Host: example.org:8080", "Accept: */*", "Connection: close, X-Mine", "X-Mine: 1", "Upgrade: x"),
            *("Proxy-Authorization: Basic eDp5", "Keep-Alive: 1", "Content-Length: 3"),
        )
    )
    assert (asked.host, asked.port, asked.path, asked.body_bytes) == ("example.org", 8080, "/?q=1", 3)
    sent = head(
        "POST /?q=1 HTTP/1.1", "Host: example.org:8080", "Accept: */*", "Content-Length: 3", "Connection: close"
    )
    assert asked.head_for(asked.path) == sent


PLAIN = "GET http://example.org/ HTTP/1.1"
TUNNEL = "CONNECT example.org:443 HTTP/1.1"


@pytest.mark.parametrize(
    "lines",
    [
        [""],
        ["GET / HTTP/1.1", "Host: example.org"],
        ["GET https://example.org/ HTTP/1.1"],
        ["GET ftp://example.org/ HTTP/1.1"],
        ["GET  http://example.org/ HTTP/1.1"],
        ["get http://example.org/ HTTP/1.1"],
        ["GET http://example.org/ HTTP/2.0"],
        ["GET http://example.org/"],
        ["GET http:///x HTTP/1.1"],
        ["GET http://example.org@evil.example/ HTTP/1.1"],
        ["GET http://user:word@example.org/ HTTP/1.1"],
        ["GET http://evil.example#@example.org/ HTTP/1.1"],
        ["GET http://evil.example\\@example.org/ HTTP/1.1"],
        ["GET http://evil.example\\.example.org/ HTTP/1.1"],
        ["GET http://exa\0mple.org/ HTTP/1.1"],
        ["GET http://example.org/a b HTTP/1.1"],
        ["GET http://example.org/ä HTTP/1.1"],
        ["GET http://2130706433/ HTTP/1.1"],
        ["CONNECT example.org HTTP/1.1"],
        ["CONNECT example.org: HTTP/1.1"],
        ["CONNECT example.org:0 HTTP/1.1"],
        ["CONNECT example.org:99999 HTTP/1.1"],
        ["CONNECT example.org:443:80 HTTP/1.1"],
        ["CONNECT http://example.org:443 HTTP/1.1"],
        ["CONNECT user@example.org:443 HTTP/1.1"],
        ["CONNECT ::1:443 HTTP/1.1"],
        ["CONNECT evil.example\0.example.org:443 HTTP/1.1"],
        [TUNNEL, "Content-Length: 5"],
        [TUNNEL, "Transfer-Encoding: chunked"],
        [TUNNEL, "Host: evil.example:443"],
        [TUNNEL, "Host: example.org:80"],
        [PLAIN, "Host: evil.example"],
        [PLAIN, "Host: example.org", "Host: example.org"],
        [PLAIN, "Host: example.org", "hOST: evil.example"],
        [PLAIN, "Host : example.org"],
        [PLAIN, " folded: line"],
        [PLAIN, "no colon"],
        [PLAIN, "X: a\nHost: evil.example"],
        [PLAIN, "X: a\rHost: evil.example"],
        [PLAIN, "X: a\0b"],
        [PLAIN, "Content-Length: 3", "Content-Length: 3"],
        [PLAIN, "Content-Length: 3, 4"],
        [PLAIN, "Content-Length: -1"],
        [PLAIN, "Content-Length: +3"],
        [PLAIN, "Content-Length: ²"],
        [PLAIN, "Transfer-Encoding: chunked"],
        [PLAIN, "Transfer-Encoding: identity", "Content-Length: 3"],
    ],
    ids=repr,
)
def test_what_two_readers_could_read_in_two_ways_is_refused(lines: list[str]) -> None:
    with pytest.raises(WrongRequest):
        parse_request(head(*lines))
