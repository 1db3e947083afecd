"""What operators read about a request that was built again from its rows."""

from bot.core.texts import Text

AS_SENT = Text("This is what was sent: its digest is the same.")
DIFFERS = Text("Differs from what was sent, because the program or its rows have changed since: {parts}.")
DIFFERS_WITHOUT_MEDIA = Text("Differs from what was sent: {parts}. A picture or a file in it is no longer kept.")
DIGEST_FORGOTTEN = Text(
    "Nobody can say whether this is what was sent: its digest was deleted, because a person was forgotten."
)
STILL_OPEN = Text("It is being answered now; how it was built is kept once it is over.")
LOST = Text("The program ended while this request was answered, so nothing was kept of how it was built.")
NOT_KEPT = Text("Nothing was kept of how it was built: it was not sent, or its model or version keeps nothing of that.")
CONVERSATION_GONE = Text("Its part of the conversation was deleted.")

PARTS = {"system": Text("the system prompt"), "tools": Text("the tools"), "options": Text("the options")}
MESSAGE = Text("message {number}")
