"""Turn recordings into text, a few at a time, as long as the money for the day lasts."""

import asyncio
from dataclasses import replace
from pathlib import Path

from bot.core.incoming_files import FileContent
from bot.core.limits import DecisionTerms, GetCurrentTerms
from bot.core.messages import Address
from bot.core.texts import people_files
from bot.core.transcriber import Transcriber
from bot.journal import budgets
from bot.store import Store, inbox
from bot.store import incoming_files as rows
from bot.store.connection import Connection
from bot.store.incoming_files import WaitingFile

MAX_TRANSCRIPTIONS = 4  # at the same time
MAX_SAID_CHARACTERS = 20_000  # of a recording, in the prompt; the whole lies beside it


class Transcriptions:
    def __init__(self, store: Store, transcriber: Transcriber, terms: GetCurrentTerms) -> None:
        self.store = store
        self.transcriber = transcriber
        self.terms = terms
        self._slots = asyncio.Semaphore(MAX_TRANSCRIPTIONS)

    async def add_what_is_said(self, content: FileContent, file: WaitingFile, path: Path, sha256: str) -> FileContent:
        """Return the content of the recording at `path` with what is said in it, or with a note why that is not known.
        The same recording is paid for once in a chat. Raise TranscriptionFailed if there is no transcript."""
        async with self._slots:
            if known := await self.store.read(rows.find_transcript, file.address.whole_chat, sha256):
                return replace(content, note="", said=known)
            if not await self.store.read(has_money_for_transcript, file, self.terms()):
                return replace(content, note=people_files.NO_MONEY_FOR_TRANSCRIPT())
            heard = await self.transcriber.transcribe(path, seconds=file.file.seconds)
        if not heard.text.strip():
            return replace(content, note=people_files.NOTHING_SAID(), said_cost_micros=heard.cost)
        return replace(content, note="", said=heard.text, said_cost_micros=heard.cost)


def cut_what_is_said(content: FileContent) -> FileContent:
    """Return the content with so much of what is said as a prompt may hold. A recording that came before is known only
    up to there."""
    said = content.said[:MAX_SAID_CHARACTERS]
    return replace(content, said=said, is_cut=content.is_cut or len(said) == MAX_SAID_CHARACTERS)


def has_money_for_transcript(db: Connection, file: WaitingFile, terms: DecisionTerms) -> bool:
    """Return True if the chat and the sender have any of the day's money left, or if transcripts cost nothing."""
    sent = inbox.find_kept_message(db, file.message)
    is_free = terms.settings.voice.command is not None or not terms.settings.voice.micros_per_minute
    return is_free or sent is None or has_day_money(db, sent.address, sent.sender.id, terms)


def has_day_money(db: Connection, address: Address, account: str, terms: DecisionTerms) -> bool:
    headroom = budgets.list_day_headroom(db, str(address.whole_chat), address.channel, account, terms)
    return all(each.left_micros > 0 for each in headroom)
