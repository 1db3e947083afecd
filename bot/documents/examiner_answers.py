"""What the examiner says of a file, and how it is passed on: a line of JSON, then bytes."""

import json
from dataclasses import dataclass, field

from bot.documents.file_types import FileKind, FileType

MAX_MARKDOWN_CHARACTERS = 2_000_000  # of one document: about 250 pages of a tool's result
Value = str | int


class Refused(Exception):
    """A file cannot be used. `reason` is a key of `people_texts.REFUSALS`, and `values` fill in its sentence."""

    def __init__(self, reason: str, values: dict[str, Value] | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.values = values or {}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a file is. `values` depend on its kind: sizes, pages, an encoding, and `is_cut` if there was more text.
    `payload` is a picture's copy, or what a text or a document says, in UTF-8. `refusal` is the reason if the file
    cannot be used."""

    type: FileType
    values: dict[str, Value] = field(default_factory=dict)
    payload: bytes = b""
    refusal: str = ""

    def pack(self) -> bytes:
        head = [self.type.kind, self.type.media_type, self.refusal, self.values]
        return json.dumps(head).encode() + b"\n" + self.payload


def unpack_answer(packed: bytes) -> Answer:
    head, _, payload = packed.partition(b"\n")
    kind, media_type, refusal, values = json.loads(head)
    return Answer(FileType(FileKind(kind), media_type), values, payload, refusal)
