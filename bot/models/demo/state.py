"""The demo's current state: what it was asked, and the results of its calls since then."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.core.content_blocks import Block
from bot.core.model import TranscriptEntry
from bot.core.prompt_prefix import PromptPrefix
from bot.core.texts import model

HARNESS_TAGS = ("<surroundings>", "<summary>")  # a block that begins with one was not written by a person
GAP = "\0"  # in a text of the harness: what it fills in
REPORT_PREFIX = model.REPORT(task=GAP, report=GAP).split(GAP)[
    0
]  # begins a block with the report of a role in the background
# In a report that the person has read already
DIRECT_REPORT_MARK = model.DIRECT_REPORT(person=GAP, words=GAP, report=GAP).split(GAP)[1]
STILL_AT_WORK_MARK = model.STILL_AT_WORK(role=GAP, delegation=GAP).split(GAP)[1]  # in a result: the role goes on
WRITER_PATTERN = re.compile(r"\A[^\n]*?:(?: |$)\n?", re.MULTILINE)  # before a person's words, or above what came along


@dataclass(frozen=True, slots=True)
class DemoCallResult:
    tool_name: str
    text: str
    is_error: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoState:
    request_text: str  # by the person; in a delegation, by the lead
    later_text: str  # what the person wrote while the demo was at work
    late_reports: tuple[str, ...] = ()  # of roles that went on in the background, after those that did not have to
    call_results: tuple[DemoCallResult, ...]  # in the order of the calls
    tool_names: frozenset[str]
    is_lead: bool

    def results_of_tool(self, name: str) -> list[DemoCallResult]:
        return [result for result in self.call_results if result.tool_name == name]


def build_demo_state(transcript: Sequence[TranscriptEntry], prefix: PromptPrefix, *, is_lead: bool) -> DemoState:
    users = [number for number, entry in enumerate(transcript) if entry.role == "user"]
    begun = max((number for number in users if begins_request(transcript[number], is_lead)), default=0)
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
        late_reports=list_late_reports(transcript[: begun + 1]),
        call_results=results,
        tool_names=frozenset(tool["name"] for tool in prefix.tools),
        is_lead=is_lead,
    )


def list_late_reports(transcript: Sequence[TranscriptEntry]) -> tuple[str, ...]:
    """Return the reports that the last entry brings, after those that were there when their roles' work went on in the
    background; nothing if it brings none."""
    late = [text.partition("\n")[2] for text in texts_of_entry(transcript[-1]) if text.startswith(REPORT_PREFIX)]
    results = [[str(block["content"]) for block in tool_result_blocks(entry)] for entry in transcript[:-1]]
    between = [told for told in results if any(STILL_AT_WORK_MARK in each for each in told)]
    before = [each for each in between[-1] if STILL_AT_WORK_MARK not in each] if between else []
    return (*before, *late) if late else ()


def begins_request(entry: TranscriptEntry, is_lead: bool) -> bool:
    """Return True if an entry of the user begins a request: it has no results, or a message has put the roles into the
    background. Words to a role at work begin none."""
    results = tool_result_blocks(entry)
    if any(text.startswith(model.WRITTEN_TO_YOU) for text in texts_of_entry(entry)):
        return False
    is_message_between = any(STILL_AT_WORK_MARK in str(block["content"]) for block in results)
    return not results or (is_message_between and bool(text_of_entry(entry, is_lead)))


def tool_result_blocks(entry: TranscriptEntry) -> list[Block]:
    return [block for block in entry.content if block["type"] == "tool_result"]


def text_of_entry(entry: TranscriptEntry, is_lead: bool) -> str:
    """Return the text of an entry. For the lead, leave out the person's name before the words."""
    texts = [text for text in texts_of_entry(entry) if not text.startswith(REPORT_PREFIX)]
    return "\n".join(WRITER_PATTERN.sub("", text) or text for text in texts) if is_lead else "\n".join(texts)


def texts_of_entry(entry: TranscriptEntry) -> list[str]:
    texts = [block["text"] for block in entry.content if block["type"] == "text"]
    return [text for text in texts if not (text.startswith(HARNESS_TAGS) or DIRECT_REPORT_MARK in text)]
