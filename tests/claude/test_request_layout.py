"""What is sent to Claude: laid out for the cache, each request the one before and more."""

import random
from dataclasses import replace
from typing import Any

import pytest

from bot.core.content_blocks import text_block, tool_result_block
from bot.core.messages import Address
from bot.core.model import ModelRequest, TranscriptEntry
from bot.core.prompt_prefix import PromptPrefix
from bot.models.claude.message_layout import MessageCache, encode_json
from bot.models.claude.refused_content import RefusedContent, find_refused_thinking_block
from bot.models.claude.request_body import build_request_body, encode_request
from bot.models.claude.traits import ModelTraits, reduce_traits_for_other_server, traits_from_table

TOOLS = ({"description": "Read.", "input_schema": {"type": "object"}, "name": "read"},)
AN_HOUR = {"type": "ephemeral", "ttl": "1h"}
THOUGHT = {"type": "thinking", "thinking": "", "signature": "s"}
CALL = {"type": "tool_use", "id": "t1", "name": "read", "input": {}}
TRANSCRIPT = [
    TranscriptEntry(role="user", content=[text_block("Ann: hi")]),
    TranscriptEntry(role="assistant", content=[THOUGHT, text_block("I look"), CALL]),
    TranscriptEntry(role="user", content=[tool_result_block("t1", "read", is_error=False)]),
    TranscriptEntry(role="system", content=[text_block("Today is Monday.")]),
]


def prefix(model: str = "claude-sonnet-5-5", effort: str = "medium") -> PromptPrefix:
    return PromptPrefix(model=model, effort=effort, system="You help.", tools=TOOLS)


def body(
    entries: list[TranscriptEntry] = TRANSCRIPT,
    *,
    like: PromptPrefix | None = None,
    traits: ModelTraits | None = None,
    cache: MessageCache | None = None,
    **fields: Any,
) -> dict[str, Any]:
    asked = {"may_call_tools": True, "max_tokens": 16_000, "cache_lifetime": "1h", **fields}
    request = ModelRequest(
        address=Address(channel="fake", chat="room"),
        prefix=like or prefix(),
        transcript=entries,
        **{"chapter_name": "s1/1", **asked},
    )
    traits = traits or traits_from_table(request.prefix.model)
    return build_request_body(request, "somebody", traits, cache=cache)


def test_the_prefix_ends_with_a_breakpoint_and_another_moves_along() -> None:
    sent = body()
    assert sent["system"] == [{**text_block("You help."), "cache_control": AN_HOUR}]
    assert sent["cache_control"] == AN_HOUR
    assert [message["role"] for message in sent["messages"]] == ["user", "assistant", "user", "system"]
    assert body(cache_lifetime="5m")["cache_control"]["ttl"] == "5m"


def test_the_newest_reply_is_marked_and_the_transcript_is_not_touched() -> None:
    assert body()["messages"][1]["content"][-1] == {**CALL, "cache_control": AN_HOUR}
    assert TRANSCRIPT[1].content == [THOUGHT, text_block("I look"), CALL]


def test_the_last_request_has_the_usual_layout_and_reads_the_cache() -> None:
    assert body(may_call_tools=False) == body()


def test_two_harness_entries_in_a_row_are_one_message() -> None:
    sent = body([*TRANSCRIPT, TranscriptEntry(role="system", content=[text_block("Finish now.")])])["messages"]
    assert sent[-1] == {"role": "system", "content": [text_block("Today is Monday."), text_block("Finish now.")]}
    assert TRANSCRIPT[-1].content == [text_block("Today is Monday.")]


@pytest.mark.parametrize(
    ("model", "effort", "config"),
    [
        ("claude-sonnet-5-5", "medium", {"effort": "medium"}),
        ("claude-sonnet-5-5", "high", None),
        ("claude-haiku-5-5", "medium", None),
        ("claude-haiku-5-5", "low", {"effort": "low"}),
        ("claude-haiku-4-5", "low", None),
    ],
)
def test_an_effort_is_named_where_it_is_not_the_models_own(model: str, effort: str, config: object) -> None:
    assert body(like=prefix(model, effort)).get("output_config") == config


def test_a_model_without_system_entries_reads_them_with_the_persons_words() -> None:
    sent = body(like=prefix("claude-sonnet-5"))["messages"]
    assert [message["role"] for message in sent] == ["user", "assistant", "user"]
    reminder = text_block("<system-reminder>\nToday is Monday.\n</system-reminder>")
    assert sent[2]["content"] == [tool_result_block("t1", "read", is_error=False), reminder]


def test_another_server_gets_only_explicit_marks_and_no_refused_field() -> None:
    sent = body(traits=reduce_traits_for_other_server(traits_from_table("claude-sonnet-5-5")))
    assert sent.keys() == {"model", "max_tokens", "metadata", "system", "tools", "messages"}
    assert [message["role"] for message in sent["messages"]] == ["user", "assistant", "user"]
    marked = [block for message in sent["messages"] for block in message["content"] if "cache_control" in block]
    assert marked == [sent["messages"][1]["content"][-1], sent["messages"][2]["content"][-1]]
    assert {str(block["cache_control"]) for block in [*marked, *sent["system"]]} == {str({"type": "ephemeral"})}


def test_an_unknown_model_gets_nothing_that_only_claude_knows() -> None:
    sent = body(TRANSCRIPT[:1], like=prefix("qwen"))
    assert sent.keys() == {"model", "max_tokens", "metadata", "system", "tools", "messages"}
    assert sent["system"] == "You help."


def test_a_request_without_tools_does_not_speak_of_them() -> None:
    bare = PromptPrefix(model="claude-sonnet-5-5", effort="high", system=" ", tools=())
    assert body(like=bare, may_call_tools=False).keys().isdisjoint({"tools", "tool_choice", "system"})


def test_a_refused_thought_drops_itself_and_later_ones_but_no_new_thought() -> None:
    refused = RefusedContent()
    block = find_refused_thinking_block(
        "messages.3.content.0: Invalid `signature` in `thinking` block. The block is bound to …"
    )
    assert block == (3, 0)
    assert refused.try_leaving_out_thinking("s1/1", block, until=5)
    assert not refused.try_leaving_out_thinking("s1/1", block, until=5)
    spoken = [
        entry
        for n in range(4)
        for entry in (TRANSCRIPT[0], TranscriptEntry(role="assistant", content=[THOUGHT, text_block("x")]))
    ]
    request = ModelRequest(
        chapter_name="s1/1",
        address=Address(channel="fake", chat="room"),
        prefix=prefix(),
        transcript=spoken,
        may_call_tools=True,
        max_tokens=1,
    )
    sent = build_request_body(
        request, "somebody", traits_from_table("claude-sonnet-5-5"), refused.thinking_gaps_of("s1/1")
    )["messages"]
    assert [len(message["content"]) for message in sent[1::2]] == [2, 1, 2, 2]
    assert refused.thinking_gaps_of("s1/2") == ()


def test_all_thoughts_go_if_the_server_names_none() -> None:
    words_ = "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified."
    assert find_refused_thinking_block(words_) == (0, 0)
    assert find_refused_thinking_block("max_tokens: too many") is None


HANDOVER = {"type": "fallback", "from": {"model": "claude-fable-5-2"}, "to": {"model": "claude-opus-5-5"}}
IMAGE: dict[str, Any] = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
TRAITS = [
    traits_from_table("claude-sonnet-5-5"),
    traits_from_table("claude-sonnet-5"),
    replace(traits_from_table("claude-sonnet-5-5"), has_substitutes=False),
    reduce_traits_for_other_server(traits_from_table("claude-sonnet-5-5")),
]


def next_entries(lot: random.Random) -> list[TranscriptEntry]:
    """Return what one more request finds behind the transcript, in any of the shapes that a transcript has."""
    number = lot.randrange(1_000)
    reply = [text_block(f"reply {number}")]
    reply = lot.choice([reply, [THOUGHT, *reply, CALL], [*reply, HANDOVER, *reply], [CALL]])
    result = [tool_result_block("t1", f"result {number} 😀", is_error=False)]
    image = {"type": "tool_result", "tool_use_id": "t1", "content": [IMAGE]}
    follow_up = lot.choice(
        [
            [TranscriptEntry(role="user", content=[text_block(f"Ann: {number}")])],
            [TranscriptEntry(role="user", content=result)],
            [TranscriptEntry(role="user", content=[image], media_keys=("t1",))] if lot.random() < 0.1 else [],
            [TranscriptEntry(role="user", content=result), TRANSCRIPT[3]],
            [TranscriptEntry(role="user", content=result), TRANSCRIPT[3], TRANSCRIPT[3]],
        ]
    )
    return [TranscriptEntry(role="assistant", content=reply), *follow_up]


@pytest.mark.parametrize("seed", range(20))
def test_a_request_made_of_kept_messages_has_the_same_bytes(seed: int) -> None:
    lot, cache, entries = random.Random(seed), MessageCache(), [TRANSCRIPT[0]]
    prefixes = [prefix(), replace(prefix(), light_effort="low"), replace(prefix(), effort="high", light_effort="low")]
    like, traits = lot.choice(prefixes), lot.choice(TRAITS)
    for _ in range(25):
        if lot.random() < 0.1:  # a part was refused, or the person chose another effort
            like, traits = lot.choice(prefixes), lot.choice(TRAITS)
        if lot.random() < 0.1:  # the transcript was read from its rows again
            entries = [replace(entry) for entry in entries]
        kept = encode_request(body(entries, like=like, traits=traits, cache=cache))
        assert kept == encode_request(body(entries, like=like, traits=traits))
        entries += next_entries(lot)


def test_only_what_follows_the_newest_reply_is_laid_out_again() -> None:
    cache, entries = MessageCache(), TRANSCRIPT * 100
    body(entries, cache=cache)
    sent = body([*entries, TRANSCRIPT[1], TRANSCRIPT[2]], cache=cache)["messages"]
    settled = [message for message in sent if isinstance(message, bytes)]
    messages = sent[len(settled) :]
    assert len(settled) == 400
    assert [message["role"] for message in messages] == ["assistant", "user"]
    other = [*TRANSCRIPT, *entries]
    again = [each if isinstance(each, bytes) else encode_json(each) for each in body(other, cache=cache)["messages"]]
    assert again == list(map(encode_json, body(other)["messages"]))


def test_images_that_tools_have_read_are_not_kept_in_memory() -> None:
    cache = MessageCache()
    image = TranscriptEntry(role="user", content=[{**TRANSCRIPT[2].content[0], "content": [IMAGE]}], media_keys=("t1",))
    sent = body([*TRANSCRIPT[:2], image, *TRANSCRIPT[1:3]], cache=cache)["messages"]
    assert IMAGE["source"]["data"].encode() not in sent[0]
    assert [message["role"] for message in sent[1:]] == ["assistant", "user", "assistant", "user"]


def test_the_chapters_used_least_recently_are_forgotten_beyond_a_size() -> None:
    cache = MessageCache(max_bytes=1_000)
    for chapter in ("one", "two", "one", "three"):
        assert isinstance(body(TRANSCRIPT * 2, cache=cache, chapter_name=chapter)["messages"][0], bytes)
    assert 0 < cache.used_bytes <= cache.max_bytes
    assert [cache.take_settled_messages(each) is None for each in ("one", "two", "three")] == [False, True, False]
    assert cache.used_bytes == 0
