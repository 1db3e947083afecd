"""What people read when a request to the model fails: what happened (a clause), and what to do."""

from bot.core.texts import Plural, Text

# What happened

BROKE_OFF = Text("{model} stopped before it had answered")
ANSWER_BROKE_OFF = Text("{model} stopped in the middle of its answer")
TOO_SLOW = Text("{model} took longer than {seconds:g} s")
TOO_LONG = Text("this conversation has grown too long for the model")
MEDIA_NOT_READ = Text("{model} cannot read an image or a PDF in this conversation")
THINKING_NOT_ACCEPTED = Text("{model} no longer accepts a part of this conversation")
MODEL = Text("the model")

# What they can do

TRY_AGAIN = Text("try again")
TRY_LATER = Text("try again in a few minutes")
TRY_IN_SECONDS = Text("try again in {seconds:.0f} s")
TRY_IN_MINUTES = Text("try again in {minutes:.0f} min")
TRY_IN_HOURS = Text("try again in {hours:.0f} h")
BEGIN_A_NEW_ONE = Text("/new begins a new conversation")
ATTEMPTS = Plural("{count} attempt", "{count} attempts")
