"""What the Discord channel itself says to people, in English."""

from bot.core.texts import Sentence

# Messages

NO_WORDS = Sentence("(no words)")
HAS_ARRIVED = Sentence("I have received this.")
ASK_AGAIN = Sentence("I could not answer in time, and the answer is only for the person who asked. Please ask again.")

# What Discord shows while somebody types a slash command

WHICH_TO_STOP = Sentence("what to stop: a role or its number (/status shows them), or all")
WHICH_MODEL = Sentence("the model to use: one that /model lists, or default")
WHICH_EFFORT = Sentence("the effort to use: low, medium, high, xhigh, max or default")
WHAT_TO_TELL = Sentence("what the role should know")
WHICH_ROLE = Sentence("the number of the role, as the board and /status show it")
WHICH_CAP = Sentence("for the owner: what all chats together may spend today, in dollars, or default")
WHICH_MODE = Sentence("mentioned, off or always; without it, the mode is shown")
WHICH_MEMORIES = Sentence("search WORDS, export, keep NUMBER or forget NUMBER; nothing lists them")
WHICH_SCHEDULES = Sentence("what to do with which one, by its number: pause 2, resume 2, run 2 or delete 2")
WHICH_TIME_ZONE = Sentence("the zone's name, such as Europe/Berlin; none: which one counts now")
WHICH_LANGUAGE = Sentence("the language, such as de or English, or auto; nothing shows which one counts now")
WHOSE_RIGHTS = Sentence("CHANNEL ID, and give RIGHT or take RIGHT; nothing lists everybody")
WHICH_CODE = Sentence("the code that the person has")
WHICH_LINK_CODE = Sentence("the code that your other account got; nothing makes a new code")
WHAT_TO_FORGET = Sentence("everything")
WHICH_ACCOUNT = Sentence("the account to separate, if there are several: CHANNEL ID")
WHAT_TO_ASK = Sentence("what you want to know, or what I should do; everybody here sees the answer")
FILE_TO_ASK_ABOUT = Sentence("a picture or file that I should look at")
ANOTHER_FILE = Sentence("another picture or file")
ASK = Sentence("ask me something, also with files; everybody here sees the answer")
WHICH_COMMAND = Sentence("the command that you want to know more about")
NOT_IN_THIS_CHANNEL = Sentence("I am not set to answer in this channel. Its id is {channel}; the operator can add it.")
