"""A person's own accounts, memories and data: what people read who ask for them."""

from bot.core.texts import CountedSentence, Sentence

# One person with several accounts (/link, /unlink)

ACCOUNT = Sentence("{name} ({channel} {id})")
LINK_CODE = Sentence(
    "Write this to me from your other account, in a private chat, within ten minutes: /link {code}\n"
    "From then on you are one person for me: you may do the same there, you share one budget and one time zone, and "
    "I remember in both what you tell me in private. Show the code to nobody else: anybody who enters it counts as "
    "you. /unlink ends it."
)
LINKED_ACCOUNTS = Sentence("Your accounts: {accounts}.")
LINK_ONLY_IN_PRIVATE = Sentence("Please write that to me in a private chat: others can read what I answer here.")
LINK_FROM_FIRST_ACCOUNT = Sentence("This account is linked already. Make the code in your first account: {account}.")
WRONG_LINK_CODE = Sentence(
    "I don't know that code. Codes are valid for ten minutes and only once. Write /link in your other account to get a "
    "new one."
)
TOO_MANY_WRONG_LINK_CODES = Sentence("Those were too many wrong codes. Please try again in an hour.")
LINK_CODE_OF_THIS_ACCOUNT = Sentence("That is the code of this account. Enter it in your other account.")
LINK_FROM_OWNER = Sentence(
    "You are the owner here, so the code has to come from this account: write /link here, and enter the code in your "
    "other account."
)
LINKED_ALREADY = Sentence("These two accounts are linked already.")
LINKED_WITH_ANOTHER = Sentence(
    "This account is linked with another one. Write /unlink first, then enter the code again."
)
TOO_MANY_LINKED_ACCOUNTS = Sentence(
    "You have {most} linked accounts, and more are not possible. /unlink separates one."
)
LINKED_HERE = Sentence(
    "This account is linked with {account} now. You may do the same in both, you share one budget and one time "
    "zone, and I remember in both what you tell me in private. If that is not your account, write /unlink at once."
)
LINKED_THERE = Sentence("{account} is linked with this account now. If that is not you, write /unlink at once.")
LINKED_TO_OWNER = Sentence(
    "{account} says that it is the same person as {first}, with a code from there. What {first} may do, it may do "
    "now, too. /people {channel} {id} unlink ends that, and /people shows everybody's rights."
)
NOT_LINKED = Sentence("This account is not linked with another one. /link links it.")
UNLINKED_HERE = Sentence(
    "This account is on its own again. What I noted for you here stays yours here, and what I noted in your other "
    "accounts stays there. So a new conversation begins here."
)
UNLINKED = Sentence(
    "No longer linked: {accounts}. What I noted for you there stays there. So a new conversation begins here."
)
LINKS_CUT = Sentence("No longer linked with each other: {accounts}.")
NO_LINK_TO_CUT = Sentence("{channel} {id} is not linked with another account.")
UNLINK_WHICH = Sentence("Write which account to separate: {commands}. Your accounts: {accounts}.")
UNLINK_COMMAND = Sentence("/unlink {channel} {id}")

# The language of a person (/language)

LANGUAGE_IS = Sentence(
    "I write to you in {language}. I know these: {languages}. Write for example /language {code} to choose one."
)
LANGUAGE_IS_OWN = Sentence(
    "You have chosen {language}. I know these: {languages}. Write /language auto to leave it to your app again."
)
LANGUAGE_SET = Sentence("I write to you in {language} now.")
LANGUAGE_IS_AUTOMATIC = Sentence("I write to you in {language} now, and follow your app if it shows another language.")
NO_SUCH_LANGUAGE = Sentence("I do not know the language {name}. I know these: {languages}.")
LANGUAGE_WITH_CODE = Sentence("{language} ({code})")

# Forget a person (/forget everything, `retinue people delete`)

FORGET_USAGE = Sentence(
    "Write /forget everything, and I'll ask once more. Then I forget all that I know of you. /memory shows what I "
    "remember, and how to forget one thing."
)
FORGET_ALL = Sentence(
    "Shall I forget everything about you? I'll delete our private conversations, your messages, what I noted for you, "
    "your settings and your linked accounts. Nobody can bring it back. In group chats, what I answered to others stays."
)
FORGET_OPTION = Sentence("Forget everything")
KEEP_OPTION = Sentence("Keep it")
FORGET_AT_WORK = Sentence(
    "I am still at work for you, or a message of yours is waiting. Write /stop, wait until I have stopped, and tap "
    "again."
)
FORGET_OTHERS_AT_WORK = Sentence(
    "I am just answering somebody else in a conversation that you are part of. Tap again when that is done."
)
NOTHING_FORGOTTEN = Sentence("I keep everything as it is.")
FORGOTTEN = Sentence(
    "I have forgotten you: our conversations, your messages, what I noted for you, your reminders and your settings "
    "are deleted. Back-ups that the operator has made may still hold it. What is shown in "
    "this chat stays on the platform until you delete it there."
)
BARE_ACCOUNT = Sentence("{channel} {id}")
PERSON_AT_WORK = Sentence(
    "The bot is at work for {id} or in a conversation with them, or a message of theirs is waiting. Run retinue stop, "
    "and try again when it has stopped."
)
PERSON_FORGOTTEN = Sentence(
    "Deleted: {accounts}, with their messages, conversations, memories, settings and links. Back-ups that were made "
    "before still hold them."
)

# What becomes of what people write (/privacy)

PRIVACY = Sentence(
    "What you write to me, and the files that you send, go to the company whose language model I use, so that I can "
    "answer. This chat's platform sees it, too. If I search the web, a search engine gets the words that I look for; "
    "if I read a voice note, a transcription service may get it. Nothing goes to the makers of this program.\n"
    "{kept} What I noted about you stays until it is forgotten: /memory shows it, and /forget everything deletes "
    "it, with our conversations and your messages. Only back-ups that were made before still hold it. The person who "
    "runs me can read what is stored."
)
TALK_GOES_ALONG = CountedSentence(
    "In group chats, the last message that others wrote before a question to me goes to that company with it.",
    "In group chats, up to {count} messages that others wrote before a question to me go to that company with it.",
)
KEPT_FOR = CountedSentence(
    "Messages are deleted here after a day. Conversations stay until they are deleted.",
    "Messages are deleted here after {count} days. Conversations stay until they are deleted.",
)
KEPT_FOREVER = Sentence("Messages and conversations stay here until they are deleted.")

# What is remembered (/memory)

REMEMBERED = Sentence("This is what I remember here, the newest first:")
MORE_MEMORIES = Sentence("… and older ones. /memory search WORDS finds them.")
MEMORY_NOT_ALLOWED = Sentence(
    "You may not use my memory here; the owner can allow it. /memory forget NUMBER deletes what I noted for you."
)
MEMORY_COMMANDS = Sentence(
    "/memory forget 3 deletes one, /memory search WORDS looks for some, /memory export shows all."
)
NOTHING_REMEMBERED = Sentence("I remember nothing here.")
MEMORIES_FOUND = Sentence("This fits best:")
NO_MEMORY_FOUND = Sentence("I remember nothing here about “{words}”.")
EXPORTED_MEMORY_OF = {
    "person": Sentence("{number} ({date:%Y-%m-%d}, yours alone): {text}"),
    "chat": Sentence("{number} ({date:%Y-%m-%d}, of this chat): {text}"),
    "group": Sentence("{number} ({date:%Y-%m-%d}, of this group): {text}"),
    "tenant": Sentence("{number} ({date:%Y-%m-%d}, for everybody): {text}"),
}
