"""What of a transcript is shown, and how."""

from typing import Any

from bot.core.messages import RoleName
from bot.core.model import TranscriptEntry
from bot.core.turn import TurnId
from bot.store.session_records import LocatedEntry
from bot.web_page.api.answers import Block
from bot.web_page.api.shaping import shape_entry


def test_thoughts_are_left_out_and_each_block_says_what_it_is() -> None:
    content: list[dict[str, Any]] = [
        {"type": "thinking", "thinking": "hm", "signature": "…"},
        {"type": "redacted_thinking", "data": "…"},
        {"type": "text", "text": "I look"},
        {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {"path": "a"}},
        {"type": "tool_result", "tool_use_id": "toolu_1", "content": "gone", "is_error": True},
        {"type": "image", "source": {"type": "kept", "key": "k"}},
    ]
    entry = shape_entry(
        LocatedEntry(
            chapter=2,
            model="opus",
            seq=3,
            turn=TurnId("t1"),
            turns_role=RoleName("lead"),
            entry=TranscriptEntry(role="assistant", content=content),
        )
    )
    assert (entry.chapter, entry.number, entry.author) == (2, 3, "assistant")
    assert entry.blocks == [
        Block(kind="text", name="", text="I look"),
        Block(kind="call", name="read", text='{\n  "path": "a"\n}'),
        Block(kind="error", name="", text="gone"),
        Block(kind="other", name="image", text=""),
    ]
