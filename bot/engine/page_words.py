"""Take in what the owner writes in the page."""

from bot.core.limits import GetCurrentTerms
from bot.core.page_words import PageWords
from bot.journal.bus import Bus
from bot.journal.page_words import message_from_page
from bot.store import Store, inbox


class PageDesk:
    def __init__(self, store: Store, bus: Bus, terms: GetCurrentTerms) -> None:
        self.store = store
        self.bus = bus
        self.terms = terms

    async def take(self, words: PageWords) -> None:
        """Take in these words. When this returns, they are durable. Words that were taken before change nothing. Raise
        WordsRefused if they cannot be taken."""
        if await self.store.read(inbox.is_message_kept, words.message_id):
            return
        await self.bus.publish([await self.store.read(message_from_page, words, self.terms())])
