"""What operators read of Discord: its faults, why a message was not delivered, and what is logged."""

from bot.core.texts import Plural, Text

# How a chat's address is written

ADDRESS_EXAMPLE = Text("discord:123 for the channel with the id 123, or discord:@123 for the person with the id 123")

# What `retinue setup` asks and says

ABOUT_TOKEN = Text("Create an application and its token at {portal} (New Application; then Bot, Reset Token).")
TOKEN = Text("Token (not shown while you type; Enter: continue without one):")
THIS_IS = Plural(
    "  the token belongs to {name}, which is in {count} server",
    "  the token belongs to {name}, which is in {count} servers",
)
OWNS_APPLICATION = Text("At Discord, the application belongs to {name}. Shall {name} be the owner of the bot here too?")
MAY_NOT_READ = Text("  the bot is not allowed yet to read what people write")
INVITE_ELSEWHERE = Text("to invite the bot to another server: {link}")

# What `retinue doctor` finds, and what both say to do about it

ANSWERS = Plural(
    "discord: {name} answers; it is in {count} server", "discord: {name} answers; it is in {count} servers"
)
READS_NOTHING = Text("discord: the bot is not allowed to read what people write")
SWITCH_INTENT_ON = Text("switch on Message Content Intent at {portal}/{id}/bot, under Privileged Gateway Intents")
NO_SERVER = Text("discord: the bot is in no server yet")
PERMISSIONS_MISSING = Text("discord: in the server “{server}” the bot lacks these permissions: {permissions}")
INVITE_AGAIN = Text("give them to the bot's role, or invite the bot there again: {link}")
INVITE = Text("invite the bot: {link}")
APPLICATION_OWNER = Text("discord: the application belongs to {name} (id {id})")

# The token, as it is set up and checked

TOKEN_FORM = Text(
    "channels.discord.token contains a character that a token cannot contain: copy it again from the developer portal"
)
TOKEN_MALFORMED = Text(
    "this does not look like a Discord token: copy it again, without spaces and without the word Bot before it"
)
TOKEN_NAMES_NO_BOT = Text(
    "channels.discord.token does not look like a token, which has three parts of letters and digits with dots between "
    "them; make a new one in Discord's developer portal (the application, Bot, Reset Token)"
)
TOKEN_NOT_TAKEN = Text("Discord refuses the token; make a new one at {portal} (the application, Bot, Reset Token)")
CANNOT_BE_ASKED = Text("the request to Discord failed ({cause})")
CANNOT_BE_ASKED_STATUS = Text("the request to Discord failed (error {status})")

# Faults, until they are repaired

TOKEN_REFUSED = Text(
    "Discord refuses the bot's token (channels.discord.token): open https://discord.com/developers/applications, "
    "choose the application, then Bot, Reset Token, and set channels.discord.token to the new token"
)
NO_INTENT = Text(
    "Discord does not let the bot read messages: open https://discord.com/developers/applications, choose the "
    "application, then Bot, and switch on Message Content Intent under Privileged Gateway Intents"
)
AWAY = Text("Discord is out of reach ({why}); the bot keeps trying: check the network if this continues")
FEW_SIGN_INS = Text("Discord allows only a few more sign-ins today: the bot signs in again in {seconds:.0f} s")
COMMANDS_NOT_OFFERED = Text("Discord does not offer the slash commands: {why}; the bot keeps trying")

# Why the connection is gone

CONNECTION_LOST = Text("the connection to Discord was lost")
SIGN_IN_FAILED = Text("the sign-in to Discord failed with {error}")
CONNECTION_CLOSED = Text("Discord closed the connection with code {code}")

# Why a channel accepts no messages, and what helps

CHANNEL_GONE = Text("the channel or thread no longer exists")
NOT_IN_SERVER = Text("the bot is no longer in the server of this channel; invite the bot again")
MAY_NOT_SEE = Text("the bot is not allowed to see the channel; give it the permission View Channel there")
NO_PRIVATE_MESSAGES = Text(
    "the person accepts no private messages from the bot; they can allow them in the server's privacy settings"
)
MAY_NOT_SEND = Text(
    "the bot is not allowed to write there; give it the permission Send Messages (in threads: Send Messages in Threads)"
)
MAY_NOT_ATTACH = Text("I may not attach files in this channel; somebody has to give me the permission Attach Files")
NO_COMMON_SERVER = Text("the bot is no longer in any server with the person")
THREAD_LOCKED = Text("the thread is locked; somebody must unlock it")
FORBIDDEN = Text("Discord forbids the bot to write in the channel; check the bot's permissions there")

# Why a request failed

REFUSED = Text("Discord refuses the request: {words}")
NOT_SIGNED_IN = Text("the bot is not signed in to Discord")
OUT_OF_REACH = Text("Discord cannot be reached")
NO_ANSWER_IN_TIME = Text("Discord did not answer in time")
CONNECTION_FAILED = Text("the connection to Discord failed ({cause})")
ANSWERED_STATUS = Text("Discord answered with error {status}")
BETWEEN_ANSWERED_STATUS = Text("a proxy between the bot and Discord answered with error {status}")
REFUSES_TOKEN = Text("Discord refuses the bot's token")
NOT_DISCORD = Text("the answer did not come from Discord")
UNREADABLE_ANSWER = Text("Discord's answer cannot be read")

# Why an event is set aside; the field is one of Discord's

NOT_AN_OBJECT = Text("the data from Discord is not a JSON object")
FIELD_NOT_AN_OBJECT = Text("the field {field} in the data from Discord is not a JSON object")
FIELD_NOT_A_TEXT = Text("the field {field} in the data from Discord is not text")
FIELD_NOT_AN_ID = Text("the field {field} in the data from Discord is not an id")
FIELD_NOT_A_TIME = Text("the field {field} in the data from Discord is not a time")
FIELD_MISSING = Text("the field {field} is missing in the data from Discord")
FOREIGN_BUTTON = Text("the tapped button does not belong to this bot (its custom_id is unknown)")

# The log, which itself fills in what %s stands for

LOG_SIGNED_IN = Text("signed in to Discord as %s")
LOG_COMMANDS_REGISTERED = Text("Discord: the slash commands are registered again")
LOG_CONNECTION_REPAIRED = Text("Discord: the connection works again")
LOG_TOKEN_REPAIRED = Text("Discord: the token is accepted again")
LOG_SIGN_INS_REPAIRED = Text("Discord: the bot may sign in again")
LOG_COMMANDS_REPAIRED = Text("Discord: the slash commands are offered again")
LOG_SESSION_GIVEN_UP = Text("Discord: the session is lost, so the bot begins a new one")
LOG_CONNECTS_AGAIN = Text("the bot connects to Discord again")
LOG_LIBRARY_CANNOT_READ = Text("Discord sent something that discord.py cannot read (%s); the bot continues reading")
LOG_EVENT_SET_ASIDE = Text("an event from Discord cannot be read and is set aside: %s")
LOG_MESSAGE_SET_ASIDE = Text("a message in Discord's history cannot be read and is set aside: %s")
LOG_HISTORY_CLOSED = Text("the history of the chat %s cannot be read: %s")
LOG_HISTORY_LATER = Text("the history of the chat %s cannot be read now; the bot tries again when it next connects: %s")
LOG_HISTORY_LONG = Text(
    "the chat %s has more missed messages than the bot reads at one start; it reads the rest at the next start"
)
LOG_UNKNOWN_CHANNEL = Text("cannot find out from Discord what the channel %s is: %s")
LOG_NOT_ACKNOWLEDGED = Text("a tap on a button, or a command, could not be acknowledged: %s")
LOG_ANSWERED_BY_MESSAGE = Text(
    "the answer to a tap or a command is sent as an ordinary message, because Discord refused the direct answer: %s"
)
LOG_NO_THREAD = Text("Cannot speak in the thread %s, so I speak in the channel: %s")
LOG_NO_VOICE = Text("the webhook %s in the channel %s cannot be used for now, so the bot speaks in its place: %s")
LOG_NO_REACTION = Text("a notice goes into the channel in words, because Discord refused the reaction: %s")
LOG_NO_REFERENCE = Text("a message is sent, but not as a reply, because Discord refused the reply: %s")
LOG_NOTHING_TO_DELETE = Text("the message in the chat %s can no longer be deleted")
LOG_NO_TALK = Text("what was said in the channel %s before cannot be read: %s")
LOG_TYPING_NOT_SHOWN = Text("the typing sign is not shown in the chat %s: %s")
ANSWERS_IN = Text("discord: in servers it answers only in these channels (channels.discord.answer_in): {channels}")
ROLE_MAY_TALK = Text("discord: in the server {server}, people with the role {name} ({id}) may talk to it")
NO_SUCH_ROLE = Text("channels.discord.allow_roles names {id}, which is no role in any server that the bot is in")
COPY_ROLE_ID = Text(
    "copy the id of the role (Server Settings, Roles, the menu of the role, Copy Role ID); the id of a whole server "
    "belongs into channels.discord.allow_from"
)
