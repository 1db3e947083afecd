"""What operators read where speech could not be turned into text."""

from bot.core.texts import Text

KEY_REFUSED = Text("voice: {server} does not accept the key (status {status}): set voice.api_key")
NOT_FOUND = Text("voice: {server} has no such address or model (status 404): {said}; check voice.base_url, voice.model")
REFUSED = Text("voice: {server} refused a recording (status {status}): {said}")
STRANGE_ANSWER = Text("voice: {server} answered something that is no transcript: check voice.base_url")
ELSEWHERE = Text("voice: {server} sends requests elsewhere (status {status}): check voice.base_url")
FAILING = Text("voice: {server} fails (status {status}): {said}")
TOO_LONG_WITHOUT_ANSWER = Text(
    "voice: {server} did not answer within {seconds} s: set voice.timeout_seconds, or use a faster model"
)
UNREACHABLE = Text("voice: {server} cannot be reached")
NOT_STARTED = Text("voice: the command {command} could not be started: {reason}; check voice.command")
COMMAND_FAILED = Text("voice: the command {command} failed (status {status}): {said}")
COMMAND_TOO_SLOW = Text("voice: the command {command} took longer than {seconds} s: set voice.timeout_seconds")
NOTHING_SAID = Text("it said nothing")
