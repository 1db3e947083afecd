"""Images and PDFs for models: the limits of the API, and what they count. `bot/documents/` examines files."""

from dataclasses import dataclass

from bot.core.texts import model

# Published limits of the Messages API for one file. bot/journal/media.py has those for a request.
MAX_IMAGE_BYTES = 5 * 2**20 * 3 // 4  # the API counts the base64, which is a third longer
MAX_PDF_PAGES = 100
MAX_PDF_BYTES = 20 * 2**20  # a third longer in base64; a request may have 32 MB
MAX_IMAGE_SIDE_PIXELS = 1_568  # the server makes larger images smaller, so they would only take time
# Estimated tokens. The server reads each page as text and as an image.
PIXELS_PER_TOKEN_SQUARE_SIDE = 28  # the width and the height of the square that counts as a token
TOKENS_PER_PDF_PAGE = 3_000


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaFacts:
    """What is known about an image or a PDF without its bytes. `pages` is 0 for an image. `tokens` is an estimate."""

    name: str
    type: str  # such as image/png
    size_bytes: int
    tokens: int
    pages: int = 0

    def __str__(self) -> str:
        if self.pages:
            return model.PDF(self.pages, name=self.name, type=self.type, bytes=self.size_bytes)
        return model.IMAGE(name=self.name, type=self.type, bytes=self.size_bytes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Media:
    """An image or a PDF. `pages` is 0 for an image. `tokens` is an estimate."""

    name: str
    type: str  # such as image/png
    data: bytes
    tokens: int
    pages: int = 0

    @property
    def facts(self) -> MediaFacts:
        size = len(self.data)
        return MediaFacts(name=self.name, type=self.type, size_bytes=size, tokens=self.tokens, pages=self.pages)

    def __str__(self) -> str:
        return str(self.facts)


def estimate_image_tokens(width: int, height: int) -> int:
    return -(-width // PIXELS_PER_TOKEN_SQUARE_SIDE) * -(-height // PIXELS_PER_TOKEN_SQUARE_SIDE)
