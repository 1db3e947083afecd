"""What people and operators are told when speech could not be turned into text."""

from bot.core.texts import Sentence, Text

# For people

OUT_OF_REACH = Sentence("I can't reach the service that turns speech into text")
BUSY = Sentence("the service that turns speech into text is busy")
NOT_SET_UP_WELL = Sentence(
    "the service that turns speech into text is not set up well; the reason is in the operator's log"
)
NOT_ACCEPTED = Sentence("the service that turns speech into text doesn't accept this recording")
TOO_LARGE = Sentence("the recording has {megabytes} MB, and I can turn at most {most} MB into text")
TOO_SLOW = Sentence("turning this recording into text takes too long")

# For operators

KEY_REFUSED = Text("voice: {server} does not accept the key (status {status}): set voice.api_key")
NOT_FOUND = Text("voice: {server} has no such address or model (status 404): {said}; check voice.base_url, voice.model")
REFUSED = Text("voice: {server} refused a recording (status {status}): {said}")
STRANGE_ANSWER = Text("voice: {server} answered something that is no transcript: check voice.base_url")
ELSEWHERE = Text("voice: {server} sends requests elsewhere (status {status}): check voice.base_url")
FAILING = Text("voice: {server} fails (status {status}): {said}")
UNREACHABLE = Text("voice: {server} cannot be reached")
NOT_STARTED = Text("voice: the command {command} could not be started: {reason}; check voice.command")
COMMAND_FAILED = Text("voice: the command {command} failed (status {status}): {said}")
COMMAND_TOO_SLOW = Text("voice: the command {command} took longer than {seconds} s: set voice.timeout_seconds")
NOTHING_SAID = Text("it said nothing")
