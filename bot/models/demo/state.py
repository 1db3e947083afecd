"""The demo's current state: what it was asked, and the results of its calls since then."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.core.content_blocks import Block
from bot.core.model import TranscriptEntry
from bot.core.prompt_prefix import PromptPrefix

HARNESS_TAGS = ("<surroundings>", "<summary>")  # a block that begins with one was not written by a person


@dataclass(frozen=True, slots=True)
class DemoCallResult:
    tool_name: str
    text: str
    is_error: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoState:
    request_text: str  # by the person; in a delegation, by the lead
    later_text: str  # what the person wrote while the demo was at work
    call_results: tuple[DemoCallResult, ...]  # in the order of the calls
    tool_names: frozenset[str]
    is_lead: bool

    def results_of_tool(self, name: str) -> list[DemoCallResult]:
        return [result for result in self.call_results if result.tool_name == name]


def build_demo_state(transcript: Sequence[TranscriptEntry], prefix: PromptPrefix, *, is_lead: bool) -> DemoState:
    users = [number for number, entry in enumerate(transcript) if entry.role == "user"]
    begun = max((number for number in users if not tool_result_blocks(transcript[number])), default=0)
    here = transcript[begun:]
    calls = {block["id"]: block for entry in here for block in entry.content if block["type"] == "tool_use"}
    blocks = [block for entry in here for block in tool_result_blocks(entry) if block["tool_use_id"] in calls]
    results = tuple(
        DemoCallResult(calls[block["tool_use_id"]]["name"], block["content"], bool(block.get("is_error")))
        for block in blocks
    )
    later = [text_of_entry(entry, is_lead) for entry in here[1:] if entry.role == "user"]
    return DemoState(
        request_text=text_of_entry(transcript[begun], is_lead),
        later_text="\n".join(filter(None, later)),
        call_results=results,
        tool_names=frozenset(tool["name"] for tool in prefix.tools),
        is_lead=is_lead,
    )


def tool_result_blocks(entry: TranscriptEntry) -> list[Block]:
    return [block for block in entry.content if block["type"] == "tool_result"]


def text_of_entry(entry: TranscriptEntry, is_lead: bool) -> str:
    """Return the text of an entry. For the lead, leave out the person's name before the words."""
    texts = [block["text"] for block in entry.content if block["type"] == "text"]
    texts = [text for text in texts if not text.startswith(HARNESS_TAGS)]
    return "\n".join(text.partition(": ")[2] or text for text in texts) if is_lead else "\n".join(texts)
