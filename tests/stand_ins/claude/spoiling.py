"""Apply a fault to a reply: to its parts before they are framed, or to its frames."""

from collections.abc import Callable
from dataclasses import replace

from tests.stand_ins.claude.asked import Asked
from tests.stand_ins.claude.faults import Fault
from tests.stand_ins.claude.frames import PING, End, Frame, Step
from tests.stand_ins.claude.replies import Part, Raw, Reply, Text, Thinking, ToolUse, reply

TRUNCATED = '{"path":"/tmp/a","mode":"w","content":"hel'
REFUSED = {"type": "refusal", "category": "cyber", "explanation": "The request was declined."}
HOLOGRAM = {"type": "hologram", "data": "42"}
STREAM_ERRORS = {
    Fault.STREAM_OVERLOADED: ("overloaded_error", "Overloaded"),
    Fault.STREAM_RATE_LIMIT: ("rate_limit_error", "This request would exceed your rate limit."),
    Fault.STREAM_API_ERROR: ("api_error", "Internal server error"),
}
ENDS = {
    Fault.END_AFTER_DELTA: End.CLEAN,
    Fault.END_IN_TOOL_JSON: End.CLEAN,
    Fault.CUT_AFTER_DELTA: End.MID_CHUNK,
    Fault.RESET_AFTER_DELTA: End.RESET,
    Fault.STALL: End.STALL,
    Fault.STALL_WITH_PINGS: End.PINGS,
}


def spoil_reply(fault: Fault, told: Reply, asked: Asked) -> Reply:
    """Apply a fault of what the model says."""
    match fault:
        case Fault.TRUNCATED_TOOL_JSON:
            return replace(with_call(told, asked, raw=TRUNCATED), stop_reason="max_tokens")
        case Fault.INVALID_TOOL_JSON:
            return with_call(told, asked, raw='{"path":,,')
        case Fault.TWO_JSON_VALUES:
            return with_call(told, asked, raw='{"a":1}{"b":2}')
        case Fault.ARRAY_INPUT:
            return with_call(told, asked, raw="[1,2]")
        case Fault.END_IN_TOOL_JSON:
            return with_call(told, asked, raw='{"path":"/tmp/a","content":"hello there"}')
        case Fault.UNKNOWN_TOOL:
            return with_call(told, asked, name="no_such_tool")
        case Fault.WRONG_CASE_TOOL:
            return with_call(told, asked, name=call_of(told, asked).name.title())
        case Fault.WRONG_INPUT:
            return with_call(told, asked, input={"no_such_argument": [1]})
        case Fault.UNKNOWN_BLOCK:
            return replace(told, parts=(*told.parts, Raw(HOLOGRAM)), stop_reason=told.ends_by)
    return ODD[fault](told) if fault in ODD else told


ODD: dict[Fault, Callable[[Reply], Reply]] = {
    Fault.EMPTY: lambda told: reply(stop_reason="end_turn"),
    Fault.THINKING_ONLY: lambda told: reply(Thinking(), stop_reason="end_turn"),
    Fault.MAX_TOKENS: lambda told: reply(*texts(told), stop_reason="max_tokens"),
    Fault.MAX_TOKENS_IN_THINKING: lambda told: reply(Thinking(), stop_reason="max_tokens"),
    Fault.REFUSAL: lambda told: reply(stop_reason="refusal", stop_details=REFUSED),
    Fault.REFUSAL_AFTER_TEXT: lambda told: reply(*texts(told), stop_reason="refusal", stop_details=REFUSED),
    Fault.WINDOW_EXCEEDED: lambda told: reply(*texts(told), stop_reason="model_context_window_exceeded"),
    Fault.PAUSE_TURN: lambda told: reply("Searching.", stop_reason="pause_turn"),
    Fault.UNKNOWN_STOP_REASON: lambda told: replace(told, stop_reason="enlightened"),
}


def texts(told: Reply) -> list[Part]:
    return [part for part in told.parts if isinstance(part, Text)] or [Text("Here is what I")]


def call_of(told: Reply, asked: Asked) -> ToolUse:
    """Return the reply's last call. If there is none, make one of the request's tools."""
    calls = [part for part in told.parts if isinstance(part, ToolUse)]
    return calls[-1] if calls else ToolUse(str(asked.tools[0]["name"]) if asked.tools else "read_file")


def with_call(told: Reply, asked: Asked, **changed: object) -> Reply:
    call = call_of(told, asked)
    others = tuple(part for part in told.parts if part is not call)
    return replace(told, parts=(*others, replace(call, **changed)), stop_reason="tool_use")  # type: ignore[arg-type]


def spoil_steps(fault: Fault, steps: list[Step]) -> list[Step]:
    """Apply a fault of how the reply is sent."""
    if fault in ENDS:
        return [
            *steps[: after_delta(steps, "input_json_delta" if fault is Fault.END_IN_TOOL_JSON else "")],
            ENDS[fault],
        ]
    if fault in STREAM_ERRORS:
        kind, message = STREAM_ERRORS[fault]
        error = Frame({"type": "error", "error": {"type": kind, "message": message}})
        return [*steps[: after_delta(steps)], error, End.CLEAN]
    match fault:
        case Fault.END_BEFORE_MESSAGE_STOP:
            return [*(step for step in steps if not is_type(step, "message_stop"))]
        case Fault.NO_TERMINATOR:
            return [*steps[:-1], End.NO_TERMINATOR]
        case Fault.INDEX_GAP:
            return [shifted(step) for step in steps]
        case Fault.UNNAMED_FRAMES:
            return [replace(step, named=False) if isinstance(step, Frame) else step for step in steps]
        case Fault.UNKNOWN_EVENT:
            return [*steps[:2], Frame({"type": "weather_report", "sky": "clear"}), *steps[2:]]
        case Fault.UNKNOWN_DELTA:
            place = after_delta(steps)
            odd = {"type": "content_block_delta", "index": 0, "delta": {"type": "shimmer_delta", "shimmer": 1}}
            return [*steps[:place], Frame(odd), *steps[place:]]
        case Fault.DUPLICATE_MESSAGE_DELTA:
            return [again for step in steps for again in ([step] * (1 + is_type(step, "message_delta")))]
        case Fault.EARLY_PING:
            return [PING, *steps]
    return steps


def after_delta(steps: list[Step], kind: str = "") -> int:
    """Return the place after the first delta with content, of this kind if one is given."""
    for place, step in enumerate(steps):
        if (
            isinstance(step, Frame)
            and step.delta.startswith(kind or ("text", "input"))
            and any(step.body["delta"].get(name) for name in ("text", "partial_json"))
        ):
            return place + 1
    return min(3, len(steps) - 1)


def is_type(step: Step, kind: str) -> bool:
    return isinstance(step, Frame) and step.body["type"] == kind


def shifted(step: Step) -> Step:
    """Increase a block's index, as if a block had been lost."""
    if isinstance(step, Frame) and "index" in step.body:
        return Frame({**step.body, "index": step.body["index"] + 2})
    return step
