"""What the terminal itself says to the person in front of it, in English."""

from bot.core.texts import CountedSentence, Sentence

# What the keys and words do, and where one types

HELP = Sentence("Alt-Enter: new line · /help or Tab: commands · Ctrl-C: stop, twice: leave · exit: leave")
HELP_OF_LINES = Sentence("Enter: send · /help: commands · Ctrl-C: stop and leave · exit or Ctrl-D: leave")
NOTHING_AT_WORK = Sentence("I am not working on anything. Press Ctrl-C again to leave.")
PROMPT = Sentence("> ")

# What was said before

EARLIER = Sentence("Earlier in this conversation:")
END_OF_EARLIER = Sentence("The conversation continues here.")
LEFT_OVER = Sentence("My answer to a message from an earlier run:")
STILL_OPEN = Sentence("This question from an earlier run is still open:")
AGAIN = Sentence("The text above was a draft. This is my answer:")

# How a question is answered

CHOOSE = Sentence("Type a number or words, then Enter.")
WRITE = Sentence("Type your answer, then Enter.")
CHOOSE_FOR_ROLE = Sentence("Type a number or an option, then Enter. In other words: /tell {number} and your answer.")
WRITE_FOR_ROLE = Sentence("Type /tell {number} and your answer, then Enter. Other words are for me.")

# What is being done

WAITS_FOR_ANSWER = Sentence("waiting for your answer · Ctrl-C stops me")
AT_WORK = Sentence("working {time} · Ctrl-C stops me")
STILL_AT_WORK = Sentence("I am still working; nothing new for {seconds:.0f} s")

# What an answer cost

FREE = Sentence("free (demo)")
BOARD_COST = Sentence("${usd:.2f}")
NO_PRICE = Sentence("the price is not known")
PRICE = Sentence("${usd:.4f}")
PRICE_AT_MOST = Sentence("at most ${usd:.4f}")
TOKENS = CountedSentence("{count} token", "{count} tokens")
THOUSAND_TOKENS = Sentence("{thousands:.1f} k tokens")
SECONDS = Sentence("{seconds:.0f} s")
MINUTES = Sentence("{time} min")

# A file that was sent

FILE = Sentence("{name} ({size}): {path}")
BYTES = CountedSentence("{count} byte", "{count} bytes")
KILOBYTES = Sentence("{size:.0f} kB")
MEGABYTES = Sentence("{size:.1f} MB")
