"""What `retinue groups` says to operators."""

from bot.core.texts import Plural, Text

# Which group

NO_SUCH_GROUP = Text("there is no group {group}; the nearest is {nearest}")
NO_GROUP_YET = Text("there is no group {group}; {command} NAME makes one")
MEND_FIRST = Text("{fault}; mend that first: nothing is changed")
WOULD_BE_A_FAULT = Text("nothing is changed, because it would make this wrong: {fault}")

# Lists

NO_GROUPS = Text("There are no groups in {folder} yet: {command} NAME --channel C --chat ID makes one.")
NO_MAIN = Text("No group is main: {command} NAME --main makes one that may ask every other.")
WHERE_GROUPS_LIE = Text("They lie in {folder}; a running bot takes up within seconds what changes there.")
NOT_REGISTERED = Text("not registered: {command} {group} --channel C --chat ID")
NOWHERE = Text("nowhere: no owner is set, in whose private chat it would be")
NOBODY = Text("nobody")
MAIN_ASKS = Text("{groups} (main asks every group)")
ALL_TOOLS = Text("all that are on")
GROUPS_IN_ORDER = Plural("{count} group in order: {groups}", "{count} groups in order: {groups}")
NO_GROUPS_IN_ORDER = Text("0 groups in order")

# Adding a group, and changing one

GROUP_MADE = Text("{group} is a group now: {path}")
GROUP_CHANGED = Text("{group} is changed: {path}")
GROUP_SO_ALREADY = Text("{group} is so already: {path}")
NAME_NOT_VALID = Text(
    "the name of a group must be 1 to 40 letters, digits, spaces, hyphens or underscores; {name} cannot be one"
)
ADDRESS_TAKES_BOTH = Text("an address takes both: --channel C --chat ID")
SAY_WHERE = Text("say where it is: --channel C --chat ID (C is {channels}), or --main")
ONLY_ONE_MAIN = Text("{main} is main, and only one can be; {command} {main} makes room")
ADDRESS_TAKEN = Text("{group} is at {address}, and one chat has one group; take another chat")
FIRST_INSTRUCTIONS = Text(
    """\
You are the agent of the group {group}.

- Answer from the files of your workspace and from what you are told here. Where you do not know, say so.
- Be brief: what matters first, and where it stands.
- Change a file only if you were asked to.
"""
)

# What is still to do for a new group

TO_DO = Text("To do:")
MEND_THIS = Text("mend this: {fault}")
WRITE_INSTRUCTIONS = Text("write what it is for into {path}")
WRITE_DESCRIPTION = Text("give it a line `description: …` there: it tells the others what to ask it for")
NO_MAIN_YET = Text("no group is main yet, and main may ask every other: {command} NAME --main")
SET_OWNER = Text("set {keys}: main lives in the owner's private chat")
RUN_ADD_TENANT = Text("run {command} for this tenant again, and apply what it writes")
ENABLE_CHANNEL = Text("set {key}.enabled to true, with its token")
ALLOW_SERVER = Text("the id of its server must stand in {key}.allow_from, or those of its people, to be heard there")
ALLOW_CHAT = Text("put {id} into {key}.allow_from: otherwise only people you have let in are heard there")

# Removing a group

GROUP_REMOVED = Text("{group} is no group any more; its folder is kept: {path}")
WAS_NO_GROUP = Text("{group} is no group; its folder is kept: {path}")
STILL_NAMED = Text("{naming} still names it: {command} {naming} {group}")

# Which group may ask which

MAY_ASK = Text("{group} may ask {other}")
MAY_NOT_ASK = Text("{group} may not ask {other}")
MAY_ASK_ITSELF = Text("{group} may ask itself as it is: that needs no leave")
ALWAYS_ASKS_ITSELF = Text("{group} may always ask itself; nothing is changed")
NOBODY_ASKS_MAIN = Text("{group} is main, which nobody may ask")
MAIN_MAY_ASK = Text("{group} is main, and may ask {other} as every group: that needs no leave")
MAIN_MAY_ASK_ALL = Text("{group} is main, and may ask every group; nothing is changed")
NOTHING_THERE = Text("{path}: nothing stands there yet; {command} {group} makes it")
NOT_REGISTERED_YET = Text("{group} is not registered yet: {command} {group} --channel C --chat ID")
