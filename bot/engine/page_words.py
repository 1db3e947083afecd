"""Take in what the owner does from the page."""

from bot.core.languages import speaking
from bot.core.limits import DecisionTerms, GetCurrentTerms
from bot.core.page_words import PageWords
from bot.engine.asked_aloud import show_question_in_chat
from bot.engine.commands import answer_stop_command
from bot.journal.bus import Bus, post_notice
from bot.journal.languages import language_of_chat
from bot.journal.openings import RoleResolver
from bot.journal.page_words import find_person_of_private_chat, message_from_page
from bot.store import Store, inbox
from bot.store.connection import Connection


class PageIntake:
    def __init__(self, store: Store, bus: Bus, resolver: RoleResolver, terms: GetCurrentTerms) -> None:
        self.store = store
        self.bus = bus
        self.resolver = resolver
        self.terms = terms

    async def take(self, words: PageWords) -> None:
        """Take in these words. When this returns, they are durable. Words that were taken before change nothing. Raise
        WordsRefused if they cannot be taken."""
        if words.act.is_stop:
            await self.store.write(stop_for_owner, words, self.resolver, self.terms())
        elif not await self.store.read(inbox.is_message_kept, words.message_id):
            await self.bus.publish([await self.store.read(message_from_page, words, self.terms())])


def stop_for_owner(db: Connection, words: PageWords, resolver: RoleResolver, terms: DecisionTerms) -> None:
    """Stop what works in a chat, and say so there. The command is no message: the owner may stop what works in chats
    that they are not in, and must not count as somebody who talks there."""
    command = message_from_page(db, words, terms)
    reader = find_person_of_private_chat(db, command.address)
    with speaking(language_of_chat(db, command.address, reader, terms)):
        if not show_question_in_chat(db, command, terms):
            return
        if said := answer_stop_command(db, command, terms, resolver):
            post_notice(db, f"{command.id}:done", command.address, said, terms.now, reply_to=command.id)
