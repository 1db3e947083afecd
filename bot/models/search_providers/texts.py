"""What the model reads where a search came to nothing, and what operators read of it."""

from bot.core.texts import Text

# For the model

NOT_SET_UP = Text(
    "{service}, which searches the web for this bot, is not set up well; say so, and that the operator finds the "
    "reason in the log"
)
QUOTA_USED_UP = Text("the searches that this bot may make at {service} are used up; go on without, or say so")
BUSY = Text("{service} takes no more searches at the moment; try again in a minute, or go on without")
OUT_OF_REACH = Text("{service}, which searches the web for this bot, cannot be reached at the moment")
TOO_SLOW = Text("{service} did not answer within {seconds:g} s; try again, or search for something simpler")
NOT_ACCEPTED = Text("{service} did not accept this search: {said}")

# For operators

KEY_MISSING = Text("web: {service} needs a key: set web.api_key")
ADDRESS_MISSING = Text("web: {service} has no address of its own: set web.base_url to that of your server")
KEY_REFUSED = Text("web: {service} does not accept the key (status {status}): set web.api_key")
QUOTA_FAULT = Text("web: the searches paid for at {service} are used up (status {status}): {said}")
BUSY_FAULT = Text("web: {service} refuses searches, because they come too fast (status 429): {said}")
FAILING = Text("web: {service} fails (status {status}): {said}")
REFUSED = Text("web: {service} refused a search (status {status}): {said}")
NOT_FOUND = Text("web: {service} has no such address (status 404): check web.base_url")
ELSEWHERE = Text("web: {service} sends requests elsewhere (status {status}): check web.base_url")
NO_JSON = Text("web: {service} answers searches only as pages: add json to search.formats in its settings.yml")
STRANGE_ANSWER = Text("web: {service} answered something that is no list of results: check web.base_url")
UNREACHABLE = Text("web: {service} cannot be reached: check web.base_url and the network")
TOO_SLOW_FAULT = Text("web: {service} did not answer within {seconds:g} s")
NOTHING_SAID = Text("it said nothing")
THE_KEY = Text("(the key)")
