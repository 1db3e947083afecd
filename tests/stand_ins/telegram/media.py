"""What a message can have besides text. Each function returns the message's fields."""

from tests.stand_ins.telegram.errors import Json


def photo(name: str = "photo-1", *, width: int = 800, height: int = 600) -> Json:
    """Return a photo in two sizes, largest last, as the platform does."""
    small = {"file_id": f"{name}-s", "file_unique_id": f"u-{name}-s", "width": 90, "height": 67, "file_size": 1_000}
    large = {"file_id": name, "file_unique_id": f"u-{name}", "width": width, "height": height, "file_size": 90_000}
    return {"photo": [small, large]}


def voice(name: str = "voice-1", *, seconds: int = 3) -> Json:
    return {"voice": {**file(name, "audio/ogg", 9_000), "duration": seconds}}


def document(file_name: str = "notes.pdf", *, mime: str = "application/pdf", size: int = 12_000) -> Json:
    return {"document": {**file(f"document-{file_name}", mime, size), "file_name": file_name}}


def sticker(emoji: str = "👍") -> Json:
    sizes = {"width": 512, "height": 512, "is_animated": False, "is_video": False, "type": "regular", "emoji": emoji}
    return {"sticker": {"file_id": "sticker-1", "file_unique_id": "u-sticker-1", **sizes}}


def file(name: str, mime: str, size: int) -> Json:
    return {"file_id": name, "file_unique_id": f"u-{name}", "mime_type": mime, "file_size": size}
