"""Send files to Telegram: photos, videos, animations, music and documents, one or several together, with a caption."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import lru_cache, partial
from typing import IO, Any

from telegram import (
    Bot,
    InputFile,
    InputMediaAudio,
    InputMediaDocument,
    InputMediaPhoto,
    InputMediaVideo,
    Message,
    MessageEntity,
)

from bot.core.channel import MessagePart
from bot.core.messages import Address, OutboundMessage
from bot.core.outgoing_files import OutgoingFile, PartContent
from channels.formatting import repeat_mark, role_label
from channels.outgoing import (
    LARGE_UPLOAD_BYTES,
    FileGroup,
    count_upload_bytes,
    group_files,
    open_files,
    show_again_until_done,
    upload_seconds,
)
from channels.telegram import operator_texts
from channels.telegram.client import TelegramClient, TelegramRefusal
from channels.telegram.platform import is_telegrams_own
from channels.telegram.rendering import (
    MAX_MESSAGE_ENTITIES,
    Entity,
    FormattedText,
    mark_text_as_repeat,
    render_message_parts,
    replace_unsendable_characters,
    utf16_length,
)

MessageArguments = dict[str, Any]  # arguments of the library's methods
ShowActivity = Callable[[Address, str], Awaitable[None]]

TELEGRAM_MAX_UPLOAD_BYTES = 50_000_000
LOCAL_SERVER_MAX_UPLOAD_BYTES = 2_000_000_000  # of a Bot API server that the operator runs
MAX_CAPTION_UTF16_UNITS = 1024
MAX_PHOTO_BYTES = 10_000_000
MAX_PHOTO_SIDES = 10_000  # width and height together
MAX_PHOTO_RATIO = 20
PHOTO_MEDIA_TYPES = ("image/jpeg", "image/png", "image/webp")
VIDEO_MEDIA_TYPE = "video/mp4"
ANIMATION_MEDIA_TYPE = "image/gif"
AUDIO_MEDIA_TYPES = ("audio/mpeg", "audio/mp4")  # Telegram plays these; other sound is a document
ACTIVITY_SECONDS = 4.0  # people see an activity for five
WRITE_TIMEOUT_SECONDS = 60.0  # for one piece of a file

log = logging.getLogger(__name__)


def max_upload_bytes(base_url: str) -> int:
    return TELEGRAM_MAX_UPLOAD_BYTES if is_telegrams_own(base_url) else LOCAL_SERVER_MAX_UPLOAD_BYTES


class UploadForm(StrEnum):
    """The form in which Telegram shows a file."""

    PHOTO = "photo"
    VIDEO = "video"
    ANIMATION = "animation"
    AUDIO = "audio"
    DOCUMENT = "document"


ALBUM_MEDIA: dict[UploadForm, Callable[..., Any]] = {
    UploadForm.PHOTO: InputMediaPhoto,
    UploadForm.VIDEO: partial(InputMediaVideo, supports_streaming=True),
    UploadForm.AUDIO: InputMediaAudio,
    UploadForm.DOCUMENT: InputMediaDocument,
}
VISUAL_FORMS = frozenset({UploadForm.PHOTO, UploadForm.VIDEO})  # only these may be mixed in an album
ACTIONS = {
    UploadForm.PHOTO: "upload_photo",
    UploadForm.VIDEO: "upload_video",
    UploadForm.ANIMATION: "upload_video",
    UploadForm.AUDIO: "upload_document",
    UploadForm.DOCUMENT: "upload_document",
}


@dataclass(frozen=True, slots=True)
class TelegramPiece:
    """A part of a message with files: a text before them, or files with their caption."""

    text: FormattedText
    files: tuple[OutgoingFile, ...] = ()


def may_be_photo(file: OutgoingFile) -> bool:
    """Return True if Telegram shows the file as a photo."""
    sides = sorted((file.width, file.height))
    return (
        file.media_type in PHOTO_MEDIA_TYPES
        and file.size <= MAX_PHOTO_BYTES
        and sides[0] > 0
        and sum(sides) <= MAX_PHOTO_SIDES
        and sides[1] <= MAX_PHOTO_RATIO * sides[0]
    )


def form_of_file(file: OutgoingFile) -> UploadForm:
    """Return the form of a file, by its content. A document is shown unchanged."""
    if may_be_photo(file):
        return UploadForm.PHOTO
    if file.media_type == VIDEO_MEDIA_TYPE:
        return UploadForm.VIDEO
    if file.media_type == ANIMATION_MEDIA_TYPE and file.is_animated:
        return UploadForm.ANIMATION
    return UploadForm.AUDIO if file.media_type in AUDIO_MEDIA_TYPES else UploadForm.DOCUMENT


def group_by_form(files: Sequence[OutgoingFile]) -> list[FileGroup]:
    """Return the files in groups that one message shows: photos with videos, each animation alone, music, documents."""
    forms = {file: form_of_file(file) for file in files}
    groups = group_files([file for file in files if forms[file] in VISUAL_FORMS])
    groups += [(file,) for file in files if forms[file] is UploadForm.ANIMATION]
    for form in (UploadForm.AUDIO, UploadForm.DOCUMENT):
        groups += group_files([file for file in files if forms[file] is form])
    return groups


@lru_cache(maxsize=64)
def render_pieces(message: OutboundMessage) -> Sequence[TelegramPiece]:
    """Return the parts of a message with files, photos and videos first. The text is the first caption, or if it is too
    long for one, messages before the files."""
    opening = replace_unsendable_characters(role_label(message)).rstrip()
    label = FormattedText(opening, (Entity(type="bold", offset=0, length=utf16_length(opening)),) if opening else ())
    groups = group_by_form(message.files)
    if not message.text.strip():
        return [TelegramPiece(label, group) for group in groups]
    texts = render_message_parts(message)
    room = MAX_CAPTION_UTF16_UNITS - utf16_length(repeat_mark())
    if len(texts) == 1 and utf16_length(texts[0].text) <= room and len(texts[0].entities) <= MAX_MESSAGE_ENTITIES:
        captions = [texts[0], *[label] * (len(groups) - 1)]
        return [TelegramPiece(caption, group) for caption, group in zip(captions, groups, strict=True)]
    return [*map(TelegramPiece, texts), *(TelegramPiece(label, group) for group in groups)]


def split_with_files(message: OutboundMessage) -> Sequence[PartContent]:
    return [PartContent(piece.text.text, piece.files) for piece in render_pieces(message)]


def caption_of_part(part: MessagePart) -> FormattedText:
    """Return the caption of a part with files, marked if it may be a repeat."""
    if part.message.files:
        caption = render_pieces(part.message)[part.number].text
    else:  # the file of a long text
        opening = replace_unsendable_characters(role_label(part.message))
        label = (Entity(type="bold", offset=0, length=utf16_length(opening.rstrip())),) if opening else ()
        caption = FormattedText(opening + part.text, label)
    return mark_text_as_repeat(caption, role_label(part.message)) if part.may_be_shown_already else caption


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """The files of a part, each with the form in which it is sent. `more` are arguments for the library's methods."""

    part: MessagePart
    caption: FormattedText
    forms: Sequence[UploadForm]
    more: MessageArguments

    @property
    def is_of_documents(self) -> bool:
        return all(form is UploadForm.DOCUMENT for form in self.forms)

    def as_documents(self) -> Upload:
        return replace(self, forms=[UploadForm.DOCUMENT] * len(self.forms))


@dataclass
class FileUploads:
    """Uploads of one bot. `show_activity` shows people that a file is on its way."""

    show_activity: ShowActivity

    async def send(self, client: TelegramClient, part: MessagePart, more: MessageArguments) -> list[int]:
        """Send the files of a part together. Return the numbers of their messages. Raise as `client.call` does. If
        Telegram refuses to show one in its form, nothing was sent, so send documents."""
        forms = [form_of_file(each.file) for each in part.files]
        upload = Upload(part=part, caption=caption_of_part(part), forms=forms, more=more)
        try:
            return await self.send_with_plain_caption_fallback(client, upload)
        except TelegramRefusal as refusal:
            if upload.is_of_documents or "repl" in refusal.words:
                raise
            log.info(operator_texts.LOG_FILE_FORM_REFUSED, part.message.id, refusal)
            return await self.send_with_plain_caption_fallback(client, upload.as_documents())

    async def send_with_plain_caption_fallback(self, client: TelegramClient, upload: Upload) -> list[int]:
        try:
            return await self.send_once(client, upload)
        except TelegramRefusal as refusal:
            if "entit" not in refusal.words or not upload.caption.entities:
                raise
            log.warning(operator_texts.LOG_ENTITIES_REFUSED, upload.part.message.id, refusal)
            return await self.send_once(client, replace(upload, caption=FormattedText(upload.caption.text)))

    async def send_once(self, client: TelegramClient, upload: Upload) -> list[int]:
        chat, seconds = (
            upload.part.message.address.chat,
            upload_seconds(upload.part, client.timing.call_timeout_seconds),
        )
        timeouts = {"read_timeout": seconds, "write_timeout": WRITE_TIMEOUT_SECONDS}
        timed = replace(upload, more={**upload.more, **timeouts})
        with open_files(upload.part) as files:
            async with self.activity_of(upload):
                sent = await client.call(chat, lambda bot: send_together(bot, chat, files, timed), seconds)
        return [message.message_id for message in sent]

    def activity_of(self, upload: Upload) -> AbstractAsyncContextManager[None]:
        if count_upload_bytes(upload.part) < LARGE_UPLOAD_BYTES:
            return nullcontext()
        address = upload.part.message.address
        return show_again_until_done(lambda: self.show_activity(address, ACTIONS[upload.forms[0]]), ACTIVITY_SECONDS)


async def send_together(bot: Bot, chat: str, files: Sequence[IO[bytes]], upload: Upload) -> Sequence[Message]:
    """Send one file, or several as an album. The library reads each file piece by piece while it sends."""
    is_album, caption = len(files) > 1, upload.caption
    pairs = zip(files, upload.part.files, strict=True)
    inputs = [InputFile(file, filename=each.file.name, attach=is_album, read_file_handle=False) for file, each in pairs]
    entities = [MessageEntity(**asdict(each)) for each in caption.entities]
    words: MessageArguments = {"caption": caption.text, "caption_entities": entities}
    if not is_album:
        return [await send_single(bot, chat, inputs[0], upload.forms[0], {**words, **upload.more})]
    # Photos and videos share the caption of the first; a caption of others is shown below its own file.
    captioned = 0 if upload.forms[0] in VISUAL_FORMS else len(inputs) - 1
    captions: list[MessageArguments] = [words if number == captioned else {} for number in range(len(inputs))]
    media = [ALBUM_MEDIA[form](each, **own) for each, form, own in zip(inputs, upload.forms, captions, strict=True)]
    return await bot.send_media_group(chat, media, **upload.more)


async def send_single(bot: Bot, chat: str, file: InputFile, form: UploadForm, more: MessageArguments) -> Message:
    match form:
        case UploadForm.PHOTO:
            return await bot.send_photo(chat, file, **more)
        case UploadForm.VIDEO:
            return await bot.send_video(chat, file, supports_streaming=True, **more)
        case UploadForm.ANIMATION:
            return await bot.send_animation(chat, file, **more)
        case UploadForm.AUDIO:
            return await bot.send_audio(chat, file, **more)
        case UploadForm.DOCUMENT:
            return await bot.send_document(chat, file, disable_content_type_detection=True, **more)
