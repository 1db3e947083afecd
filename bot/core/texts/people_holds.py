"""What people read when they are asked whether a call may run, in English."""

from bot.core.texts import CountedSentence, Sentence

MAY_CALL_RUN = CountedSentence("May I do this?", "May I do these {count} things?")
MAY_CALL_OF_ROLE_RUN = CountedSentence(
    "{role} wants to do this for you. May it?", "{role} wants to do these {count} things for you. May it?"
)
ASKED_IN_GROUP_CHAT = Sentence("In the chat {chat}, for {person}:")
SOMEBODY_ELSE_MAY_HAVE_ASKED = Sentence("I have read words here that you did not write, so I ask before I do it.")
ASKED_AGAIN = Sentence("You have said yes to this, but something has changed since, so I ask again.")
NOT_ASKED_FOR = Sentence("Nothing that you wrote asks for this.")
THING_NOT_NAMED = Sentence("What you wrote speaks of no such thing.")
VALUE_FROM_OUTSIDE = Sentence("“{value}” stands in nothing that you wrote.")
VALUE_NOT_MEANT = Sentence("You wrote “{value}”, but I am not sure that it is meant for this.")
POINTER_IN_TEXT = Sentence("Its text holds {value}, and you did not write that.")
SITE_WAS_READ = Sentence("It would send something to {value}, and I have read a page there.")
WEB_AFTER_PRIVATE = Sentence("I have read private things here, and what I ask the web may give them away.")
TEXT_TO_DESCRIBED_PERSON = Sentence("You did not name who gets this, and the text is not yours.")
NOTHING_OF_PAYMENT = Sentence("You named neither who is paid nor how much.")
TOO_MANY = Sentence("It is more of this than you asked for ({value}).")
TOO_MUCH_WORK = Sentence("That is more than {value} delegations for one request.")
REACHES_HOSTS = Sentence("This program can send what it reads to {value}.")
DENY_WITH_REASON = Sentence("Reply to this message to say no and why.")
ALLOW = Sentence("Yes")
ALLOW_IN_CONVERSATION = Sentence("Yes, and again in this conversation")
DENY = Sentence("No")
WAITS_FOR_OWNER = Sentence("I have asked the owner whether I may do this. It waits for the answer.")
APPROVAL_WITHDRAWN = Sentence("✖ Not done: something else was written meanwhile.")
APPROVAL_VOID = Sentence("✖ Not done: you, or the person who wanted it, may not do this any more.")
APPROVAL_EXPIRED = Sentence("✖ Not done: nobody answered in time.")
