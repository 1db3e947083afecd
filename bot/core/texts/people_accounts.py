"""A person's own accounts, memories and data: what people read who ask for them."""

from bot.core.texts import Text

# One person with several accounts (/link, /unlink)

ACCOUNT = Text("{name} ({channel} {id})")
LINK_CODE = Text(
    "Write this to me from your other account, in a private chat, within ten minutes: /link {code}\n"
    "From then on you are one person for me: I remember the same about you there, you may do the same, and you share "
    "one budget. Show the code to nobody else: whoever enters it counts as you. /unlink ends it."
)
LINKED_ACCOUNTS = Text("Your accounts: {accounts}.")
LINK_ONLY_IN_PRIVATE = Text("Please write that to me in a private chat: others can read what I answer here.")
LINK_FROM_FIRST_ACCOUNT = Text("This account is linked already. Make the code in your first account: {account}.")
WRONG_LINK_CODE = Text(
    "I don't know that code. Codes are valid for ten minutes and only once. Write /link in your other account to get a "
    "new one."
)
TOO_MANY_WRONG_LINK_CODES = Text("That were too many wrong codes. Please try again in an hour.")
LINK_CODE_OF_THIS_ACCOUNT = Text("That is the code of this account. Enter it in your other account.")
LINK_FROM_OWNER = Text(
    "You are the owner here, so the code has to come from this account: write /link here, and enter the code in your "
    "other account."
)
LINKED_ALREADY = Text("These two accounts are linked already.")
LINKED_WITH_ANOTHER = Text("This account is linked with another one. Write /unlink first, then enter the code again.")
TOO_MANY_LINKED_ACCOUNTS = Text("You have {most} linked accounts, and more are not possible. /unlink separates one.")
LINKED_HERE = Text(
    "This account is linked with {account} now. I remember the same about you in both, you may do the same, and you "
    "share one budget. If that is not your account, write /unlink at once."
)
LINKED_THERE = Text("{account} is linked with this account now. If that is not you, write /unlink at once.")
LINKED_TO_OWNER = Text(
    "{account} says that it is the same person as {first}, with a code from there. What {first} may do, it may do "
    "now, too. /people shows everybody's rights."
)
NOT_LINKED = Text("This account is not linked with another one. /link links it.")
UNLINKED_HERE = Text(
    "This account is on its own again. What I noted for you here stays here, and what I noted in your other accounts "
    "stays there."
)
UNLINKED = Text("No longer linked: {accounts}. What I noted for you there stays there.")
UNLINK_WHICH = Text("Write which account to separate: {commands}. Your accounts: {accounts}.")
UNLINK_COMMAND = Text("/unlink {channel} {id}")
