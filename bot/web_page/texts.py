"""What the page in a browser shows, and what its command says."""

from bot.core.texts import Plural, Text

FOREIGN_HOST = Text("This page answers only under its own address.")
FOREIGN_ORIGIN = Text("Another site has asked for this. Open the page itself.")
NO_ORIGIN = Text("The browser does not say which page this comes from.")
NOT_FOUND = Text("There is nothing under this address.")

ROWS_OF_EARLIER_VERSION = Text("An earlier version of the bot has written its rows. Start the bot once: {command}")

TITLE = Text("Retinue")
SKIP = Text("Skip to the content")
LOGIN_HEADING = Text("Log in")
LOGIN_BY_COMMAND = Text("Type this on the machine of the bot, and open the link that it prints:")
LOGIN_BUTTON = Text("Log in")
LOGIN_FAILED = Text("This link was used already, or is older than ten minutes. Make a new one:")
LOGIN_TOO_OFTEN = Text("There were too many wrong links. Wait ten minutes, and make a new one:")
LOG_OUT = Text("Log out")

CONVERSATIONS = Text("Conversations")
NO_CONVERSATIONS = Text("Nobody has written yet.")
NOTHING_FOUND = Text("In no conversation were all of these words said.")
SEARCH = Text("Search")
SEARCH_LABEL = Text("Words that were said")
OLDER = Text("Older")
EARLIER = Text("Earlier")
AT_WORK = Text("at work")
TURNS = Plural("{count} turn", "{count} turns")
GROUP = Text("group {group}")
FOUND = Plural("{count} conversation", "{count} conversations")

LEAD = Text("Lead")
DELEGATIONS = Text("Delegations")
NO_DELEGATIONS = Text("Nothing was delegated.")
MESSAGES = Text("Messages")
REPORT = Text("Report")
TASK = Text("Task")
TRANSCRIPT = Text("Transcript")
SHOW_TRANSCRIPT = Text("Show the transcript")
NO_REPORT = Text("There is no report yet.")
SECONDS = Text("{seconds:.0f} s")
FILE_SIZE = Text("{kilobytes:,} kB")
FILE_WAITING = Text("not here yet")
FILE_NOT_TAKEN = Text("not taken")
FILE_GONE = Text("not kept any more, or changed since")
PART_OF = Text("Part of the conversation")
TO_ROLE = Text("to {role}")

FIGURES = Text("Figures")
SPENT = Text("{total} in the last {days} days")
COSTS_BY_DAY = Text("Cost by day")
TOKENS_BY_DAY = Text("Tokens by day")
COSTS_BY = {
    "role": Text("Cost by role"),
    "model": Text("Cost by model"),
    "chat": Text("Cost by chat"),
    "person": Text("Cost by person"),
}
NOTHING_SPENT = Text("Nothing was spent.")
DAY = Text("Day")
NAME = Text("Name")
VALUE = Text("Value")
AS_TABLE = Text("As a table")

STATE = Text("State")
HEALTH = Text("Health")
NOTHING_TO_MEND = Text("Nothing needs you.")
STATES = {"ok": Text("ok"), "warning": Text("warning"), "wrong": Text("wrong")}
GOOD_FINDINGS = Plural("{count} check found nothing", "{count} checks found nothing")
WAITING = Text("Messages without an answer")
ASKED = Text("Open questions and approvals")
UNDELIVERED = Text("Not delivered")
ASIDE = Text("Set aside")
NONE = Text("None.")
SCHEDULES = Text("Schedules")
NEXT_AT = Text("next {time}")
PAUSED = Text("paused")
MEMORIES = Text("Memories")
UNCONFIRMED = Text("not confirmed")
ROLES = Text("Roles")
GROUPS = Text("Groups")

STARTED = Text("The page is at {address}")
LOGIN_LINK = Text("Log in, once and within ten minutes: {link}")
NO_LIBRARIES = Text("the page needs more libraries; install them with: pip install 'retinue[page]'")
PORT_TAKEN = Text("cannot listen at {host}:{port}: {reason}")
LOGGED_OUT = Text("Everybody is logged out of the page.")
