"""What `retinue setup` asks and says."""

from bot.core.texts import Text

# Answers

YES_OR_NO = Text("  yes or no?")
USUALLY_YES = Text("{question} [Y/n]")
USUALLY_NO = Text("{question} [y/N]")
NO_NUMERIC_ID = Text("  that is no numeric id")
NOT_UTF8 = Text("an answer is not UTF-8 text; nothing was written")
ANSWERS_ENDED = Text("the answers ended before all was asked; nothing was written")

# What was found out about an answer

CHECKING = Text("  checking …")
NOT_CHECKED = Text("  it could not be checked: {reason}; {command} looks again")
NOT_CHECKED_NO_ANSWER = Text("  it could not be checked: no answer; {command} looks again")
NOT_CHECKED_FOR = Text("it could not be checked: {reason}")
MODEL_IS_THERE = Text("{model} is there")

# The course

NEW_CONFIG = Text("A new config: {path}")
CONFIG = Text("The config: {path}")
CHANGE_CONFIG = Text("It is there already. Change it?")
REPLACES = Text("  replaces {path}")
WRITES = Text("  writes {path}")
WRITE_THIS = Text("Write this?")
WRITTEN = Text("Written.")
NOTHING_WRITTEN = Text("Nothing was written.")
CANNOT_WRITE = Text("cannot write {path}: {reason}")
NEXT = Text("\nNext:")
NEXT_DOCTOR = Text("looks for whatever is wrong")
NEXT_RUN = Text("answers on {channels}")
NEXT_CHAT = Text("talks here, in the terminal")
NEXT_SETUP = Text("again, to add {platforms}")

# The model

MODEL_PART = Text("The model. Keys of Anthropic are made at https://platform.claude.com (API keys).")
KEEP_KEY = Text("There is a key already. Keep it?")
API_KEY = Text("API key (it is not shown; nothing: go on without):")
NEXT_KEY = Text("set ANTHROPIC_API_KEY, or run {command} again: without a key nobody answers")

# A platform

ANSWER_ON = Text("Answer on {platform}?")
KEEP_TOKEN = Text("There is a token already. Keep it?")
ABOUT_OWNER = Text("The owner may always speak, lets others in, and hears of faults.")
ANOTHER_OWNER = Text("The owner is {owner}. Take another one?")
OWNERS_ID = Text("The owner's numeric id (nothing: none yet):")
LEFT_OUT = Text("  {platform} is left out for now.")
NEXT_TOKEN = Text("{platform} can be added once you have the token: run this again")
BOT_TAKES_MESSAGES = Text("  the bot runs (process {process}) and takes every message; stop it for that")
PROCESS_MAY_TAKE_MESSAGES = Text("  process {process} holds {folder}, and may take every message; stop it for that")
