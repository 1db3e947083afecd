"""What people read when a request to the model fails: what happened (a clause), and what to do."""

from bot.core.texts import CountedSentence, Sentence

# What happened

BROKE_OFF = Sentence("{model} stopped before it had answered")
ANSWER_BROKE_OFF = Sentence("{model} stopped in the middle of its answer")
TOO_SLOW = Sentence("{model} took longer than {seconds:g} s")
TOO_LONG = Sentence("this conversation has grown too long for the model")
MEDIA_NOT_READ = Sentence("{model} cannot read an image or a PDF in this conversation")
THINKING_NOT_ACCEPTED = Sentence("{model} no longer accepts a part of this conversation")
MODEL = Sentence("the model")

# What they can do

TRY_AGAIN = Sentence("try again")
TRY_LATER = Sentence("try again in a few minutes")
TRY_IN_SECONDS = Sentence("try again in {seconds:.0f} s")
TRY_IN_MINUTES = Sentence("try again in {minutes:.0f} min")
TRY_IN_HOURS = Sentence("try again in {hours:.0f} h")
BEGIN_A_NEW_ONE = Sentence("/new begins a new conversation")
ATTEMPTS = CountedSentence("{count} attempt", "{count} attempts")
