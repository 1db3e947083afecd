"""What the bot says about group chats: its mode there, how it came there, and what it knows of the place."""

from bot.core.texts import CountedSentence, Sentence

# /mode

MODES = {
    "mentioned": Sentence("mentioned: I answer if you mention me, reply to me or give me a command"),
    "off": Sentence("off: I answer only commands"),
    "always": Sentence("always: I answer everything that is not meant for somebody else"),
}
MODE_IS = Sentence(
    "My mode in this chat: {mode}. /mode mentioned or /mode off is for its admins, /mode always for my owner."
)
NO_SUCH_MODE = Sentence("There is no mode “{mode}”. Use /mode mentioned, /mode off or /mode always.")
MODE_OF_ADMINS = Sentence("Only the admins of this chat and my owner can change my mode.")
MODE_OF_OWNER = Sentence("Only my owner can let me answer everything.")
MODE_IN_PRIVATE = Sentence("Modes are for group chats. Here I answer everything.")

# When the bot comes into a group chat

HELLO = Sentence("Hello! I answer if you mention me, reply to me or give me a command.")
HEARS_ALL = CountedSentence(
    "To know what you talk about, I keep the last message of this chat in memory; I store it only with a question to "
    "me.",
    "To know what you talk about, I keep the last {count} messages of this chat in memory; I store them only with a "
    "question to me.",
)
KEEPS_TALK = Sentence("To know what you talk about, I keep what is said here, for {hours:g} h at most.")
HEARS_OWN = Sentence("I get only the messages that are meant for me.")
OWNER_DECIDES = Sentence("My owner decides who may talk to me here.")
OWNER_HAS_DECIDED = Sentence("Here I answer only my owner, and people who may talk to me anyway.")
WHO_MAY_TALK = Sentence("{person} added me to “{title}” ({channel} {chat}). Who may talk to me there?")
SOMEBODY = Sentence("Somebody")
EVERYBODY_OPTION = Sentence("Everybody there")
OWNER_ONLY_OPTION = Sentence("Only me")
LEAVE_OPTION = Sentence("Leave")
EVERYBODY_MAY_TALK = Sentence("Everybody in “{title}” may talk to me now.")
OWNER_ONLY = Sentence("In “{title}” I answer only you, and people who may talk to me anyway.")
LEAVING = Sentence("I am leaving “{title}”.")

# Who may talk in a group chat (/people)

GROUP_LINE = Sentence("{channel} {chat} “{title}”: {who}")
DECISIONS = {
    "": Sentence("nobody has decided who may talk"),
    "everybody": Sentence("everybody there may talk"),
    "owner": Sentence("only the owner may talk, and people who may anyway"),
    "leave": Sentence("I am leaving it"),
}
OPEN_BY_SETTINGS = Sentence("everybody there may talk, by the settings")
WHO_MAY_TALK_NOW = Sentence("Who may talk to me there from now on?\n{line}")
OPEN_IN_SETTINGS = Sentence(
    "Everybody in “{title}” may talk to me by the settings. Change channels.{channel}.allow_from or "
    "channels.{channel}.people there, then start me again."
)

# When nobody can tell who has written to the bot

ANONYMOUS_ADMIN = Sentence(
    "You write as the group, so I cannot see who you are. Switch off “Remain anonymous” in your admin rights, or write "
    "to me in private."
)
AS_CHANNEL = Sentence(
    "You write in the name of a channel, so I cannot see who you are. Choose your own name beside the input field, or "
    "write to me in private."
)
CHANNEL_POST = Sentence("I do not answer posts of channels. Mention me in a group, or write to me in private.")

# /whereami

CHAT_ID = Sentence("This chat: {channel} {chat}")
THREAD_ID = Sentence("This topic or thread: {thread}")
SERVER_ID = Sentence("This server: {server}")
PERSON_ID = Sentence("You: {person}")
ROLE_LINE = Sentence("Your role here: {role}")
ALLOWED_ROLE_LINE = Sentence("Your role here: {role}, which lets you talk to me")
MODE_LINE = Sentence("My mode here: {mode}")
PRIVACY_MODE_ON = Sentence("Privacy mode is on: I get only what is meant for me, and do not know what you talk about.")
RIGHTS_LINE = Sentence("You may use me for: {rights}")
