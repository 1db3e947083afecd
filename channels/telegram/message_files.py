"""The files that come with a message, as Telegram announces them: photos, voice messages, documents …"""

from bot.core.incoming_files import IncomingFile, IncomingFileKind
from channels.telegram import model_texts
from channels.telegram.described_contents import clip_to_line, read_optional_integer
from channels.telegram.fields import JsonFields

MAX_PHOTO_BYTES = 20 * 1024 * 1024  # Telegram gives bots no larger file; of a larger one, a smaller size will do
MAX_NAME_CHARACTERS = 255
KINDS_BY_FIELD = {
    "voice": IncomingFileKind.VOICE,
    "audio": IncomingFileKind.AUDIO,
    "video": IncomingFileKind.VIDEO,
    "video_note": IncomingFileKind.VIDEO,
    "animation": IncomingFileKind.VIDEO,
    "document": IncomingFileKind.FILE,
}


def list_files(message: JsonFields, *, is_quoted: bool = False) -> list[IncomingFile]:
    """Return the files of a message that Telegram gives to the bot."""
    files = [make_photo(message, is_quoted)]
    for name, kind in KINDS_BY_FIELD.items():
        is_the_same = name == "document" and "animation" in message  # an animation comes as a file too
        if name in message and not is_the_same:
            files.append(make_file(kind, message.read_object(name), is_quoted))
    return [file for file in files if file]


def make_photo(message: JsonFields, is_quoted: bool) -> IncomingFile | None:
    """Return the largest size of a photo that Telegram gives to bots. A live photo has its picture as a photo too."""
    sizes = message.read_object_list("photo")
    if not sizes and (live := message.read_optional_object("live_photo")):
        sizes = live.read_object_list("photo")
    fitting = [size for size in sizes if (read_optional_integer(size, "file_size") or 0) <= MAX_PHOTO_BYTES]
    largest = max(fitting, key=lambda size: read_optional_integer(size, "width") or 0, default=None)
    return make_file(IncomingFileKind.PHOTO, largest, is_quoted) if largest else None


def make_file(kind: IncomingFileKind, media: JsonFields, is_quoted: bool) -> IncomingFile | None:
    """Return a file, or None if Telegram names no file."""
    if not (reference := media.read_optional_text("file_id")):
        return None
    return IncomingFile(
        kind=kind,
        name=read_file_name(media),
        reference=reference,
        size_bytes=read_optional_integer(media, "file_size"),
        seconds=read_optional_integer(media, "duration"),
        media_type=clip_to_line(media.read_optional_text("mime_type")),
        is_quoted=is_quoted,
    )


def read_file_name(media: JsonFields) -> str:
    """Return the name that its sender gave a file. A piece of music may have only a title."""
    name = clip_to_line(media.read_optional_text("file_name"), MAX_NAME_CHARACTERS)
    return name or clip_to_line(media.read_optional_text("title"))


def describe_files(message: JsonFields) -> list[str]:
    """Return the kind of each file of a message in words: also of one that Telegram does not give to the bot."""
    found: list[str] = [model_texts.PHOTO] if "photo" in message and "live_photo" not in message else []
    found += [model_texts.LIVE_PHOTO] if "live_photo" in message else []
    found += [model_texts.ANIMATION] if "animation" in message else []
    for name in ("voice", "video_note", "video", "audio"):
        if name in message:
            found.append(describe_timed_media(name, message.read_object(name)))
    if "document" in message and "animation" not in message:
        name = clip_to_line(message.read_object("document").read_optional_text("file_name"))
        found.append(model_texts.FILE_NAMED(name=name) if name else model_texts.FILE)
    return found


def describe_timed_media(name: str, media: JsonFields) -> str:
    """Return the name of such media, with the length if it is known."""
    seconds = read_optional_integer(media, "duration")
    match name:
        case "voice":
            return model_texts.VOICE_MESSAGE if seconds is None else model_texts.VOICE_MESSAGE_OF(seconds=seconds)
        case "video_note":
            return model_texts.VIDEO_MESSAGE if seconds is None else model_texts.VIDEO_MESSAGE_OF(seconds=seconds)
        case "video":
            return model_texts.VIDEO if seconds is None else model_texts.VIDEO_OF(seconds=seconds)
    return model_texts.AUDIO if seconds is None else model_texts.AUDIO_OF(seconds=seconds)
