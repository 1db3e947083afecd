"""Who may talk with the bot, and what they may have it do: what strangers and the owner read."""

from bot.core.texts import Text

# A stranger, who shows a code (/pair)

CODE_FOR_STRANGER = Text(
    "I do not know you yet. Show this code, which is good for an hour, to the person who runs me: {code}"
)
WELCOME = Text("You are let in: write what you want to know or have done. /help lists what else I understand.")

# To the owner, about strangers

PERSON = Text("{name} (id {id})")
STRANGER_ASKS = Text(
    "{person} wants to talk with me on {channel}, and was shown the code {code}. If you let them in, they can {things} "
    "at your cost; they reach none of your files (/people). Or write: /pair {code}"
)
STRANGER_ASKS_FOR_ALL = Text(
    "{person} wants to talk with me on {channel}, and was shown the code {code}. If you let them in, they can do "
    "everything at your cost; they reach your files too (/people). Or write: /pair {code}"
)
LET_IN = Text(
    "{person} may talk with me on {channel} now: they can {things} at your cost; they reach none of your files "
    "(/people)."
)
LET_IN_FOR_ALL = Text(
    "{person} may talk with me on {channel} now: they can do everything at your cost; they reach your files too "
    "(/people)."
)
STAYS_OUTSIDE = Text("{person} stays outside.")
LET_IN_OR_NOT = Text("Shall {person} be let in? Tap a button, or reply yes or no.")
PAIR_USAGE = Text("Write /pair CODE, with the code that they were shown. Codes are good for an hour.")
NO_REQUEST = Text("No request is open under that code; codes are good for an hour.")
SENT_AWAY = Text("{person} is sent away on {channels}.")
NOBODY_SENT_AWAY = Text("Nobody with the id {person} was let in.")
OPERATOR = Text("the operator")

# What people may have done (/people)

NO_PEOPLE = Text("Nobody besides you may talk with me.")
PERSON_LINE = Text("{channel} {id}: {rights}")
PERSON_LINE_WITH_NAME = Text("{channel} {id} ({name}): {rights}")
PEOPLE_USAGE = Text("Write /people CHANNEL ID for buttons, or /people CHANNEL ID give RIGHT, or take RIGHT.")
PERSON_MAY = Text("{person} on {channel} may use me for: {rights}.")
OWNER_MAY_ALL = Text("The owner may do everything.")
RIGHTS_IN_SETTINGS = Text(
    "The rights of {person} stand in the settings: change channels.{channel}.people, then start me again."
)

# Each right, as it follows on “they can”

RIGHTS = {
    "talk": Text("talk with me"),
    "web": Text("use the web"),
    "read files": Text("read files"),
    "write files": Text("write files"),
    "memory": Text("use the memory"),
    "delegate": Text("give work to roles"),
    "schedule": Text("schedule work"),
    "shell": Text("use the shell"),
}
NO_RIGHTS = Text("do nothing")
