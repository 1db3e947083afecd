"""What the terminal itself says to the person in front of it, in English."""

from bot.core.texts import Plural, Text

# What the keys and words do, and where one types

HELP = Text("Alt-Enter: a new line · /help, Tab: the commands · Ctrl-C: stop, and twice: leave · exit: leave")
HELP_OF_LINES = Text("Enter sends a line · /help: the commands · Ctrl-C: stop, and leave · exit, Ctrl-D: leave")
NOTHING_AT_WORK = Text("Nothing is at work. Once more leaves.")
PROMPT = Text("> ")

# What was said before

EARLIER = Text("Earlier in this conversation:")
END_OF_EARLIER = Text("The conversation goes on here.")
LEFT_OVER = Text("From an earlier run:")
STILL_OPEN = Text("Still open, from an earlier run:")
AGAIN = Text("What stands above was a draft. This is what I say:")

# How a question is answered

CHOOSE = Text("Type a number or words, then Enter.")
WRITE = Text("Type your answer, then Enter.")

# What is being done

WAITS_FOR_ANSWER = Text("waits for your answer · Ctrl-C stops")
AT_WORK = Text("at work {time} · Ctrl-C stops")
STILL_AT_WORK = Text("still at work; nothing new for {seconds:.0f} s")

# What an answer cost

FREE = Text("free (demo)")
NO_PRICE = Text("price not known")
PRICE = Text("${usd:.4f}")
PRICE_AT_MOST = Text("at most ${usd:.4f}")
TOKENS = Plural("{count} token", "{count} tokens")
THOUSAND_TOKENS = Text("{thousands:.1f} k tokens")
SECONDS = Text("{seconds:.0f} s")
MINUTES = Text("{time} min")
