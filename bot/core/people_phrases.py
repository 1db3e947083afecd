"""Which text says it of people: who asks to be let in, and what they may have done."""

from collections.abc import Sequence

from bot.core.content_blocks import plain_name
from bot.core.messages import Sender
from bot.core.rights import EVERY_RIGHT, Right, Rights
from bot.core.texts import people, people_access


def rights_in_words(rights: Rights) -> str:
    """What the rights let somebody do, as it follows on “can”."""
    *first, last = [people_access.RIGHTS[each] for each in Right if each in rights] or [people_access.NO_RIGHTS]
    return people.AND(items=", ".join(first), last=last) if first else last


def pairing_question(channel: str, stranger: Sender, code: str, rights: Rights) -> str:
    if rights == EVERY_RIGHT:
        return people_access.STRANGER_ASKS_FOR_ALL(person=name_and_id(stranger), channel=channel, code=code)
    return people_access.STRANGER_ASKS(
        person=name_and_id(stranger), channel=channel, code=code, things=rights_in_words(rights)
    )


def name_and_id(person: Sender) -> str:
    return people_access.PERSON(name=plain_name(person.name), id=person.id)


def guest_let_in_text(person: Sender, channel: str, rights: Rights) -> str:
    if rights == EVERY_RIGHT:
        return people_access.LET_IN_FOR_ALL(person=name_and_id(person), channel=channel)
    return people_access.LET_IN(person=name_and_id(person), channel=channel, things=rights_in_words(rights))


def people_list_text(lines: Sequence[str]) -> str:
    return "\n".join([*(lines or [people_access.NO_PEOPLE]), people_access.PEOPLE_USAGE])
