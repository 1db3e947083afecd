"""What the model says in the world. It depends on the transcript alone, so a crash changes no plot."""

import re
from typing import Any

from bot.core.texts import model
from tests.rig import asking, files, mail, schedules
from tests.rig.groups import CHATS
from tests.rig.troubles import REFUSED

Message = dict[str, Any]

LEAD = "lead"
SILENT = "silent"  # the plot of a lead that says the answer beside a call, and nothing after it
GREEDY = "greedy"  # the plot of a lead that wants as much as it can get
THOUGHT = "I think"
FIRST, NEWEST = "the first delegation", "the newest delegation"  # of those that the turn's results name
DELEGATION = re.compile(r"(?:delegation|background as) (t[\w/.]+)")
DIRECT_REPORT = re.compile(r".+ has written to a role directly, and (has read its answer|got no report)")
QUOTED = re.compile(r"^> .*", re.MULTILINE)  # what a message replies to is no new message
TAG = re.compile(r"#\d+")  # each message that must be answered has one


class Telling:
    """The last turn of a transcript, as the model of one role reads it."""

    def __init__(self, role: str, messages: list[Message]) -> None:
        following = [*messages[1:], None]
        replies = [n for n, message in enumerate(messages) if message["role"] == "assistant"]
        ends = [n for n in replies if not goes_on(messages[n], following[n])]
        turn = messages[ends[-1] + 1 :] if ends else messages
        given = [block for message in turn if message["role"] == "user" for block in message["content"]]
        self.role = role
        self.step = sum(message["role"] == "assistant" for message in turn)
        texts = [block["text"] for block in given if block["type"] == "text"]
        texts = [text for text in texts if not DIRECT_REPORT.match(text)]  # what it quotes is answered already
        self.texts = [text for text in texts if not text.startswith(("<surroundings>", "<summary>"))]
        self.results = [str(block["content"]) for block in given if block["type"] == "tool_result"]
        self.is_agent = role in CHATS
        asked = asking.QUESTION.match(self.texts[0]) if self.is_agent and self.texts else None
        self.is_asked = asked is not None  # by another group
        if asked:
            self.texts = [asked.group(1)]
        self.tags = TAG.findall(QUOTED.sub("", "\n".join(self.texts)))
        # The mark of the question that this turn answers. The marks of its own questions begin with it.
        marks = [f"~{tag[1:]}" for tag in self.tags] or asking.MARK.findall(" ".join(self.texts))
        self.mark = marks[0] if marks else "~0"
        self.delegations = DELEGATION.findall(" ".join(self.results)) or ["none"]
        self.owed = [use for message in turn for use in owed_in(message)] if turn else []
        self.owed = [use for use in self.owed if use["id"] not in answered_in(turn)]

    def meant(self, arguments: dict[str, Any], position: int) -> dict[str, Any]:
        """Return the arguments with ids and marks filled in."""
        ids = {FIRST: self.delegations[0], NEWEST: self.delegations[-1]}
        mark = f"{self.mark}.{self.step}{position}"
        return {
            name: ids.get(value) or asking.put(value, self.role, self.mark, mark) if isinstance(value, str) else value
            for name, value in arguments.items()
        }

    @property
    def plot(self) -> str:
        """Return the first word of the person or of the group that asks. For other roles, return the role's name."""
        if self.role != LEAD and not self.is_agent:
            return self.role
        if self.task:
            return self.task
        return self.texts[0].split(": ", 1)[-1].split()[0] if self.texts else ""

    @property
    def task(self) -> str:
        """Return the task of a run of a schedule; empty if this is none."""
        run = schedules.RUN_OF_SCHEDULE.match(self.texts[0]) if self.role == LEAD and self.texts else None
        return run[1] if run else ""

    def plan(self) -> list[tuple[int, tuple[str, dict[str, Any]]]]:
        """Return the calls of this step."""
        if self.plot == schedules.PLAN and self.role == LEAD:
            words = TAG.sub("", self.texts[0].split(": ", 1)[-1].partition(" ")[2])
            return list(enumerate(schedules.calls_of_plan(words))) if self.step == 0 else []
        return PLANS.get((self.plot, self.step), [])


def uses_in(message: Message) -> list[Message]:
    return [block for block in message["content"] if block["type"] == "tool_use"]


def owed_in(message: Message) -> list[Message]:
    """Return the uses of the server's own tools. Their results come in the next reply."""
    return [block for block in message["content"] if block["type"] == "server_tool_use"]


def answered_in(messages: list[Message]) -> set[str]:
    blocks = [block for message in messages for block in message["content"]]
    return {str(block["tool_use_id"]) for block in blocks if block["type"] == "web_search_tool_result"}


def goes_on(message: Message, following: Message | None) -> bool:
    """Return True if the turn goes on after this message: it calls tools, the harness asks for more words, or a person
    has written to the role."""
    if uses_in(message) or owed_in(message):
        return True
    told = str(following["content"][0].get("text", "")) if following else ""
    return told in (model.SAY_ANSWER, model.WRITTEN_TO_YOU) or told.startswith(model.LAST_WORDS.partition("{")[0])


def is_paused(message: Message) -> bool:
    return message["role"] == "assistant" and bool(owed_in(message)) and not uses_in(message)


def think(telling: Telling, may_call: bool) -> list[Message]:
    """Return the content of the model's reply. Results that the server owes come first."""
    plan = telling.plan()
    found = [
        {"type": "web_search_tool_result", "tool_use_id": use["id"], "content": [{"type": "web_search_result"}]}
        for use in telling.owed
    ]
    if telling.plot == SILENT and telling.step == 1 and may_call:
        return found
    if not plan or not may_call:
        return [*found, {"type": "text", "text": last_words(telling)}]
    said = [{"type": "text", "text": text}] if (text := beside_calls(telling)) else []
    return [*found, *said, *(used(telling, n, name, telling.meant(arguments, n)) for n, (name, arguments) in plan)]


def beside_calls(telling: Telling) -> str:
    """Return what the lead or a group's agent says beside its calls, or "" in every other step."""
    if telling.plot == SILENT:
        return last_words(telling)
    is_root = telling.role == LEAD or (telling.is_agent and not telling.is_asked)
    return f"{THOUGHT}, at step {telling.step}" if is_root and telling.step % 2 == 0 else ""


def used(telling: Telling, n: int, name: str, arguments: dict[str, Any]) -> Message:
    """Return a tool use. Our ids repeat in each reply, as on some servers. Those of the server's own tools do not."""
    if name == SEARCH:
        id = f"srvtoolu_{telling.tags[0].removeprefix('#')}_{telling.step}"
        return {"type": "server_tool_use", "id": id, "name": name, "input": arguments}
    return {"type": "tool_use", "id": f"toolu_{n}", "name": name, "input": arguments}


def last_words(telling: Telling) -> str:
    """Return a reply that names each tag of the person once. Tags in quoted results are cut out."""
    if telling.is_agent:
        return agents_words(telling)
    if telling.task:
        return schedules.last_words_of_run(telling.task)
    results = "; ".join(TAG.sub("", result)[:50] for result in telling.results)
    if telling.plot == schedules.PLAN:
        results = schedules.numbers_of_plan(telling.results)
    manner = f" {telling.plot}" if telling.plot == REFUSED else ""
    return f"answer to {' '.join(telling.tags)}{manner}: {results}" if telling.role == LEAD else f"done: {results}"


def agents_words(telling: Telling) -> str:
    """Return an agent's reply: its own answer and other groups' answers, but nothing of its files and memory."""
    heard = asking.ANSWER.findall(" ".join([*telling.results, *telling.texts]))
    own = asking.answer(telling.role, telling.mark) if telling.is_asked else f"answer to {' '.join(telling.tags)}"
    return "; ".join([own, *heard])


def calls(*names: str | tuple[str, dict[str, Any]]) -> list[tuple[int, tuple[str, dict[str, Any]]]]:
    return list(enumerate(name if isinstance(name, tuple) else (name, {}) for name in names))


def to(role: str, **more: Any) -> tuple[str, dict[str, Any]]:
    return "delegate", part(role, **more)


def part(role: str, **more: Any) -> dict[str, Any]:
    return {"role": role, "task": f"the {role}'s part", **more}


def says(text: str) -> tuple[str, dict[str, Any]]:
    return "message", {"text": text}


def saves(text: str) -> tuple[str, dict[str, Any]]:
    return "memory_save", {"text": text}


SEARCH = "web_search"
ASKS = ("ask_person", {"question": "which?", "options": ["red", "blue", "green"]})

SEVERAL = [part("researcher"), part("writer", output_format={"type": "object"}), {}]

# By plot for the lead, by role for the others. A step that is not here ends the turn.
PLANS = {
    ("go", 0): calls(to("researcher"), to("analyst"), "change", to("writer"), "change", "read"),
    ("go", 1): calls("change", "read"),
    (SILENT, 0): calls("read", "change"),
    ("asks", 0): calls(to("analyst")),
    ("pair", 0): calls(to("researcher"), to("writer")),
    ("errand", 0): calls(to("writer")),
    ("lavish", 0): calls(to("researcher"), "change", to("writer"), "read", to("researcher", background=True)),
    (GREEDY, 0): calls(*[to("manager"), to("researcher"), to("researcher", background=True)] * 2, "read", "read"),
    (schedules.WATER, 0): calls("change", "read"),
    (schedules.IDLE, 0): calls("read"),
    (GREEDY, 1): calls("read", "read", to("writer"), "change"),
    (GREEDY, 2): calls("read", "read", "read", to("manager", background=True)),
    (GREEDY, 3): calls("read", "change"),
    ("nested", 0): calls(to("manager"), to("manager")),
    ("bombs", 0): calls(to("researcher"), to("bomb"), to("writer")),
    ("bombed", 0): calls(to("bomb")),
    ("suicide", 0): calls("read", "bomb"),
    ("background", 0): calls(to("researcher", background=True), "read"),
    ("several", 0): calls(("delegate", {"tasks": SEVERAL}), "read"),
    ("several", 1): calls(("delegate", {"task": "go on", "continue_from": FIRST}), to("analyst", background=True)),
    ("several", 2): calls(("cancel_delegation", {"id": NEWEST}), "list_delegations"),
    ("searches", 0): calls(SEARCH),
    ("searches", 1): calls("change", SEARCH, "read"),
    ("searches", 2): calls(SEARCH),
    ("searches", 3): calls("change"),
    ("forbidden", 0): calls(to("lead"), "nonsense", "read"),
    ("remember", 0): calls(saves("the mat is red"), to("writer"), to("scribe"), saves("twice"), saves("twice")),
    ("remember", 1): calls(("memory_search", {"query": "twice mat scribe"}), ("memory_forget", {"id": 1}), "change"),
    ("scribe", 0): calls(saves("a scribe's"), "change", ("memory_search", {"query": "scribe"})),
    ("scribe", 1): calls(("memory_forget", {"id": 2}), saves("a scribe's, again")),
    ("manager", 0): calls(to("researcher"), to("writer")),
    ("researcher", 0): calls("read", says("I look"), "read"),
    ("researcher", 1): calls("read", says("I have found something")),
    ("analyst", 0): calls(says("I need to know"), ASKS, "change"),
    ("writer", 0): calls("change", "read", "change"),
    ("writer", 1): calls(says("nearly there"), "change"),
    ("bomb", 0): calls("bomb"),
    **asking.PLANS,
    **files.PLANS,
    **mail.PLANS,
}
