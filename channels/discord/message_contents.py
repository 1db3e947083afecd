"""What a message of Discord has besides text: files, which can be fetched, and polls and stickers, told in words."""

from collections.abc import Iterator
from typing import Any

from bot.core.incoming_files import IncomingFile, IncomingFileKind
from channels.discord import model_texts
from channels.discord.fields import read_id_field, read_object_field, read_text_field
from channels.discord.files import FileReference
from channels.discord.ids import JsonObject

VOICE_MESSAGE_FLAG = 1 << 13  # a message's flag
ATTACHMENT_OPTION_TYPE = 11  # Discord's number for a slash command's option that is a file
KINDS_BY_MEDIA_TYPE = {
    "image": IncomingFileKind.PHOTO,
    "video": IncomingFileKind.VIDEO,
    "audio": IncomingFileKind.AUDIO,
}


def list_files_of_message(raw: JsonObject) -> Iterator[IncomingFile]:
    """Yield the files of a message, of the one that it replies to, and of what it forwards."""
    place = read_id_field(raw, "channel_id"), read_id_field(raw, "id")
    yield from list_files(raw, *place)
    if replied_to := raw.get("referenced_message"):
        ids = (read_id_field(replied_to, name) if replied_to.get(name) else "" for name in ("channel_id", "id"))
        yield from list_files(replied_to, *ids, is_quoted=True)
    for snapshot in raw.get("message_snapshots") or []:  # the forwarding message has their addresses
        yield from list_files(read_object_field(snapshot, "message"), *place, is_quoted=True)


def list_files(raw: JsonObject, channel_id: str, message_id: str, *, is_quoted: bool = False) -> Iterator[IncomingFile]:
    is_voice = bool((raw.get("flags") or 0) & VOICE_MESSAGE_FLAG)
    for each in raw.get("attachments") or []:
        if file := make_file(each, channel_id, message_id, is_voice=is_voice, is_quoted=is_quoted):
            yield file


def list_files_of_command(data: JsonObject) -> Iterator[IncomingFile]:
    """Yield the files that somebody gave to a slash command."""
    ids = [each.get("value") for each in data.get("options") or [] if each.get("type") == ATTACHMENT_OPTION_TYPE]
    given = (data.get("resolved") or {}).get("attachments") or {}
    for id in ids:
        if id in given and (file := make_file(given[id])):
            yield file


def make_file(
    raw: JsonObject, channel_id: str = "", message_id: str = "", *, is_voice: bool = False, is_quoted: bool = False
) -> IncomingFile | None:
    """Return an attachment as a file, or None if it has no address."""
    name = " ".join(read_text_field(raw, "filename").split())
    if not (raw.get("url") and raw.get("id")):
        return None
    media_type = str(raw.get("content_type") or "")
    kind = KINDS_BY_MEDIA_TYPE.get(media_type.split("/")[0], IncomingFileKind.FILE)
    url, id = read_text_field(raw, "url"), read_id_field(raw, "id")
    reference = FileReference(url=url, file_id=id, channel_id=channel_id, message_id=message_id)
    return IncomingFile(
        kind=IncomingFileKind.VOICE if is_voice else kind,
        name="" if is_voice else name,  # all voice messages have the same
        reference=reference.as_text(),
        size_bytes=read_whole_number(raw.get("size")),
        seconds=read_whole_number(raw.get("duration_secs")),
        media_type=media_type,
        is_quoted=is_quoted,
    )


def read_whole_number(found: Any) -> int | None:
    """Return a number, rounded; None if there is none. Raise one of MALFORMED_DATA_ERRORS if it is something else."""
    return None if found is None else max(0, round(float(found)))


def describe_files(raw: JsonObject) -> list[str]:
    """Return the kind and name of each file of a message in words."""
    if (raw.get("flags") or 0) & VOICE_MESSAGE_FLAG:
        return [model_texts.VOICE_MESSAGE for _ in raw.get("attachments") or []]
    return [describe_file(each) for each in raw.get("attachments") or []]


def describe_file(raw: JsonObject) -> str:
    name = " ".join(read_text_field(raw, "filename").split())
    media = {"image": model_texts.PICTURE(name=name), "video": model_texts.VIDEO(name=name)}
    media["audio"] = model_texts.RECORDING(name=name)
    return media.get(str(raw.get("content_type") or "").split("/")[0], model_texts.FILE(name=name))


def describe_other_contents(raw: JsonObject) -> list[str]:
    """Return in words what comes with a message and is no file: also a file that has no address."""
    found = [describe_file(each) for each in raw.get("attachments") or [] if make_file(each) is None]
    found += [model_texts.STICKER(name=read_text_field(each, "name")) for each in raw.get("sticker_items") or []]
    return [*found, describe_poll(raw["poll"])] if raw.get("poll") else found


def describe_poll(poll: JsonObject) -> str:
    """Return a poll with its options, and with their votes if there are some."""
    results = poll.get("results") or {}
    votes = {each.get("id"): read_whole_number(each.get("count")) for each in results.get("answer_counts") or []}
    options = []
    for number, answer in enumerate(poll.get("answers") or [], 1):
        media = answer.get("poll_media") or {}
        emoji = (media.get("emoji") or {}).get("name")
        text = " ".join(" ".join(str(part) for part in (emoji, media.get("text")) if part).split())
        count = votes.get(answer.get("answer_id")) or 0
        with_votes = model_texts.OPTION_WITH_VOTES(count, number=number, text=text)
        options.append(with_votes if any(votes.values()) else model_texts.OPTION(number=number, text=text))
    question = " ".join(str((poll.get("question") or {}).get("text") or "").split())
    told = "; ".join(options)
    if results.get("is_finalized"):
        return model_texts.CLOSED_POLL(question=question, options=told)
    return model_texts.POLL(question=question, options=told)
