"""What operators read of Telegram: its faults, why a message was not delivered, and what is logged."""

from bot.core.texts import Text

# How a chat's address is written

ADDRESS_EXAMPLE = Text("telegram:-1001234, or with a thread telegram:-1001234:7")

# What `retinue setup` asks and says

ABOUT_TOKEN = Text("A bot and its token are made in Telegram: write /newbot to @BotFather.")
TOKEN_OR_MESSAGE = Text("Token, or BotFather's message with it (it is not shown; nothing: go on without):")
THIS_IS = Text("  this is @{name}")
REMOVE_WEBHOOK = Text("  Its messages go to a webhook of another program. Remove that?")
OWNER_WRITES_NEXT = Text("Shall the next person who writes to the bot in private be the owner?")
WRITE_TO_BOT = Text("  Write something to the bot now. (Up to {minutes:.0f} minutes; Ctrl-C goes on without.)")
SECONDS_LEFT = Text("  … {seconds:.0f} s left")
HAS_WRITTEN = Text("  {name} (id {id}) has written. Is that the owner?")
NOBODY_HAS_WRITTEN = Text("  nobody has written")
NOT_WAITED_FOR = Text("  not waited for")

# What `retinue doctor` finds

READS_ALL = Text("telegram: @{name} answers; in group chats it is shown all that is written")
READS_ITS_OWN = Text("telegram: @{name} answers; in group chats it is shown what is addressed to it (privacy mode)")
WEBHOOK_SET = Text("telegram: a webhook is set, so messages go to another program")
LET_SETUP_REMOVE_WEBHOOK = Text("run {command}, which offers to remove it")

# The token, as it is set up and checked

TOKEN_FORM = Text("the token of the Telegram bot must look like 123456:ABC-def, as @BotFather gave it")
TOKEN_MALFORMED = Text("Telegram's token has another form: digits, a colon, letters; copy it again from @BotFather")
TOKEN_NAMES_NO_BOT = Text(
    "channels.telegram.token has another form: digits, a colon, letters; copy it again from @BotFather"
)
TOKEN_NOT_TAKEN = Text("Telegram refuses the token; copy it again from @BotFather (/mybots, API Token)")
TOKEN_IN_USE = Text("another program polls with this token, or a webhook is set: Telegram gives messages to one alone")
ASKED_TOO_OFTEN = Text("Telegram is asked too often; try again in some minutes")
CANNOT_BE_ASKED = Text("Telegram cannot be asked ({cause})")

# Faults, until they are mended

TOKEN_REFUSED = Text(
    "Telegram refuses the bot's token: it is mistyped or was revoked; get the valid one from @BotFather (/token)"
)
SECOND_POLLER = Text(
    "another program asks Telegram for this bot's messages: stop it, or give each a bot of its own"
    " (@BotFather, /newbot)"
)
WEBHOOK = Text(
    "Telegram sends this bot's messages to a webhook: take it away by opening"
    " https://api.telegram.org/bot<token>/deleteWebhook once"
)

# Why a chat takes nothing, and what mends it

BOT_BLOCKED = Text("the person has blocked the bot; they have to unblock it")
ACCOUNT_DELETED = Text("the person's account is deleted")
NEVER_WRITTEN = Text("the person has never written to the bot; they have to open it and press Start")
BOT_REMOVED = Text("the bot was removed from the chat; somebody has to add it again")
BOT_NOT_IN_CHAT = Text("the bot is not in the chat; somebody has to add it")
CHAT_DELETED = Text("the chat is deleted")
NO_SUCH_CHAT = Text("Telegram knows of no such chat; somebody has to write to the bot there, or add it, again")
MAY_NOT_WRITE = Text("the bot may not write there; an administrator has to let it")
NEEDS_ADMINISTRATOR = Text("the bot may not write there; an administrator has to make it one too")
TOPIC_CLOSED = Text("the topic is closed; somebody has to reopen it")
TOPIC_DELETED = Text("the topic is deleted")

# Why a call failed

TELEGRAM_SAYS = Text("Telegram says “{words}”")
NO_ANSWER_WITHIN = Text("Telegram did not answer within {seconds:g} s")
NO_ANSWER_IN_TIME = Text("Telegram did not answer in time")
TOOK_NOTHING = Text("Telegram took nothing, and did not say why")
UNREADABLE_ANSWER = Text("Telegram answered what nobody can read")
UNSENDABLE_CHARACTER = Text("it holds a character that cannot be sent")
OUT_OF_REACH = Text("Telegram cannot be reached ({cause})")
CUT_OFF = Text("Telegram was cut off, or in trouble ({cause})")
SERVER_ERROR = Text("Telegram was cut off, or in trouble (server error)")

# Why an update is set aside; the path says where in it, as update.message.date

NOT_AN_OBJECT = Text("{path} is no object")
NOT_A_LIST = Text("{path} is no list")
NOT_A_NUMBER = Text("{path} is no number that could be")
NOT_A_TEXT = Text("{path} is no text")
NOT_A_TIME = Text("{path} is no time")
FIELD_MISSING = Text("{path} is missing")
OUTSIDE_OF_TEXT = Text("{path} lies outside of its text")

# The log, which itself fills in what %s stands for

LOG_CONTACT_LOST = Text("no contact with Telegram, trying again: %s")
LOG_CONTACT_AGAIN = Text("Telegram answers again")
LOG_FAULT = Text("Telegram: %s")
LOG_FAULT_MENDED = Text("Telegram: the fault is mended")
LOG_MENU_NOT_FILLED = Text("Telegram's menu of commands is not filled: %s")
LOG_ENTITIES_REFUSED = Text("Telegram does not take the entities of %s: %s")
LOG_TYPING_NOT_SHOWN = Text("typing was not shown: %s")
LOG_TAP_NOT_ACKNOWLEDGED = Text("a tap was not acknowledged: %s")
LOG_TAP_NOT_ANSWERED = Text("a tap was not answered: %s")
