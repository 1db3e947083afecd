"""What is said of people: who asks to be let in, and what they may have done."""

from collections.abc import Sequence

from bot.blocks import plain_name
from bot.messages import Sender
from bot.prices import dollars
from bot.rights import ALL, Right, Rights

WELCOME = "You are let in: write what you want to know or have done. /help lists what else I understand."
NO_PEOPLE = "Nobody besides you may talk with me."
PEOPLE_USAGE = "Write /people CHANNEL ID for buttons, or /people CHANNEL ID give RIGHT, or take RIGHT."
OWNER_MAY_ALL = "The owner may do everything."
PAIR_USAGE = "Write /pair CODE, with the code that they were shown. Codes are good for an hour."
CAN = {
    Right.TALK: "talk with me",
    Right.WEB: "use the web",
    Right.READ_FILES: "read files",
    Right.WRITE_FILES: "write files",
    Right.MEMORY: "use the memory",
    Right.DELEGATE: "give work to roles",
    Right.SCHEDULE: "schedule work",
    Right.SHELL: "use the shell",
}
CLOSED_QUESTION = "That question is no longer open."


def not_known(code: str) -> str:
    return f"I do not know you yet. Show whoever runs me this code, which is good for an hour: {code}"


def guests_can(rights: Rights) -> str:
    """What somebody who is let in may have done, as the owner should know before."""
    files = "your files too" if rights == ALL else "none of your files"
    return f"they can {in_words(rights)} at your cost; they reach {files} (/people)"


def in_words(rights: Rights) -> str:
    """What the rights let somebody do, as it follows on “can”."""
    if rights == ALL:
        return "do everything"
    *first, last = [CAN[each] for each in Right if each in rights] or ["do nothing"]
    return f"{', '.join(first)} and {last}" if first else last


def knocks(channel: str, stranger: Sender, code: str, rights: Rights) -> str:
    return (
        f"{who(stranger)} wants to talk with me on {channel}, and was shown the code {code}. "
        f"If you let them in, {guests_can(rights)}. Or write: /pair {code}"
    )


def who(person: Sender) -> str:
    return f"{plain_name(person.name)} (id {person.id})"


def let_in(person: Sender, channel: str, rights: Rights) -> str:
    return f"{who(person)} may talk with me on {channel} now: {guests_can(rights)}."


def stays_outside(person: Sender) -> str:
    return f"{who(person)} stays outside."


def people(lines: Sequence[str]) -> str:
    return "\n".join([*(lines or [NO_PEOPLE]), PEOPLE_USAGE])


def person_may(channel: str, person: str, rights: str) -> str:
    return f"{person} on {channel} may use me for: {rights}."


def in_settings(channel: str, person: str) -> str:
    return f"The rights of {person} stand in the settings: change channels.{channel}.people, then start me again."


def let_in_or_not(stranger: Sender) -> str:
    return f"Shall {who(stranger)} be let in? Tap a button, or reply yes or no."


def own_share(spent: int, share: int, left: int) -> str:
    """A person's part of the day's money, in micros."""
    return f"You today: {dollars(spent)} of your share of {dollars(share)}, so {dollars(max(0, left))} of it is left."


def kept_for_owner(kept: int, *, is_owner: bool) -> str:
    return f"of which {dollars(kept)} is kept for {'you' if is_owner else 'the owner'}"


def not_permitted(person: str, right: Right) -> str:
    return (
        f"{person} may not have this done here: it takes the right “{right}”, which only the owner can give (/people)"
    )
