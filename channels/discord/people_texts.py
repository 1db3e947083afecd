"""What the Discord channel itself says to people, in English."""

from bot.core.texts import Text

# Messages

NO_WORDS = Text("(no words)")
HAS_ARRIVED = Text("I have received this.")
ASK_AGAIN = Text("I could not answer in time, and the answer is only for the person who asked. Please ask again.")

# What Discord shows while somebody types a slash command

WHICH_TO_STOP = Text("what to stop: a role or its number (/status shows them), or all")
WHICH_MODEL = Text("the model to use: one that /model lists, or default")
WHICH_EFFORT = Text("the effort to use: low, medium, high, xhigh, max or default")
WHAT_TO_TELL = Text("what the role should know")
WHICH_ROLE = Text("the number of the role, as the board and /status show it")
WHICH_CAP = Text("for the owner: what all chats together may spend today, in dollars, or default")
WHICH_MODE = Text("mentioned, off or always; without it, the mode is shown")
WHICH_MEMORIES = Text("search WORDS, export, keep NUMBER or forget NUMBER; nothing lists them")
WHICH_SCHEDULES = Text("what to do with which one, by its number: pause 2, resume 2, run 2 or delete 2")
WHICH_TIME_ZONE = Text("the zone's name, such as Europe/Berlin; none: which one counts now")
WHOSE_RIGHTS = Text("CHANNEL ID, and give RIGHT or take RIGHT; nothing lists everybody")
WHICH_CODE = Text("the code that the person has")
WHICH_LINK_CODE = Text("the code that your other account got; nothing makes a new code")
WHAT_TO_FORGET = Text("everything")
WHICH_ACCOUNT = Text("the account to separate, if there are several: CHANNEL ID")
WHAT_TO_ASK = Text("what you want to know, or what I should do; everybody here sees the answer")
FILE_TO_ASK_ABOUT = Text("a picture or file that I should look at")
ANOTHER_FILE = Text("another picture or file")
ASK = Text("ask me something, also with files; everybody here sees the answer")
