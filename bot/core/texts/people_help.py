"""What people read while they type a command, and of what they asked by one, in English."""

from bot.core.texts import Sentence

# What may follow a command, while it is typed

CHOICE_ROLE = Sentence("#{number} {role}, {state}: {task}")
CHOICE_ALL = Sentence("everything, also in the background")
CHOICE_SCHEDULE = Sentence("{change}: {text}")

# What somebody has asked in a way that nobody else sees (/ask)

ASKED = Sentence("{person} asks: {text}")
ASKED_WITH_FILES = Sentence("{person} asks: {text} ({files})")

# What the owner has written in the page in a browser

WRITTEN_IN_PAGE = Sentence("{person}, from the page: {text}")
THE_OWNER = Sentence("My owner")  # if the name is not known

# What there is (/help): each line names some commands

HELP = {  # by its first command
    "start": Sentence("/start: how this works. /help COMMAND: more about one command."),
    "new": Sentence("/new: begin a new conversation. /stop: stop what I do for you."),
    "status": Sentence("/status, /agents: who is at work here. /roles: who I can give work to."),
    "log": Sentence("/log 2, /tell 2 WORDS, /retry 2: what a role has done, direct it, let it do its task again."),
    "quiet": Sentence("/quiet, /verbose: hide or show what roles say while they work."),
    "usage": Sentence("/usage, /budget: what this chat has cost, and what is left."),
    "model": Sentence("/model, /effort: which model I use here, and how hard I try."),
    "memory": Sentence("/memory: what I remember."),
    "schedules": Sentence("/schedules: your reminders. /timezone, /language: how I write."),
    "mode": Sentence("/mode: when I answer in a group chat. /whereami: the ids of this chat and of you."),
    "link": Sentence("/link, /unlink: be one person with your other accounts."),
    "privacy": Sentence("/privacy: who sees what you write. /forget everything: forget what I know of you."),
}
HELP_OF_OWNER = Sentence("Only for you: /people and /groups in a private chat, and /pair CODE to let somebody in.")
