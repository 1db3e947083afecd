"""What a message can have besides text. Each function returns the message's fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.stand_ins.telegram.errors import Json

if TYPE_CHECKING:
    from tests.stand_ins.telegram.world import World

PLACE = {"latitude": 52.52, "longitude": 13.405}


def photo(name: str = "photo-1", *, width: int = 800, height: int = 600) -> Json:
    """Return a photo in two sizes, largest last, as the platform does."""
    small = {"file_id": f"{name}-s", "file_unique_id": f"u-{name}-s", "width": 90, "height": 67, "file_size": 1_000}
    large = {"file_id": name, "file_unique_id": f"u-{name}", "width": width, "height": height, "file_size": 90_000}
    return {"photo": [small, large]}


def voice(name: str = "voice-1", *, seconds: int = 3) -> Json:
    return {"voice": {**file(name, "audio/ogg", 9_000), "duration": seconds}}


def document(file_name: str = "notes.pdf", *, mime: str = "application/pdf", size: int = 12_000) -> Json:
    return {"document": {**file(f"document-{file_name}", mime, size), "file_name": file_name}}


def audio(file_name: str = "song.mp3", *, seconds: int = 200) -> Json:
    return {"audio": {**file(f"audio-{file_name}", "audio/mpeg", 90_000), "file_name": file_name, "duration": seconds}}


def video(file_name: str = "clip.mp4", *, seconds: int = 5, size: int = 90_000) -> Json:
    sizes = {"width": 640, "height": 480, "duration": seconds}
    return {"video": {**file(f"video-{file_name}", "video/mp4", size), "file_name": file_name, **sizes}}


def video_note(*, seconds: int = 4) -> Json:
    return {"video_note": {**file("note-1", "video/mp4", 9_000), "duration": seconds, "length": 240}}


def animation(file_name: str = "fun.mp4") -> Json:
    """Return an animation: the platform sends it as a document too."""
    found = {**file(f"animation-{file_name}", "video/mp4", 9_000), "file_name": file_name}
    return {"animation": {**found, "width": 9, "height": 9, "duration": 1}, "document": found}


def live_photo(name: str = "live-1") -> Json:
    """Return a live photo: the platform sends its picture as a photo too."""
    still = photo(f"{name}-still")["photo"]
    clip = {**file(name, "video/mp4", 90_000), "photo": still, "width": 800, "height": 600, "duration": 2}
    return {"live_photo": clip, "photo": still}


def location(**more: float) -> Json:
    return {"location": {**PLACE, **more}}


def venue(title: str = "Café", address: str = "Main Street 1") -> Json:
    """Return a venue: the platform sends its place as a location too."""
    return {"venue": {"title": title, "address": address, "location": PLACE}, "location": PLACE}


def contact(name: str = "Ben", phone: str = "+49301234") -> Json:
    return {"contact": {"first_name": name, "phone_number": phone}}


def poll(question: str, *options: str, votes: int = 0) -> Json:
    told = [{"persistent_id": str(n), "text": text, "voter_count": votes} for n, text in enumerate(options)]
    kinds = {"type": "regular", "is_anonymous": True, "is_closed": False, "allows_multiple_answers": False}
    kinds |= {"allows_revoting": False, "members_only": False}
    return {"poll": {"id": "5", "question": question, "options": told, "total_voter_count": votes, **kinds}}


def dice(value: int = 4) -> Json:
    return {"dice": {"emoji": "🎲", "value": value}}


def checklist(title: str, *tasks: str) -> Json:
    return {"checklist": {"title": title, "tasks": [{"id": n, "text": text} for n, text in enumerate(tasks, 1)]}}


def rich(*blocks: Json) -> Json:
    """Return a rich message (Bot API 10.1). It has no text beside its blocks."""
    return {"rich_message": {"blocks": list(blocks)}}


def offer(world: World, media: Json, content: bytes) -> Json:
    """Let the bot fetch this content as the file of some media, and return the media with its true size."""
    told = dict(media)
    for name, found in media.items():
        if name == "photo":
            *smaller, largest = found
            told[name] = [*smaller, {**largest, "file_size": len(content)}]
            world.files[largest["file_id"]] = content
        elif isinstance(found, dict) and "file_id" in found:
            told[name] = {**found, "file_size": len(content)}
            world.files[found["file_id"]] = content
    return told


def sticker(emoji: str = "👍") -> Json:
    sizes = {"width": 512, "height": 512, "is_animated": False, "is_video": False, "type": "regular", "emoji": emoji}
    return {"sticker": {"file_id": "sticker-1", "file_unique_id": "u-sticker-1", **sizes}}


def file(name: str, mime: str, size: int) -> Json:
    return {"file_id": name, "file_unique_id": f"u-{name}", "mime_type": mime, "file_size": size}
