"""The two entries that describe a back-up: the manifest at its beginning, the contents summary at its end."""

import json
from dataclasses import asdict, dataclass
from datetime import datetime

from pydantic import TypeAdapter

from bot.backup import texts
from bot.core.errors import ConfigError

FORMAT_NAME = "retinue back-up"
FORMAT_NUMBER = 1  # later versions of Retinue may use a higher one
PLAUSIBLE_YEARS = 2020, 9000  # the first and the last plausible year of a back-up
MAX_SHORT_ENTRY_BYTES = 1_000_000  # of the manifest, the summary, or a config that is read whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The first entry of the archive."""

    format: str = FORMAT_NAME
    number: int = FORMAT_NUMBER
    version: str  # of Retinue
    made_at: str  # ISO 8601, UTC
    step: int  # the database's newest migration
    conversations: int
    messages: int
    newest: str | None  # when the newest message was stored
    database_bytes: int
    taken_out: list[str]  # the keys of the secrets that were removed from config.json
    has_secrets: bool

    @property
    def creation_time(self) -> datetime:
        return datetime.fromisoformat(self.made_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentsSummary:
    """The last entry of the archive."""

    files: int
    bytes: int
    left_out: list[str]  # as "workspace/a: it is a pipe"; only the first ones, if there are many
    left_out_in_all: int


def encode_manifest_or_summary(part: Manifest | ContentsSummary) -> bytes:
    return (json.dumps(asdict(part), indent=2) + "\n").encode()


def parse_manifest(content: bytes) -> Manifest:
    """Return the manifest. Raise ConfigError if the content is not a manifest, or is from a newer version."""
    try:
        values = json.loads(content)
        if values["format"] != FORMAT_NAME:
            raise ValueError
        if values["number"] > FORMAT_NUMBER:
            raise ConfigError(texts.OF_NEWER_VERSION(version=str(values.get("version"))[:40]))
        manifest = TypeAdapter(Manifest).validate_json(content, strict=True)
        made_at = manifest.creation_time
        if made_at.tzinfo is None or not PLAUSIBLE_YEARS[0] <= made_at.year <= PLAUSIBLE_YEARS[1]:
            raise ValueError
    except (ValueError, TypeError, KeyError, RecursionError):
        raise ConfigError(texts.MANIFEST_UNREADABLE) from None
    return manifest


def require_readable_contents_summary(content: bytes) -> None:
    try:
        TypeAdapter(ContentsSummary).validate_json(content, strict=True)
    except (ValueError, TypeError, RecursionError):
        raise ConfigError(texts.CONTENTS_UNREADABLE) from None
