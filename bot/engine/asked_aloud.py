"""What somebody asks by a command that nobody else sees, or writes in the page, is shown in the chat before the
answer."""

from bot.core import phrases
from bot.core.content_blocks import sanitize_name
from bot.core.limits import DecisionTerms
from bot.core.messages import InboundMessage
from bot.core.page_words import is_from_page
from bot.core.texts import people_help
from bot.journal.bus import Urgency, post_notice
from bot.store.connection import Connection

MAX_SHOWN_QUESTION_CHARACTERS = 1_500


def show_question_in_chat(db: Connection, message: InboundMessage, terms: DecisionTerms) -> bool:
    """Show what somebody has asked or written, in the chat where the answer will come. Return False if it was shown
    before."""
    person, text = sanitize_name(message.sender.name), phrases.first_words(message.text, MAX_SHOWN_QUESTION_CHARACTERS)
    if is_from_page(message.id):
        said = people_help.WRITTEN_IN_PAGE(person=person, text=text)
    else:
        said = people_help.ASKED(person=person, text=text)
    if message.files:
        files = ", ".join(phrases.name_or_kind_of_file(file.name, file.kind) for file in message.files)
        said = people_help.ASKED_WITH_FILES(person=person, text=text, files=files)
    return post_notice(db, f"{message.id}:asked", message.address, said, terms.now, urgency=Urgency.ACKNOWLEDGEMENT)
