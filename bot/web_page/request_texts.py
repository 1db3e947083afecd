"""What the page says about the requests of a turn, and about what its calls have done."""

from bot.core.texts import Plural, Text

HOW_IT_CAME = Text("How this came about")
REQUESTS = Text("Requests")
REQUESTS_OF = Text("What the model was asked in {turn}")
REQUEST = Text("Request {number}")
ANSWERED_REQUEST = Text("Request")
REQUEST_OF = Text("Request {number} of {turn}")
NO_REQUESTS = Text("The model was not asked yet.")
AS_JSON = Text("As JSON")
ATTEMPT = Text("attempt {number}")
PROMPT = Plural("{count:,} token read", "{count:,} tokens read")
WRITTEN = Plural("{count:,} token written", "{count:,} tokens written")
DIGEST = Text("Digest: {digest}")
SYSTEM = Text("System prompt")
TOOLS = Plural("{count} tool", "{count} tools")
MESSAGES = Plural("{count} message", "{count} messages")
OPTIONS = Text("Options")
HEADERS = Text("Headers")
MESSAGE = Text("{number} · {role}")
DATA_LEFT_OUT = Text("({count:,} characters of base64)")

TRY_AGAIN = Text("Try again from here")
WHAT_A_FORK_IS = Text(
    "A conversation of your own begins with what the lead had read before this turn. Nobody else sees it. What it does "
    "to the world needs your word again. If somebody else wrote the words below and you leave them as they are, they "
    "are only quoted; if you change them, all of them count as yours."
)
WORDS = Text("What to ask")
MODEL = Text("Model; empty: the one that the lead has now")

EFFECTS = Text("What was done")
EFFECTS_OF = Text("What {turn} and the turns below it have done")
NO_EFFECTS = Text("No call has done anything.")
ASKED_FOR = Text("Message")
WORDS_GONE = Text("What was written is no longer kept.")
NO_REQUEST_KEPT = Text("Nothing was kept of the request.")
CALL = Text("Call")
APPROVAL = Text("Approval")
NOBODY_ASKED = Text("Nobody was asked.")
ASKED_PERSON = Text("{person} was asked: {state}")
ANSWERED = Text("“{answer}”")
RECORD = Text("Record")
NOT_DONE_YET = Text("It has not run yet.")
WAITS_FOR_PERSON = Text("It waits for a person's word.")
POSTED = Text("Posted in {address}: {state}")
