"""Who may talk with the bot, and what they may use it for: what strangers and the owner read."""

from bot.core.texts import Sentence

# A stranger, who shows a code (/pair)

CODE_FOR_STRANGER = Sentence(
    "I do not know you yet. Please show this code to the person who runs me. It is valid for an hour: {code}"
)
WELCOME = Sentence(
    "You may talk with me now. Write what you want to know, or what I should do. /help lists what else I understand."
)

# To the owner, about strangers

PERSON = Sentence("{name} (id {id})")
STRANGER_ASKS = Sentence(
    "{person} wants to talk with me on {channel} and has the code {code}. If you let them in, they can {things} at "
    "your cost. They can't reach your files (/people changes that). You can also let them in with: /pair {code}"
)
STRANGER_ASKS_FOR_ALL = Sentence(
    "{person} wants to talk with me on {channel} and has the code {code}. If you let them in, they have every "
    "right, also to your files, and you pay for what they do (/people changes their rights). You can also let them in "
    "with: /pair {code}"
)
LET_IN = Sentence(
    "{person} may talk with me on {channel} now. They can {things} at your cost. They can't reach your files (/people "
    "changes that)."
)
LET_IN_FOR_ALL = Sentence(
    "{person} may talk with me on {channel} now. They have every right, also to your files, and you pay for what they "
    "do (/people changes their rights)."
)
STAYS_OUTSIDE = Sentence("{person} is not allowed to talk with me.")
LET_IN_OR_NOT = Sentence("Shall I let {person} in? Tap a button, or reply yes or no.")
LET_IN_OPTION = Sentence("Let in")
REFUSE_OPTION = Sentence("Refuse")
PAIR_USAGE = Sentence("Write /pair CODE, with the code that the person has. Codes are valid for an hour.")
NO_REQUEST = Sentence("Nobody with that code is waiting. Codes are valid for an hour.")
INVITATION_FOR_ANOTHER = Sentence(
    "This invitation is for somebody who may not talk with me yet. Pass it on to them; it is still valid."
)
TOO_MANY_INVITATIONS = Sentence("There are too many open invitations. Each is valid for an hour; wait for one to end.")
SENT_AWAY = Sentence("{person} is no longer allowed to talk with me on {channels}.")
NOBODY_SENT_AWAY = Sentence("Nobody with the id {person} has been let in.")
LET_IN_BY_SETTINGS = Sentence(
    "The settings let {person} talk with me. Change channels.{channel}.allow_from or channels.{channel}.people there, "
    "then start me again."
)
GROUP_CLOSED = Sentence("Not everybody in “{title}” may talk with me now, only people who may anyway.")
LET_IN_BY_CODE = Sentence("a code of {channel} {id}")
OPERATOR = Sentence("the operator")

# What people may have done (/people)

NO_PEOPLE = Sentence("Nobody except you is allowed to talk with me.")
PERSON_LINE = Sentence("{channel} {id}: {rights}")
PERSON_LINE_WITH_NAME = Sentence("{channel} {id} ({name}): {rights}")
LINKED_PERSON_LINE = Sentence("{channel} {id} ({name}), linked with {first}: {rights}")
ROLE_LINE = Sentence("{channel} {id} (a role in a server, by the settings): {rights}")
PEOPLE_USAGE = Sentence(
    "Write /people CHANNEL ID to change with buttons what a person or a group chat may do. Or write what to do with a "
    "person: /people CHANNEL ID give RIGHT, take RIGHT, unlink, or send away."
)
GIVE_RIGHT = Sentence("Give {right}")
TAKE_RIGHT = Sentence("Take {right}")
FAREWELLS = {"Unlink": Sentence("Unlink"), "Send away": Sentence("Send away")}
PERSON_MAY = Sentence("On {channel}, {person} may: {rights}.")
OWNER_MAY_ALL = Sentence("The owner may do everything.")
RIGHTS_IN_SETTINGS = Sentence(
    "The rights of {person} are in the settings. Change channels.{channel}.people there, then start me again."
)

# Each right, as it follows on “they can”

RIGHTS = {
    "talk": Sentence("talk with me"),
    "web": Sentence("use the web"),
    "read files": Sentence("read files"),
    "write files": Sentence("write files"),
    "memory": Sentence("use the memory"),
    "delegate": Sentence("give work to roles"),
    "schedule": Sentence("schedule work"),
    "shell": Sentence("use the shell"),
}
NO_RIGHTS = Sentence("do nothing")

# Rights in a list. Other languages add the name of a right, which /people give and take expect.

NAMES_OF_RIGHTS = {
    "talk": Sentence("talk"),
    "web": Sentence("web"),
    "read files": Sentence("read files"),
    "write files": Sentence("write files"),
    "memory": Sentence("memory"),
    "delegate": Sentence("delegate"),
    "schedule": Sentence("schedule"),
    "shell": Sentence("shell"),
}
EVERYTHING = Sentence("everything")
NOTHING = Sentence("nothing")
