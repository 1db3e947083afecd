"""What the bot asks its owner about the tools of MCP servers, and what it answers."""

from bot.core.texts import Sentence

TOOLS_CHANGED = Sentence(
    "The MCP server “{server}” says something new about its tools. I don't use these until you allow it. What it says "
    "are its words, not mine:\n\n{changes}"
)
NEW_TOOL = Sentence("{tool} is new: {description}\nIts arguments: {arguments}")
CHANGED_DESCRIPTION = Sentence("{tool} now describes itself so: {description}")
CHANGED_PARAMETERS = Sentence("{tool} takes other arguments now. It says: {description}\nIts arguments: {arguments}")
ALLOW_OPTION = Sentence("Allow")
KEEP_OFF_OPTION = Sentence("Keep off")
TOOLS_ON = Sentence("I may use these tools of “{server}” now: {tools}.")
TOOLS_OFF = Sentence("I don't use these tools of “{server}”: {tools}. {command} on the machine allows them later.")
NOTHING_TO_DECIDE = Sentence("These tools have changed again, or are gone. There is nothing to decide here any more.")
