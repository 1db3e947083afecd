"""What the proxy for named hosts tells programs, and the models that read what programs print."""

from bot.core.texts import Text

NOT_A_REQUEST = Text("this proxy understands only plain requests of HTTP/1.1, and this is none")
NOT_FOR_PROXY = Text("this proxy takes CONNECT host:port, and addresses that begin with http://")
NOT_A_HOST = Text("this proxy takes names of hosts in ASCII letters, and addresses in their usual form, with a port")
ANOTHER_HOST = Text("the header Host names another host than the request")
NO_LENGTH = Text("this proxy takes a body only with its length (Content-Length)")
HEAD_TOO_LONG = Text("the head of this request is too long")
HOST_NOT_NAMED = Text(
    "{place} is not among the hosts that may be reached from here ({hosts}); {setting} would allow it"
)
TOO_MANY_CONNECTIONS = Text("this proxy keeps {most} connections at once, and no more")
CANNOT_CONNECT = Text("{place} cannot be reached")
UPSTREAM_REFUSED = Text("the proxy of the operator does not connect to {place}: {answer}")
UPSTREAM_AWAY = Text("the proxy of the operator cannot be reached")

# The log

REFUSED = Text("{owner}: a program asked for {place}, which is not among its named hosts")
REFUSED_IN_ALL = Text("{owner}: {count} requests for hosts that are not named were refused: {places}")
