"""What `retinue sessions` says to operators."""

from bot.core.texts import Plural, Text

# Which one is meant

NAME_ONE = {"conversation": Text("write the id of a conversation"), "turn": Text("write the id of a turn")}
NO_SUCH = {"conversation": Text("there is no conversation {part!r}"), "turn": Text("there is no turn {part!r}")}
NO_SUCH_BUT = {
    "conversation": Text("there is no conversation {part!r}; the nearest is {nearest}"),
    "turn": Text("there is no turn {part!r}; the nearest is {nearest}"),
}
MAY_BE_ANY_OF = Text("{part!r} fits several ids: {ids}; write more of the id")
IS_A_TURN = Text("{part} is the id of a turn; write the id of the conversation that the turn is part of")

# Which there are

NO_CONVERSATIONS = Text("There are no conversations in {folder} yet.")
NO_ROWS = Text("there are no conversations in {folder} yet")
OLD_ROWS = Text("the database {path} is from an earlier version of Retinue; the next start of the bot updates it")
THOSE_WITH_THE_DEMO = Text("(these are conversations with the demo: there are no others yet)")
CONVERSATION_LINE = Text("{id}  {time}  {facts}: {gist}")
OLDER_LEFT_OUT = Plural(
    "({count:,} older conversation is not listed: --limit 0 lists all)",
    "({count:,} older conversations are not listed: --limit 0 lists all)",
)
OF_GROUP = Text("group {group}")
TURNS = Plural("{count:,} turn", "{count:,} turns")
DELEGATIONS = Plural("{count:,} delegation", "{count:,} delegations")
AT_WORK = Text("working")

# What was done in one

CONVERSATION = Text("{id}, opened {time}: {facts}")
NEW_TOKENS = Plural("{count:,} token not from the cache", "{count:,} tokens not from the cache")
TURN = Text("{id}  {role}: {facts}: {task}")
IN_BACKGROUND = Text("{role} in the background")
STATE_AND_REASON = Text("{state} ({reason})")
SECONDS = Text("{seconds:.0f} s")
PART_OF = Text("this turn is part of {conversation}")

# A transcript, as Markdown

TITLE = Text("# Conversation {conversation}")
TRANSCRIPT = Text("Transcript")
TRANSCRIPT_OF = Text("{role}, {conversation}")
ENTRY = Text("### {number}. {writer}")
TO_ROLE = Text("to {role}")
RESULTS_TO_ROLE = Text("to {role}: results of its tool calls")
BOT_TO_ROLE = Text("to {role}: from the bot")
CALLS_TOOL = Text("calls the tool `{tool}`:")

# The requests of a turn

REQUEST = Text("{id}  {model}: {facts}: {verdict}")
TOKENS_READ = Plural("{count:,} token read", "{count:,} tokens read")
NO_REQUESTS = Text("the model was not asked in this turn yet")

# Trying a turn again

FORKED = Text("{turn} tries it again, in the conversation {conversation}")

# Deleting one

NOBODY_TO_ASK = Text("cannot ask you to confirm, because stdin is not a terminal; to delete without asking, add --yes")
DELETE_FOR_GOOD = Text("{conversation}\nDelete this conversation for good?")
NOTHING_DELETED = Text("nothing was deleted")
