"""What operators read of Discord: its faults, why a message was not delivered, and what is logged."""

from bot.core.texts import Plural, Text

# How a chat's address is written

ADDRESS_EXAMPLE = Text("discord:123, the id of a channel (discord:@123: of a person)")

# What `retinue setup` asks and says

ABOUT_TOKEN = Text("An application and its token are made at {portal} (New Application; then Bot, Reset Token).")
TOKEN = Text("Token (it is not shown; nothing: go on without):")
THIS_IS = Plural("  this is {name}, in {count} server", "  this is {name}, in {count} servers")
OWNS_APPLICATION = Text("{name} owns the application. Is that the owner?")
MAY_NOT_READ = Text("  it may not read what people write yet")
INVITE_ELSEWHERE = Text("to invite it elsewhere: {link}")

# What `retinue doctor` finds, and what both say to do about it

ANSWERS = Plural(
    "discord: {name} answers; it is in {count} server", "discord: {name} answers; it is in {count} servers"
)
READS_NOTHING = Text("discord: it may not read what people write")
SWITCH_INTENT_ON = Text("{portal}/{id}/bot, Privileged Gateway Intents: switch on Message Content Intent")
NO_SERVER = Text("discord: it is in no server yet")
INVITE = Text("invite it: {link}")
APPLICATION_OWNER = Text("discord: the application belongs to {name} (id {id})")

# The token, as it is set up and checked

TOKEN_FORM = Text("channels.discord.token holds what no token does: copy it again from the developer portal")
TOKEN_MALFORMED = Text(
    "Discord's token has another form: letters, digits and dots, without the word Bot; copy it again"
)
TOKEN_NAMES_NO_BOT = Text(
    "channels.discord.token has another form: three pieces of letters and digits with dots between; make a new one in"
    " Discord's developer portal (the application, Bot, Reset Token)"
)
TOKEN_NOT_TAKEN = Text("Discord refuses the token; make a new one: {portal}, the application, Bot, Reset Token")
CANNOT_BE_ASKED = Text("Discord cannot be asked ({cause})")
CANNOT_BE_ASKED_STATUS = Text("Discord cannot be asked (error {status})")

# Faults, until they are mended

TOKEN_REFUSED = Text(
    "Discord refuses the bot's token (channels.discord.token): open https://discord.com/developers/applications, "
    "choose the application, then Bot, Reset Token, and put the new token in its place"
)
NO_INTENT = Text(
    "Discord does not let the bot read messages: open https://discord.com/developers/applications, choose the "
    "application, then Bot, and switch on Message Content Intent under Privileged Gateway Intents"
)
AWAY = Text("Discord is out of reach ({why}); it is tried again and again: look at the network if that goes on")
FEW_SIGN_INS = Text("Discord allows few more sign-ins today: the next is in {seconds:.0f} s")
COMMANDS_NOT_OFFERED = Text("Discord does not offer the slash commands: {why}; it is tried again and again")

# Why the connection is gone

CONNECTION_LOST = Text("the connection was lost")
SIGN_IN_FAILED = Text("{error} at the sign-in")
CONNECTION_CLOSED = Text("it closed with {code}")

# Why a channel takes nothing, and what mends it

CHANNEL_GONE = Text("the channel or thread no longer exists")
NOT_IN_SERVER = Text("the bot is no longer in that server; invite it again")
MAY_NOT_SEE = Text("the bot may not see that channel; give it the permission View Channel there")
NO_PRIVATE_MESSAGES = Text(
    "that person takes no private messages from the bot; they can allow it in the server's privacy settings"
)
MAY_NOT_SEND = Text(
    "the bot may not write there; give it the permission Send Messages (in threads: Send Messages in Threads)"
)
NO_COMMON_SERVER = Text("the bot shares no server with that person any more")
THREAD_LOCKED = Text("the thread is locked; somebody must unlock it")
FORBIDDEN = Text("Discord forbids the bot to write there; check its permissions in that channel")

# Why a request failed

REFUSED = Text("Discord refuses it: {words}")
NOT_SIGNED_IN = Text("the bot is not signed in to Discord")
OUT_OF_REACH = Text("Discord cannot be reached")
NO_ANSWER_IN_TIME = Text("Discord did not answer in time")
CONNECTION_FAILED = Text("the connection to Discord failed ({cause})")
ANSWERED_STATUS = Text("Discord answered {status}")
BETWEEN_ANSWERED_STATUS = Text("something between here and Discord answered {status}")
REFUSES_TOKEN = Text("Discord refuses the bot's token")
NOT_DISCORD = Text("something other than Discord answered")
UNREADABLE_ANSWER = Text("Discord answered what nobody can read")

# Why an event is set aside; the field is one of Discord's

NOT_AN_OBJECT = Text("it is no object")
FIELD_NOT_AN_OBJECT = Text("its {field} is no object")
FIELD_NOT_A_TEXT = Text("its {field} is no text")
FIELD_NOT_AN_ID = Text("its {field} is no id")
FIELD_NOT_A_TIME = Text("its {field} is no time")
FIELD_MISSING = Text("KeyError: it has no {field}")
FOREIGN_BUTTON = Text("its custom_id is none of ours")

# The log, which itself fills in what %s stands for

LOG_SIGNED_IN = Text("signed in to Discord as %s")
LOG_COMMANDS_REGISTERED = Text("Discord: the slash commands are registered again")
LOG_CONNECTION_MENDED = Text("Discord: the trouble with the connection is over")
LOG_TOKEN_MENDED = Text("Discord: the trouble with the token is over")
LOG_SIGN_INS_MENDED = Text("Discord: the trouble with the sign-ins is over")
LOG_COMMANDS_MENDED = Text("Discord: the trouble with the commands is over")
LOG_SESSION_GIVEN_UP = Text("the session is given up")
LOG_CONNECTS_AGAIN = Text("the bot connects to Discord again")
LOG_LIBRARY_CANNOT_READ = Text("Discord sent what its library cannot read (%s): we go on")
LOG_EVENT_SET_ASIDE = Text("an event of Discord's is set aside: %s")
LOG_MESSAGE_SET_ASIDE = Text("a message in Discord's history is set aside: %s")
LOG_HISTORY_CLOSED = Text("the history of %s cannot be read: %s")
LOG_HISTORY_LATER = Text("the history of %s is read when the bot connects again: %s")
LOG_HISTORY_LONG = Text("more was written in %s than is read at one start: the rest is read at the next")
LOG_UNKNOWN_CHANNEL = Text("nothing is known of the channel %s: %s")
LOG_NOT_ACKNOWLEDGED = Text("a tap or command was not acknowledged: %s")
LOG_ANSWERED_BY_MESSAGE = Text("a tap or command is answered by a message: %s")
LOG_NO_REFERENCE = Text("it is said without a reference: %s")
LOG_NOTHING_TO_DELETE = Text("nothing can be deleted at %s any more")
LOG_TYPING_NOT_SHOWN = Text("typing is not shown at %s: %s")
