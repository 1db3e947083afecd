"""What `retinue setup` asks and says."""

from bot.core.texts import Text

# Answers

YES_OR_NO = Text("  yes or no?")
USUALLY_YES = Text("{question} [Y/n]")
USUALLY_NO = Text("{question} [y/N]")
NO_NUMERIC_ID = Text("  that is not a numeric id")
NOT_UTF8 = Text("an answer is not UTF-8 text; nothing was written")
ANSWERS_ENDED = Text("the input ended before all questions were answered; nothing was written")

# What was found out about an answer

CHECKING = Text("  checking …")
NOT_CHECKED = Text("  your answer could not be checked: {reason}; to check it later, run {command}")
NOT_CHECKED_NO_ANSWER = Text("  your answer could not be checked: no reply came; to check it later, run {command}")
NOT_CHECKED_FOR = Text("the model could not be checked: {reason}")
MODEL_IS_THERE = Text("{model} is available")

# The course

NEW_CONFIG = Text("A new config: {path}")
CONFIG = Text("The config: {path}")
CHANGE_CONFIG = Text("The config exists already. Change it?")
REPLACES = Text("  replaces {path}")
WRITES = Text("  writes {path}")
WRITE_THIS = Text("Write these files?")
WRITTEN = Text("The files are written.")
NOTHING_TO_WRITE = Text(
    "Nothing was written, because nothing was answered. Without a config, `{chat}` opens a chat in this terminal; with "
    "a key or a token at hand, run `{setup}` again."
)
NOTHING_WRITTEN = Text("Nothing was written.")
CANNOT_WRITE = Text("cannot write {path}: {reason}")
NEXT = Text("\nNext:")
NEXT_DOCTOR = Text("looks for problems")
NEXT_RUN = Text("starts the bot on {channels}")
NEXT_CHAT = Text("opens a chat in this terminal")
NEXT_SETUP = Text("connects the bot to {platforms}")

# The model

MODEL_PART = Text("The model. You can create an Anthropic API key at https://platform.claude.com (API keys).")
KEEP_KEY = Text("There is an API key already. Keep it?")
API_KEY = Text("API key (not shown while you type; Enter: continue without one):")
NEXT_KEY = Text("set ANTHROPIC_API_KEY, or run {command} again: without a key, only the demo answers (run with --demo)")

# A platform

ANSWER_ON = Text("Should the bot answer on {platform}?")
KEEP_TOKEN = Text("There is a token already. Keep it?")
ABOUT_OWNER = Text("The owner can always talk to the bot, lets other people in, and is told about problems.")
ANOTHER_OWNER = Text("The owner is {owner}. Choose another one?")
OWNERS_ID = Text("The owner's numeric id (Enter: no owner yet):")
LEFT_OUT = Text("  {platform} is left out for now.")
NEXT_TOKEN = Text("to add {platform}, run this command again when you have the token")
BOT_TAKES_MESSAGES = Text(
    "  the running bot (process {process}) receives every message, so this setup would see none; stop the bot first"
)
PROCESS_MAY_TAKE_MESSAGES = Text(
    "  process {process} uses {folder}, and perhaps receives every message, so this setup would see none; stop the "
    "process first"
)
