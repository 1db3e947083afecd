"""What the terminal itself says to the person in front of it, in English."""

from bot.core.texts import Plural, Text

# What the keys and words do, and where one types

HELP = Text("Alt-Enter: new line · /help or Tab: commands · Ctrl-C: stop, twice: leave · exit: leave")
HELP_OF_LINES = Text("Enter: send · /help: commands · Ctrl-C: stop and leave · exit or Ctrl-D: leave")
NOTHING_AT_WORK = Text("I am not working on anything. Press Ctrl-C again to leave.")
PROMPT = Text("> ")

# What was said before

EARLIER = Text("Earlier in this conversation:")
END_OF_EARLIER = Text("The conversation continues here.")
LEFT_OVER = Text("My answer to a message from an earlier run:")
STILL_OPEN = Text("This question from an earlier run is still open:")
AGAIN = Text("The text above was a draft. This is my answer:")

# How a question is answered

CHOOSE = Text("Type a number or words, then Enter.")
WRITE = Text("Type your answer, then Enter.")
CHOOSE_FOR_ROLE = Text("Type a number or an option, then Enter. In other words: /tell {number} and your answer.")
WRITE_FOR_ROLE = Text("Type /tell {number} and your answer, then Enter. Other words are for me.")

# What is being done

WAITS_FOR_ANSWER = Text("waiting for your answer · Ctrl-C stops me")
AT_WORK = Text("working {time} · Ctrl-C stops me")
STILL_AT_WORK = Text("I am still working; nothing new for {seconds:.0f} s")

# What an answer cost

FREE = Text("free (demo)")
NO_PRICE = Text("the price is not known")
PRICE = Text("${usd:.4f}")
PRICE_AT_MOST = Text("at most ${usd:.4f}")
TOKENS = Plural("{count} token", "{count} tokens")
THOUSAND_TOKENS = Text("{thousands:.1f} k tokens")
SECONDS = Text("{seconds:.0f} s")
MINUTES = Text("{time} min")

# A file that was sent

FILE = Text("{name} ({size}): {path}")
BYTES = Plural("{count} byte", "{count} bytes")
KILOBYTES = Text("{size:.0f} kB")
MEGABYTES = Text("{size:.1f} MB")
