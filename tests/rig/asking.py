"""What the agents of groups do in the world, in their own chats and when another group asks them.

Each question to a group has its own mark. The mark begins with the tag of the message that caused the question: `~5.01`
is the second call in the first reply to `#5`, and `~5.01.00` is a question that the asked group asks in turn. All that
is said for a question names its mark, so the checks can tell what belongs to it.
"""

import re
from typing import Any

from tests.rig.groups import CHATS, NOTES, memory_of

MARK = re.compile(r"~\d+(?:\.\d+)*")
ANSWER = re.compile(rf"(?:{'|'.join(CHATS)}) on ~\d+(?:\.\d+)*")
QUESTION = re.compile(r"The agent of the group .*\n<untrusted>\n(.*)\n</untrusted>", re.DOTALL)
OTHER = {"alpha": "beta", "beta": "alpha", "main": "alpha"}


def put(value: str, role: str, mark: str, asking: str) -> str:
    """Return a text of a plan with the role, the other group, the mark, and the mark of its own question filled in."""
    words = {"{me}": role, "{other}": OTHER.get(role, "nobody"), "{for}": mark, "{asking}": asking}
    for name, word in words.items():
        value = value.replace(name, word)
    return value


def answer(group: str, mark: str) -> str:
    """Return what an asked group reports. The group that asked repeats these words."""
    return f"{group} on {mark}"


def asks(what: str, group: str = "{other}", **more: Any) -> tuple[str, dict[str, Any]]:
    return "delegate", {"group": group, "task": f"{what} for {{asking}}", **more}


def calls(*each: tuple[str, dict[str, Any]] | str) -> list[tuple[int, tuple[str, dict[str, Any]]]]:
    return list(enumerate(call if isinstance(call, tuple) else (call, {}) for call in each))


LOOKS = ("read_file", {"path": NOTES})
RECALLS = ("memory_search", {"query": "secret"})
KEEPS = ("memory_save", {"text": f"a secret: {memory_of('{me}')}"})
WRITES = ("write_file", {"path": "for{for}.md", "content": "written"})
READS = ("delegate", {"role": "reader", "task": "read for {asking}"})
WONDERS = ("ask_person", {"question": "which, for {for}?", "options": ["red", "blue", "green"]})
PRIES = ("get_delegation", {"id": "the first delegation", "transcript": True})

# By the first word of what a group's agent is told, in its own chat or by another group, or by the role below it.
PLANS = {
    ("keep", 0): calls(KEEPS, LOOKS),
    ("tell", 0): calls(asks("look"), READS),
    ("tell", 1): calls(PRIES, RECALLS),
    ("wonder", 0): calls(asks("consult"), "change"),
    ("turns", 0): calls(asks("return"), asks("look", "main")),
    ("behind", 0): calls(asks("look", background=True), LOOKS),
    ("crowd", 0): calls(*[asks("look", group) for group in ("alpha", "beta", "alpha", "beta", "alpha")]),
    ("look", 0): calls(LOOKS, RECALLS, ("message", {"text": "{me} looks for {for}"})),
    ("consult", 0): calls(("message", {"text": "{me}'s word for {for}"}), WONDERS, READS, WRITES, "change"),
    ("return", 0): calls(asks("look"), KEEPS),
    ("dare", 0): calls(asks("blast"), READS),
    ("blast", 0): calls("bomb"),
    ("reader", 0): calls(LOOKS, ("message", {"text": "read for {for}"}), "change"),
}
