"""What `retinue groups` says to operators."""

from bot.core.texts import Plural, Text

# Which group

NO_SUCH_GROUP = Text("there is no group {group}; the nearest is {nearest}")
NO_GROUP_YET = Text("there is no group {group}; to create one, run: {command} NAME --channel C --chat ID")
MEND_FIRST = Text("{fault}; nothing was changed: fix this error first")
WOULD_BE_A_FAULT = Text("nothing was changed, because the change would cause this error: {fault}")

# Lists

NO_GROUPS = Text("There are no groups in {folder} yet. To create one, run: {command} NAME --channel C --chat ID")
NO_MAIN = Text(
    "No group is main, so the lead may delegate to all groups in the owner's private chat and in the terminal. To make "
    "a group main instead, run: {command} NAME --main"
)
ASKED_BY_LEAD = Text("the lead, for the owner")
WHERE_GROUPS_LIE = Text("The groups are in {folder}. A running bot applies changes there within seconds.")
NOT_REGISTERED = Text("this group is not registered; to register it, run: {command} {group} --channel C --chat ID")
NOWHERE = Text("in no chat yet: main answers in the owner's private chat, but no owner is set")
NOBODY = Text("no other group")
MAIN_ASKS = Text("{groups} (main may delegate to every group)")
ALL_TOOLS = Text("all tools that are switched on")
GROUPS_IN_ORDER = Plural("{count} group, no errors: {groups}", "{count} groups, no errors: {groups}")
NO_GROUPS_IN_ORDER = Text("0 groups, no errors")

# Adding a group, and changing one

GROUP_MADE = Text("{group} is a group now: {path}")
GROUP_CHANGED = Text("{group} was changed: {path}")
GROUP_SO_ALREADY = Text("the group {group} already has these settings, so nothing was changed: {path}")
NAME_NOT_VALID = Text("{name} cannot be a group's name: use 1 to 40 letters, digits, spaces, hyphens or underscores")
ADDRESS_TAKES_BOTH = Text("an address needs both --channel C and --chat ID")
SAY_WHERE = Text("say in which chat the group is: --channel C --chat ID (C is one of {channels}), or --main")
ONLY_ONE_MAIN = Text("{main} is main already, and only one can be main; to unregister {main}, run: {command} {main}")
ADDRESS_TAKEN = Text("{group} is at {address}, and a chat can have only one group; choose another chat")
FIRST_INSTRUCTIONS = Text(
    """\
You are the agent of the group {group}.

- Answer from the files of your workspace and from what you are told here. If you do not know something, say so.
- Be brief. Begin with what matters, and say where you found it.
- Change a file only if you were asked to.
"""
)
FORMER_FIRST_INSTRUCTIONS = Text(  # of earlier versions: a file with it has no instructions of its own, either
    """\
You are the agent of the group {group}.

- Answer from the files of your workspace and from what you are told here. Where you do not know, say so.
- Be brief: what matters first, and where it stands.
- Change a file only if you were asked to.
"""
)

# What is still to do for a new group

TO_DO = Text("To do:")
MEND_THIS = Text("fix this: {fault}")
WRITE_INSTRUCTIONS = Text("write into {path} what the group is for")
WRITE_DESCRIPTION = Text(
    "add a line `description: …` to this group's file: it tells other groups what they can delegate to this group"
)
SET_OWNER = Text("set {keys}, because main answers in the owner's private chat")
RUN_ADD_TENANT = Text("run {command} again for the tenant of this bot, and apply the files that the command writes")
ENABLE_CHANNEL = Text("set {key}.enabled to true, and set the token of this channel")
ALLOW_SERVER = Text(
    "put the id of the chat's server, or the ids of its people, into {key}.allow_from; otherwise the bot answers "
    "nobody in the group's chat except people you have let in"
)
ALLOW_CHAT = Text(
    "put the id {id} into {key}.allow_from; otherwise the bot answers nobody in the group's chat except people you "
    "have let in"
)

# Removing a group

GROUP_REMOVED = Text("{group} is no longer a group; its folder is kept: {path}")
WAS_NO_GROUP = Text("{group} was not registered as a group; its folder is kept: {path}")
STILL_NAMED = Text("{naming} still names {group} in allow_delegation; to remove it, run: {command} {naming} {group}")

# Which group may ask which

MAY_ASK = Text("{group} may delegate to {other}")
MAY_NOT_ASK = Text("{group} is not allowed to delegate to {other}")
MAY_ASK_ITSELF = Text("{group} may always delegate to itself; it needs no permission for that")
ALWAYS_ASKS_ITSELF = Text("{group} may always delegate to itself; nothing was changed")
NOBODY_ASKS_MAIN = Text("{group} is main, and no other group may delegate to main")
MAIN_MAY_ASK = Text("{group} is main, so it may already delegate to every group, including {other}")
MAIN_MAY_ASK_ALL = Text("{group} is main, and may delegate to every group; nothing was changed")
NOTHING_THERE = Text("{path} does not exist or is empty; to write it, run: {command} {group} --channel C --chat ID")
NOT_REGISTERED_YET = Text("{group} is not registered yet; to register it, run: {command} {group} --channel C --chat ID")
