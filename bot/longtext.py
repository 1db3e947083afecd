"""A message too long for a prompt: kept whole as a file in the workspace, of which its beginning tells."""

import hashlib
import os
from dataclasses import replace
from pathlib import Path

from bot import phrases
from bot.messages import InboundMessage

LONGEST = 40_000  # characters
BEGINNING = 4_000
FOLDER = "received"


def kept_as_file(message: InboundMessage, workspace: Path) -> InboundMessage:
    """Write the text beneath the workspace, under a name that is the same whenever this message comes again; where
    that fails, as with a full disk or a workspace that may only be read, the message stays as it is."""
    name = f"{FOLDER}/{hashlib.sha256(message.id.encode()).hexdigest()[:12]}.txt"
    try:
        write_whole(workspace / name, message.text)
    except OSError:
        return message
    beginning = message.text[:BEGINNING]
    return replace(message, text=phrases.kept_as_file(message, name, beginning))


def write_whole(path: Path, text: str) -> None:
    """Replace a file in one step: nobody sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_text(text, encoding="utf-8", errors="surrogatepass")
    os.replace(draft, path)
