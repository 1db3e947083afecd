"""Link accounts to one person: a code of one account is entered in the other within ten minutes.

The account that makes the code is the person's first. The other one may do what the first may do, unless the owner has
decided about its own rights (`admission.rights_of_sender`). Nothing is moved: see `bot/store/people.py`.
"""

from collections.abc import Iterable, Sequence
from datetime import timedelta

from bot.core.access import owner_addresses
from bot.core.content_blocks import sanitize_name
from bot.core.languages import speaking
from bot.core.limits import DecisionTerms
from bot.core.messages import InboundKind, InboundMessage, PersonId, Sender
from bot.core.rights import Right
from bot.core.texts import people_accounts as texts
from bot.journal import openings
from bot.journal.admission import rights_of_sender
from bot.journal.bus import post_notice
from bot.journal.clock import own_zone_name
from bot.journal.codes import make_code, normalize_code
from bot.journal.languages import language_of_owner, language_of_person
from bot.journal.people import is_account_of_owner, list_accounts_of_person, list_all_accounts, person_key
from bot.journal.schedules import move_schedules_to_zone
from bot.store import guests, people, personal_data
from bot.store.connection import Connection
from bot.store.orders import OrderAnswer
from bot.store.people import OWNER_KEY, LinkCode, LinkedAccount, PersonKey, account_key

LINK_COMMAND, UNLINK_COMMAND = "/link", "/unlink"
LINK_CODE_LIFETIME, WRONG_CODES_WINDOW = timedelta(minutes=10), timedelta(hours=1)
MAX_WRONG_CODES = 5  # of one account, in an hour
MAX_ACCOUNTS = 8  # of one person


def answer_link_command(db: Connection, message: InboundMessage, terms: DecisionTerms) -> str:
    """Make a code, or link the sender's account with the one whose code the message has. Return what to answer."""
    if message.group_chat is not None:
        return texts.LINK_ONLY_IN_PRIVATE()
    typed = normalize_code(" ".join(message.text.split()[1:]))
    return link_accounts_by_code(db, message, typed, terms) if typed else make_link_code(db, message, terms)


def make_link_code(db: Connection, message: InboundMessage, terms: DecisionTerms) -> str:
    channel, account = message.address.channel, message.sender.id
    person = person_key(db, channel, account, terms)
    known = list_accounts_of_person(db, person, terms)
    first = next((each for each in known if is_first_account(each, terms)), None)
    if first and person != account_key(channel, account) and not is_account_of_owner(channel, account, terms):
        return texts.LINK_FROM_FIRST_ACCOUNT(account=describe_account(first))
    if len(known) >= MAX_ACCOUNTS:
        return texts.TOO_MANY_LINKED_ACCOUNTS(most=MAX_ACCOUNTS)
    shown = make_code()
    code = LinkCode(
        channel=channel,
        account=account,
        code=normalize_code(shown),
        name=message.sender.name,
        address=message.address,
        expires_at=terms.now + LINK_CODE_LIFETIME,
    )
    people.save_link_code(db, code)
    lines = [texts.LINK_CODE(code=shown)]
    lines += [texts.LINKED_ACCOUNTS(accounts=describe_accounts(known))] if known else []
    return "\n".join(lines)


def link_accounts_by_code(db: Connection, message: InboundMessage, typed: str, terms: DecisionTerms) -> str:
    """Link the sender's account with the one that made the code, and say so to both. Return what to answer. A code can
    be used once, and five wrong ones lock an account out for an hour."""
    channel, account = message.address.channel, message.sender.id
    if people.count_wrong_link_codes(db, channel, account, terms.now - WRONG_CODES_WINDOW) >= MAX_WRONG_CODES:
        return texts.TOO_MANY_WRONG_LINK_CODES()
    code = people.find_link_code(db, typed, terms.now)
    if code is None or not may_still_speak(db, code, terms):
        people.note_wrong_link_code(db, channel, account, terms.now)
        return texts.WRONG_LINK_CODE()
    if refusal := why_not_to_link(db, code, channel, account, terms):
        return refusal
    person = person_key(db, code.channel, code.account, terms)
    first = LinkedAccount(
        channel=code.channel,
        account=code.account,
        person=account_key(code.channel, code.account),
        name=code.name,
        address=code.address,
        linked_at=terms.now,
    )
    joins = LinkedAccount(
        channel=channel,
        account=account,
        person=first.person,
        name=message.sender.name,
        address=message.address,
        linked_at=terms.now,
    )
    for each in (first, joins):
        people.delete_link_code(db, each.channel, each.account)  # what joins is no first account any more
        people.add_linked_account(db, each)
    take_over_settings(db, joins, person)
    follow_clock_of_person(db, [joins], terms)
    tell_of_link(db, message, first, joins, person, terms)
    return texts.LINKED_HERE(account=describe_account(first))


def why_not_to_link(db: Connection, code: LinkCode, channel: str, account: str, terms: DecisionTerms) -> str:
    """Return why an account may not join the one that made a code; empty if it may."""
    if (code.channel, code.account) == (channel, account):
        return texts.LINK_CODE_OF_THIS_ACCOUNT()
    if is_account_of_owner(channel, account, terms):
        return texts.LINK_FROM_OWNER()
    if people.find_linked_account(db, channel, account):
        is_same = person_key(db, channel, account, terms) == person_key(db, code.channel, code.account, terms)
        return texts.LINKED_ALREADY() if is_same else texts.LINKED_WITH_ANOTHER()
    return ""


def tell_of_link(
    db: Connection,
    message: InboundMessage,
    first: LinkedAccount,
    joins: LinkedAccount,
    person: PersonKey,
    terms: DecisionTerms,
) -> None:
    """Tell the account that made the code, and the owner if it is not theirs."""
    with speaking(language_of_person(db, first.channel, first.account, terms)):
        there = texts.LINKED_THERE(account=describe_account(joins))
        post_notice(db, f"{message.id}:linked", first.address, there, terms.now)
    if person == OWNER_KEY:
        return
    for owner_at in owner_addresses(terms.access_by_channel, joins.channel)[:1]:
        with speaking(language_of_owner(db, owner_at.channel, terms)):
            joined, maker = describe_account(joins), describe_account(first)
            said = texts.LINKED_TO_OWNER(account=joined, first=maker, channel=joins.channel, id=joins.account)
            post_notice(db, f"{message.id}:linked_told", owner_at, said, terms.now)


def answer_code_of_stranger(db: Connection, message: InboundMessage, terms: DecisionTerms) -> bool:
    """Link an account that may not speak yet, if its message has a code. Return False if the message is about something
    else, or its writer was sent away: that stays so."""
    is_command = message.kind is InboundKind.COMMAND and message.group_chat is None
    typed = normalize_code(" ".join(message.text.split()[1:]))
    guest = guests.find_guest(db, message.address.channel, message.sender.id)
    if not is_command or message.command != LINK_COMMAND or not typed or (guest and guest.is_revoked):
        return False
    said = link_accounts_by_code(db, message, typed, terms)
    post_notice(db, f"{message.id}:told", message.address, said, terms.now)
    return True


def may_still_speak(db: Connection, code: LinkCode, terms: DecisionTerms) -> bool:
    sender = Sender(id=code.account, name=code.name)
    return Right.TALK in rights_of_sender(db, code.address, sender, None, terms)


def take_over_settings(db: Connection, joins: LinkedAccount, person: PersonKey) -> None:
    """Let the person have what the new account has set, where the person has set nothing."""
    own = people.load_person_settings(db, account_key(joins.channel, joins.account))
    before = people.load_person_settings(db, person)
    if own.time_zone and not before.time_zone:
        people.save_person_setting(db, person, "time_zone", own.time_zone)
    if own.language and not before.language:
        people.save_person_setting(db, person, "language", own.language)


def answer_unlink_command(db: Connection, message: InboundMessage, terms: DecisionTerms) -> str:
    """Separate the sender's account from its person. In the first account, separate the one that the message names, or
    the only other one. Return what to answer."""
    if message.group_chat is not None:
        return texts.LINK_ONLY_IN_PRIVATE()
    channel, account = message.address.channel, message.sender.id
    person = person_key(db, channel, account, terms)
    known = list_accounts_of_person(db, person, terms)
    own = [each for each in known if (each.channel, each.account) == (channel, account)]
    is_first = is_account_of_owner(channel, account, terms) or person == account_key(channel, account)
    if not known:
        return texts.NOT_LINKED()
    if not is_first:
        unlink_accounts(db, own, person, terms)
        return texts.UNLINKED_HERE()
    others = [each for each in known if not is_first_account(each, terms)]
    words = message.text.split()[1:]
    which = [each for each in others if [each.channel, each.account] == words] if words else others
    if len(which) != 1:
        commands = [texts.UNLINK_COMMAND(channel=each.channel, id=each.account) for each in others]
        return texts.UNLINK_WHICH(commands=", ".join(commands), accounts=describe_accounts(known))
    unlink_accounts(db, which, person, terms)
    for each in which:
        post_notice(db, f"{message.id}:unlinked", each.address, texts.UNLINKED_HERE(), terms.now)
    return texts.UNLINKED(accounts=describe_accounts(which))


def unlink_accounts(db: Connection, accounts: Sequence[LinkedAccount], person: PersonKey, terms: DecisionTerms) -> None:
    """Let these accounts be persons of their own. A person with only one account left needs no row. In private all of
    them begin new conversations: what the old ones begin with may be a memory of an account that is somebody else's
    now."""
    for session in personal_data.list_private_conversations(db, list_all_accounts(db, person, terms)):
        openings.leave_conversation(db, session, terms.now)
    for each in accounts:
        people.delete_linked_account(db, each.channel, each.account)
    left = list_accounts_of_person(db, person, terms)
    if all(is_first_account(each, terms) for each in left):
        for each in left:
            people.delete_linked_account(db, each.channel, each.account)
    follow_clock_of_person(db, accounts, terms)


def follow_clock_of_person(db: Connection, accounts: Iterable[LinkedAccount], terms: DecisionTerms) -> None:
    """Let the schedules of the persons of these accounts now follow the clock that counts for them."""
    for each in accounts:
        zone = own_zone_name(db, each.channel, each.account, terms)
        move_schedules_to_zone(db, each.channel, each.account, zone, terms)


def cut_links(db: Connection, channel: str, account: PersonId, terms: DecisionTerms) -> OrderAnswer:
    """Let an account be a person of its own, as the owner or the operator wants it: `/people` and `retinue people
    unlink`. If it is the first one, all of its person are. Return what became of it."""
    person = person_key(db, channel, account, terms)
    known = list_accounts_of_person(db, person, terms)
    named = [each for each in known if (each.channel, each.account) == (channel, account)]
    if not named:
        return OrderAnswer(texts.NO_LINK_TO_CUT(channel=channel, id=account), is_done=False)
    cut = [each for each in known if not is_first_account(each, terms)] if is_first_account(named[0], terms) else named
    unlink_accounts(db, cut, person, terms)
    for each in cut:
        once = f"cut:{each.channel}:{each.account}:{terms.now.isoformat()}"
        post_notice(db, once, each.address, texts.UNLINKED_HERE(), terms.now)
    return OrderAnswer(texts.LINKS_CUT(accounts=describe_accounts(dict.fromkeys([*named, *cut]))))


def is_first_account(linked: LinkedAccount, terms: DecisionTerms) -> bool:
    """Return True if the account names the person, or is one of those that the settings name as the owner's."""
    return linked.is_first or is_account_of_owner(linked.channel, linked.account, terms)


def describe_account(linked: LinkedAccount) -> str:
    return texts.ACCOUNT(channel=linked.channel, id=linked.account, name=sanitize_name(linked.name))


def describe_accounts(accounts: Iterable[LinkedAccount]) -> str:
    return ", ".join(map(describe_account, accounts))
