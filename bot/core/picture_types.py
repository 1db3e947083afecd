"""The kinds of pictures that a role may have: those that Discord takes, by their first bytes."""

BEGINNINGS_BY_TYPE = {
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF87a", b"GIF89a"),
}
PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif")


def picture_type(content: bytes) -> str:
    """Return the media type of a picture, for example `image/png`; empty if its beginning is of no known kind."""
    return next((kind for kind, beginnings in BEGINNINGS_BY_TYPE.items() if content.startswith(beginnings)), "")
