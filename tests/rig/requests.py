"""Check every request to the model: it must be valid, and extend the one before it in its session."""

from itertools import pairwise
from typing import Any

from tests.rig.script import answered_in, is_paused, owed_in, uses_in

Messages = list[dict[str, Any]]


def check(session: str, messages: Messages, before: Messages, wrong: type[Exception]) -> None:
    roles = [message["role"] for message in messages]
    # A paused reply and its continuation count as one reply. The last message may be a paused one.
    spoken = [
        message["role"]
        for message, before_it in zip(messages, [None, *messages], strict=False)
        if message["role"] != "system" and not (before_it and is_paused(before_it))
    ]
    is_open = is_paused(messages[-1])
    if spoken != (["user", "assistant"] * len(spoken))[: len(spoken)] or (spoken[-1] != "user" and not is_open):
        raise wrong(f"{session}: the roles are {roles}")
    # Two entries of the harness in a row are sent as one.
    if any(before not in ("user", "system") for before, after in pairwise(roles) if after == "system"):
        raise wrong(f"{session}: the harness speaks out of place: {roles}")
    if not all(message["content"] for message in messages):
        raise wrong(f"{session}: an empty entry")
    for message, following in pairwise(messages):
        check_results(session, message, following, wrong)
    check_searches(session, messages, wrong)
    if messages[: len(before)] != before:
        raise wrong(f"{session}: does not extend the request before it")


def check_results(session: str, message: dict[str, Any], following: dict[str, Any], wrong: type[Exception]) -> None:
    """Each tool use is answered once, in order, before anything else."""
    asked = [use["id"] for use in uses_in(message)]
    answers = [block.get("tool_use_id") for block in following["content"]]
    if message["role"] != "assistant" or is_paused(message):
        return
    if answers[: len(asked)] != asked or any(answers[len(asked) :]) or (owed_in(message) and None in answers):
        raise wrong(f"{session}: {asked} are answered by {answers}")


def check_searches(session: str, messages: Messages, wrong: type[Exception]) -> None:
    """Each use of the server's own tools has its result in the next reply, and there is no other result."""
    replies = [message for message in messages if message["role"] == "assistant"]
    for reply, following in pairwise([{"content": []}, *replies]):
        if {use["id"] for use in owed_in(reply)} != answered_in([following]):
            raise wrong(f"{session}: {owed_in(reply)} is answered by {following['content']}")
