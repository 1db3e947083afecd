"""What operators are told when the metrics cannot be served."""

from bot.core.texts import Text

CANNOT_LISTEN_AT_PORT = Text("metrics.port: cannot listen at {host}, port {port}: {reason}; change the host or port")
NO_SUCH_NAME = Text("no address is known for that host name")
CANNOT_LISTEN_AT_SOCKET = Text("metrics socket (metrics.socket): cannot listen at {path}: {reason}")
SOCKET_IS_SOMETHING_ELSE = Text(
    "metrics socket (metrics.socket): {path} exists and is not a socket; choose another path, or remove the file"
)
SOCKET_IN_USE = Text("metrics socket (metrics.socket): {path} is in use by another process; choose another path")
METRICS_FAIL = Text("the metrics page could not be created")
