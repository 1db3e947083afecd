"""What a message of Telegram has besides words: files that can be fetched, and what is told in words."""

from typing import Any

import pytest

from bot.core.incoming_files import IncomingFile, IncomingFileKind
from channels.telegram import model_texts
from tests.channels.telegram.test_reading import BEN, heard, message
from tests.stand_ins.telegram.texts import marks

PLACE = {"latitude": 52.52, "longitude": 13.4}
SMALL = {"file_id": "s", "width": 90, "file_size": 1_000}
LARGE = {"file_id": "l", "width": 1280, "file_size": 90_000}
HUGE = {"file_id": "h", "width": 9000, "file_size": 30_000_000}
OPTIONS = [{"text": "Yes", "voter_count": 2}, {"text": "No", "voter_count": 1}]
LINK = [{"type": "text_link", "offset": 4, "length": 4, "url": "https://example.org/menu"}]


def brought(**content: Any) -> tuple[IncomingFile, ...]:
    return heard(message(None, **content)).files


@pytest.mark.parametrize(
    ("content", "kind", "name", "seconds", "media_type"),
    [
        ({"voice": {"file_id": "a", "duration": 12, "mime_type": "audio/ogg"}}, "voice", "", 12, "audio/ogg"),
        ({"video_note": {"file_id": "a", "duration": 5}}, "video", "", 5, ""),
        ({"video": {"file_id": "a", "duration": 5, "file_name": "x.mp4"}}, "video", "x.mp4", 5, ""),
        ({"audio": {"file_id": "a", "duration": 5, "title": "A song"}}, "audio", "A song", 5, ""),
        ({"document": {"file_id": "a", "file_name": "re\nport.pdf"}}, "file", "re port.pdf", None, ""),
        ({"animation": {"file_id": "a"}, "document": {"file_id": "a", "file_name": "x"}}, "video", "", None, ""),
        ({"live_photo": {"file_id": "v", "photo": [{"file_id": "a", "width": 1}]}}, "photo", "", None, ""),
    ],
)
def test_a_file_is_announced(content: Any, kind: str, name: str, seconds: int | None, media_type: str) -> None:
    event = heard(message(None, **content, caption="look"))
    file = IncomingFile(kind=IncomingFileKind(kind), name=name, reference="a", seconds=seconds, media_type=media_type)
    assert event.files == (file,)
    assert (event.attachments, event.text) == ((), "look")


def test_of_a_photo_the_largest_size_that_fits_is_announced() -> None:
    (file,) = brought(photo=[SMALL, HUGE, LARGE])
    assert (file.reference, file.size_bytes, file.kind) == ("l", 90_000, IncomingFileKind.PHOTO)


def test_a_quoted_message_brings_its_files() -> None:
    files = heard(message("what is it?", reply_to_message=message(None, photo=[LARGE], **{"from": BEN}))).files
    assert [(file.reference, file.is_quoted) for file in files] == [("l", True)]


def test_a_message_of_another_chat_brings_its_files() -> None:
    elsewhere: Any = {"origin": {"type": "hidden_user", "sender_user_name": "Eve"}, "document": {"file_id": "d"}}
    event = heard(message("sum it up", external_reply=elsewhere))
    assert [(file.reference, file.is_quoted) for file in event.files] == [("d", True)]
    assert (event.quotes[0].author, event.quotes[0].text) == ("Eve", model_texts.FILE)


def test_a_forwarded_message_brings_its_files_and_its_poll_as_a_quotation() -> None:
    forward: Any = {"forward_origin": {"type": "user", "sender_user": BEN}, "poll": {"question": "Tea?", "options": []}}
    event = heard(message(None, **forward, photo=[LARGE], caption="Well:"))
    assert [(file.reference, file.is_quoted) for file in event.files] == [("l", True)]
    assert (event.text, event.attachments) == ("", ())
    assert event.quotes[0].text == f"Well:\n{model_texts.POLL(question='Tea?', options='')}"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"photo": [{"width": 3}]}, "a photo"),
        ({"voice": {}}, "a voice message"),
        ({"sticker": {"file_id": "a", "emoji": "👍", "set_name": "Cats"}}, "a sticker 👍 of the set Cats"),
        ({"sticker": {"emoji": "👍"}}, "a sticker 👍"),
        ({"sticker": {}}, "a sticker"),
        ({"dice": {"emoji": "🎲", "value": 4}}, "a throw of 🎲: 4"),
        ({"location": PLACE}, "a location on the map: latitude 52.52, longitude 13.4"),
        (
            {"location": {**PLACE, "live_period": 900}},
            "a live location on the map, which moves for 15 min; when it was sent: latitude 52.52, longitude 13.4",
        ),
        (
            {"venue": {"title": "Café", "address": "Main St 1", "location": PLACE}, "location": PLACE},
            "a place: Café, Main St 1; latitude 52.52, longitude 13.4",
        ),
        ({"contact": {"first_name": "Ben", "phone_number": "+49 30 1"}}, "a contact: Ben, +49 30 1"),
        (
            {"poll": {"question": "Tea?", "options": OPTIONS}},
            "a poll: Tea? The options: 1. Yes (2 votes); 2. No (1 vote)",
        ),
        (
            {"poll": {"question": "2+2?", "type": "quiz", "options": [{"text": "4", "voter_count": 0}]}},
            "a quiz: 2+2? The options: 1. 4",
        ),
        (
            {"checklist": {"title": "Buy", "tasks": [{"text": "milk", "completion_date": 9}, {"text": "bread"}]}},
            "a checklist: Buy The items: milk (done); bread",
        ),
        ({"game": {"title": "Chess", "description": "for two"}}, "a game: Chess, for two"),
        ({"story": {"chat": {"title": "The News"}, "id": 4}}, "a story of The News, which bots cannot open"),
        ({"paid_media": {"star_count": 5}}, "paid media for 5 Telegram Stars, which bots cannot open"),
        ({"gift": {"gift": {}, "text": "for you"}}, "a gift with the words: for you"),
        ({"hologram": {}}, "something that I cannot read"),
    ],
)
def test_what_is_no_file_is_told_in_words(content: dict[str, Any], words: str) -> None:
    event = heard(message(None, **content))
    assert (event.attachments, event.files) == ((words,), ())


@pytest.mark.parametrize(
    ("content", "is_said"),
    [({}, True), ({"caption": "well"}, False), ({"poll": {"question": "Tea?", "options": []}}, False)],
)
def test_a_quotation_tells_whether_it_only_names_files(content: Any, is_said: bool) -> None:
    note = {"voice": {"file_id": "a", "duration": 12}, **content}
    forward = heard(message(None, **note, forward_origin={"type": "user", "sender_user": BEN}))
    replied = heard(message("what?", reply_to_message=message(None, **note, **{"from": BEN})))
    assert [each.quotes[0].only_names_files for each in (forward, replied)] == [is_said, is_said]


def test_hidden_links_are_told_in_captions_quotations_and_forwards() -> None:
    told = "the menu (https://example.org/menu)"
    caption: dict[str, Any] = {"caption": "the menu", "caption_entities": LINK, "photo": [LARGE]}
    assert heard(message(None, **caption)).text == told
    assert heard(message("?", reply_to_message=message(None, **caption))).quotes[0].text == told
    picked = {"text": "the menu", "entities": LINK, "position": 0}
    assert heard(message("?", reply_to_message=message("the menu"), quote=picked)).quotes[0].text == told
    forward = message("the menu", entities=LINK, forward_origin={"type": "user", "sender_user": BEN})
    assert heard(forward).quotes[0].text == told


def test_an_edit_that_replaces_a_picture_brings_the_new_one() -> None:
    event = heard(message(None, photo=[LARGE], caption="better", edit_date=1), "edited_message")
    assert (event.is_edit, event.text, event.files[0].reference) == (True, "better", "l")


def test_a_mention_in_a_caption_is_stripped_with_its_picture_kept() -> None:
    caption = "@retinue_bot what is it?"
    group = {"id": -100_5, "type": "supergroup", "title": "Friends"}
    event = heard(message(None, group, photo=[LARGE], caption=caption, caption_entities=marks(caption)))
    assert (event.text, len(event.files)) == ("what is it?", 1)
