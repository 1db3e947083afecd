"""What operators read of Telegram: its faults, why a message was not delivered, and what is logged."""

from bot.core.texts import Text

# How a chat's address is written

ADDRESS_EXAMPLE = Text("telegram:-1001234 for the chat with the id -1001234, or telegram:-1001234:7 for its thread 7")

# What `retinue setup` asks and says

ABOUT_TOKEN = Text("Create a bot and its token in Telegram: write /newbot to @BotFather.")
TOKEN_OR_MESSAGE = Text(
    "Token, or BotFather's message with it (not shown while you type; Enter: continue without one):"
)
THIS_IS = Text("  the token belongs to @{name}")
REMOVE_WEBHOOK = Text("  The bot's messages go to a webhook of another program. Remove that webhook?")
OWNER_WRITES_NEXT = Text("Shall the next person who writes to the bot in private be the owner?")
WRITE_TO_BOT = Text("  Write something to the bot now. (This waits up to {minutes:.0f} minutes; Ctrl-C stops waiting.)")
SECONDS_LEFT = Text("  … {seconds:.0f} s left")
HAS_WRITTEN = Text("  {name} (id {id}) has written. Is this person the owner?")
NOBODY_HAS_WRITTEN = Text("  nobody has written to the bot")
NOT_WAITED_FOR = Text("  stopped waiting for a message")

# What `retinue doctor` finds

READS_ALL = Text("telegram: @{name} answers; in group chats, Telegram shows the bot every message")
READS_ITS_OWN = Text(
    "telegram: @{name} answers; in group chats, Telegram shows the bot only what is addressed to it (privacy mode)"
)
WEBHOOK_SET = Text("telegram: a webhook is set, so messages go to another program")
VOICE_ANSWERS = Text("telegram: @{name} answers; it is the voice of the role {role}")
VOICE_REFUSED = Text("telegram: the voice of the role {role} cannot speak, so the bot speaks for it")
REPLIES_NOT_READ = Text("telegram: in privacy mode, Telegram does not show the bot replies to its voices")
LET_IT_READ_REPLIES = Text(
    "make @{name} an administrator of the group, or switch privacy mode off in @BotFather (/setprivacy) and add the "
    "bot to the group again"
)
LET_SETUP_REMOVE_WEBHOOK = Text("run {command}, which offers to remove that webhook")

# The token, as it is set up and checked

TOKEN_FORM = Text("the token of the Telegram bot must look like 123456:ABC-def, as @BotFather gave it")
TOKEN_MALFORMED = Text(
    "this does not look like a Telegram token, which has the form 123456:ABC-def; copy it again from @BotFather"
)
TOKEN_NAMES_NO_BOT = Text(
    "channels.telegram.token does not look like a token, such as 123456:ABC-def; copy it again from @BotFather"
)
VOICE_TOKEN_FORM = Text("must look like 123456:ABC-def, as @BotFather gave it")
VOICE_TWICE = Text("must be another bot's token than channels.telegram.token and than those of the other roles")
TOKEN_NOT_TAKEN = Text("Telegram refuses the token; copy it again from @BotFather (/mybots, API Token)")
TOKEN_IN_USE = Text(
    "another program or a webhook receives the messages to this token's bot: Telegram sends them to only one receiver"
)
ASKED_TOO_OFTEN = Text("Telegram was asked too often; try again in a few minutes")
CANNOT_BE_ASKED = Text("the request to Telegram failed ({cause})")

# Faults, until they are repaired

TOKEN_REFUSED = Text(
    "Telegram refuses the bot's token: it is mistyped or was revoked; get the valid one from @BotFather (/token)"
)
SECOND_POLLER = Text(
    "another program asks Telegram for this bot's messages: stop that program, or create a bot of its own for it "
    "(@BotFather, /newbot)"
)
WEBHOOK = Text(
    "Telegram sends this bot's messages to a webhook: remove it by opening"
    " https://api.telegram.org/bot<token>/deleteWebhook once"
)

# Why a chat accepts no messages, and what helps

BOT_BLOCKED = Text("the person has blocked the bot; they have to unblock the bot")
ACCOUNT_DELETED = Text("the person's account is deleted")
NEVER_WRITTEN = Text("the person has never written to the bot; they have to open the chat with the bot and press Start")
BOT_REMOVED = Text("the bot was removed from the chat; somebody has to add the bot again")
BOT_NOT_IN_CHAT = Text("the bot is not in the chat; somebody has to add the bot")
CHAT_DELETED = Text("the chat is deleted")
NO_SUCH_CHAT = Text("Telegram does not know this chat; somebody has to write to the bot there, or add the bot again")
MAY_NOT_WRITE = Text("the bot is not allowed to write in the chat; an administrator has to allow it")
NEEDS_ADMINISTRATOR = Text("only administrators may write in the chat; one of them must make the bot an administrator")
TOPIC_CLOSED = Text("the topic is closed; somebody has to reopen it")
TOPIC_DELETED = Text("the topic is deleted")

# Why a call failed

VOICE_NOT_SET = Text("another bot has sent the message, and its token is not in channels.telegram.voices any more")
TELEGRAM_SAYS = Text("Telegram says “{words}”")
NO_ANSWER_WITHIN = Text("Telegram did not answer within {seconds:g} s")
NO_ANSWER_IN_TIME = Text("Telegram did not answer in time")
TOOK_NOTHING = Text("Telegram refused the request and did not say why")
UNREADABLE_ANSWER = Text("Telegram's answer cannot be read")
UNSENDABLE_CHARACTER = Text("the message has a character that cannot be sent")
OUT_OF_REACH = Text("Telegram cannot be reached ({cause})")
CUT_OFF = Text("the connection to Telegram broke, or Telegram has a fault ({cause})")
SERVER_ERROR = Text("the connection to Telegram broke, or Telegram has a fault (server error)")

# Why an update is set aside; the path says where in it, as update.message.date

NOT_AN_OBJECT = Text("{path} in the data from Telegram is not a JSON object")
NOT_A_LIST = Text("{path} in the data from Telegram is not a list")
NOT_A_NUMBER = Text("{path} in the data from Telegram is not a valid number")
NOT_A_TEXT = Text("{path} in the data from Telegram is not text")
NOT_A_TIME = Text("{path} in the data from Telegram is not a time")
FIELD_MISSING = Text("{path} is missing in the data from Telegram")
OUTSIDE_OF_TEXT = Text("{path} in the data from Telegram marks a place outside the message's text")

# The log, which itself fills in what %s stands for

LOG_CONTACT_LOST = Text("no contact with Telegram, trying again: %s")
LOG_CONTACT_AGAIN = Text("Telegram answers again")
LOG_FAULT = Text("Telegram: %s")
LOG_FAULT_REPAIRED = Text("Telegram: the fault is gone")
LOG_NO_DRAFTS = Text("Telegram shows none of its own drafts (native_drafts), so messages grow in their place: %s")
LOG_MENU_NOT_FILLED = Text("Telegram's menu does not show the commands: %s")
LOG_FILE_FORM_REFUSED = Text("Telegram refuses to show a file of message %s, so it goes as a document: %s")
LOG_LANGUAGES_WITHOUT_MENU = Text(
    "Telegram's menus show these languages in the operator's language: %s; they are set for %s others at most"
)
LOG_ENTITIES_REFUSED = Text("Telegram refuses the formatting of message %s, so it is sent as plain text: %s")
LOG_TYPING_NOT_SHOWN = Text("the typing sign was not shown: %s")
LOG_TAP_NOT_ACKNOWLEDGED = Text("a tap on a button could not be acknowledged: %s")
LOG_NO_VOICE = Text("the voice of the role %s cannot speak in chat %s, so the bot itself does for an hour: %s")
LOG_NO_MEMBER = Text("Telegram does not say who administers the chat %s: %s")
LOG_NO_REACTION = Text("a notice goes into the chat in words, because Telegram refused the reaction: %s")
LOG_TAP_NOT_ANSWERED = Text("a tap on a button could not be answered: %s")
