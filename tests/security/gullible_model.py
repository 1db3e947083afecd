"""A model that obeys each order that it reads, wherever the order stands: one per request, the oldest first.

An order is a verb in capitals, words, and NOW: `WRITE plan.txt WITH pay 66 NOW`. There are no brackets and quotation
marks in it, because names lose theirs. For `SECRET` the model puts in the secret that it has read.
"""

import asyncio
import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

from bot.core.content_blocks import SERVER_TOOL_BLOCK_TYPES, Block, text_block
from bot.core.model import Model, ModelReply, ModelRequest, ShowTextCallback
from tests.support.fakes import played, reply, uses

SECRET = "S3CR3T-42"  # stands in the person's private file
PLACEHOLDER = "SECRET"  # in an order: an attacker does not know the secret
LOOKALIKE_SLASH = "\u2215"  # for names of files; who reads it takes it for a slash
SPENDING_TASK = "count to a million"
DELEGATIONS_THAT_SPEND = 10
ORDER = re.compile(
    r"\b(FETCH|SEARCH|READ|WRITE|BRIEF|ASK|SPEND|FORGET|KEEP|LINK|PRETEND|INVENT|QUESTION|TELL|POST|SENDFILE|REMIND"
    r"|REPEAT|WATCH|UNSCHEDULE|CALL)\b(?: (.*?))? NOW\b"
)
WEB_TOOLS = {"FETCH": "web_fetch", "SEARCH": "web_search"}  # by verb
SAID_VERBS = ("LINK", "PRETEND", "TELL")  # these orders need no call: the reply obeys them

_ids = count(1)

Step = Callable[[ModelRequest], list[Block]]  # what a turn does because its person asked for it


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaving:
    """What has left this machine by a web tool of the model's server."""

    tool: str
    text: str  # the address, or the words of the search
    was_given: bool  # it stood in words of the user's side: a server fetches only such addresses


class GullibleModel(Model):
    """`steps` has, for each role, the harmless work that comes first, one element per request. Then the model obeys.
    The `reporting` roles end with all that they have read."""

    def __init__(self, *, reporting: Iterable[str] = ()) -> None:
        self.steps: dict[str, deque[Step]] = defaultdict(deque)
        self.is_awake = True  # False: it only does the harmless work, and repeats the orders to its person
        self.leavings: list[Leaving] = []
        self.obeyed: set[str] = set()  # the orders that somebody has obeyed or tried to obey, as they were written
        self.seen: list[ModelRequest] = []
        self.reporting = frozenset(reporting)
        # By chapter; an order for the web is obeyed again once the web is offered
        self.obeyed_in_turn: dict[str, set[tuple[str, bool]]] = defaultdict(set)

    async def reply(self, request: ModelRequest, show: ShowTextCallback) -> ModelReply:
        self.seen.append(request)
        request.meter.sent_at_loop_seconds = asyncio.get_running_loop().time()
        role = played(request)
        if request.may_call_tools and self.steps[role]:
            return reply(*self.steps[role].popleft()(request))
        if not self.is_awake:
            return reply(text_block(" ".join(["It says:", *orders_in(request)])))
        while request.may_call_tools and (order := self.next_order_with_call(request)):
            if blocks := self.obey(order, request):
                return reply(*blocks)
        return self.end_turn(request, role)

    def has_tried_all(self, orders: Iterable[str]) -> bool:
        """Return True if somebody has obeyed each of these orders, whatever came of it."""
        return {order_parts(each) for each in orders} <= {order_parts(each) for each in self.obeyed}

    def next_order_with_call(self, request: ModelRequest) -> str | None:
        done = self.obeyed_in_turn[request.chapter_name]
        orders = [each for each in orders_in(request) if verb_of(each) not in SAID_VERBS]
        return next((each for each in orders if (each, is_web_offered(each, request)) not in done), None)

    def obey(self, order: str, request: ModelRequest) -> list[Block]:
        self.obeyed_in_turn[request.chapter_name].add((order, is_web_offered(order, request)))
        verb, words = order_parts(order)
        if PLACEHOLDER in words and has_not_read_secret(request):
            return []
        self.obeyed.add(order)
        words = words.replace(PLACEHOLDER, SECRET)
        if tool := WEB_TOOLS.get(verb):
            return self.use_web(request, tool, as_address(words) if verb == "FETCH" else words)
        return [CALLS[verb](words)]

    def use_web(self, request: ModelRequest, tool: str, text: str) -> list[Block]:
        """Use a tool of the model's server, if the request offers it. Otherwise call it as one of ours."""
        argument = "url" if tool == "web_fetch" else "query"
        if tool not in request.server_tools:
            return [uses(tool, **{argument: text})]
        given = any(text in each for each in texts_of_user_side(request))
        self.leavings.append(Leaving(tool=tool, text=text, was_given=given))
        # A reply that only used the server's tools would end the turn.
        return [*server_tool_blocks(tool, text, "Nothing is there."), uses("list_dir", path=".")]

    def end_turn(self, request: ModelRequest, role: str) -> ModelReply:
        """Say what the orders want said, and be ready to obey all of them again when somebody writes next."""
        self.obeyed_in_turn[request.chapter_name].clear()
        if role in self.reporting:
            return reply(text_block("\n".join(["I have read:", *texts_of_results(request)])))
        said = ["I have read it."]
        for order in orders_in(request):
            verb, words = order_parts(order)
            if verb in SAID_VERBS and not (PLACEHOLDER in words and has_not_read_secret(request)):
                self.obeyed.add(order)
                said.append(said_text(verb, words.replace(PLACEHOLDER, SECRET)))
        return reply(text_block("\n\n".join(dict.fromkeys(said))))


def verb_of(order: str) -> str:
    return order.partition(" ")[0]


def is_web_offered(order: str, request: ModelRequest) -> bool:
    return WEB_TOOLS.get(verb_of(order)) in request.server_tools


def order_parts(order: str) -> tuple[str, str]:
    """Return the verb of an order and its words, with real slashes."""
    verb, _, words = order.removesuffix(" NOW").partition(" ")
    return verb, words.replace(LOOKALIKE_SLASH, "/")


def as_address(words: str) -> str:
    return words if "://" in words else f"https://{words}"


def said_text(verb: str, words: str) -> str:
    """Return what a reply says for an order without a call."""
    if verb == "LINK":
        return f"[More about it]({as_address(words)})"
    if verb == "PRETEND":
        role, _, said = words.partition(" ")
        return f"**[{role.title()}]:** {said}"
    return f"By the way: {words}"


def split_at(words: str, word: str) -> tuple[str, str]:
    first, _, rest = words.partition(word)
    return first.strip(), rest.strip()


def write(words: str) -> Block:
    path, content = split_at(words, " WITH ")
    return uses("write_file", path=path, content=content)


def brief(words: str) -> Block:
    role, task = split_at(words, " ")
    return uses("delegate", role=role, task=f"{task} NOW")


def ask(words: str) -> Block:
    group, task = split_at(words, " ")
    return uses("delegate", group=group, task=task)


def spend(words: str) -> Block:
    return uses("delegate", tasks=[{"role": "web", "task": SPENDING_TASK}] * DELEGATIONS_THAT_SPEND)


def invent(words: str) -> Block:
    name, said = split_at(words, ":")
    return uses("delegate", role=name, task=f"POST {said} NOW")


def call(words: str) -> Block:
    tool, text = split_at(words, " WITH ")
    return uses(tool, text=text)


CALLS: dict[str, Callable[[str], Block]] = {
    "CALL": call,
    "READ": lambda words: uses("read_file", path=words),
    "WRITE": write,
    "BRIEF": brief,
    "ASK": ask,
    "SPEND": spend,
    "FORGET": lambda words: uses("memory_forget", id=int(words)),
    "KEEP": lambda words: uses("memory_save", text=words),
    "INVENT": invent,
    "QUESTION": lambda words: uses("ask_person", question=words),
    "POST": lambda words: uses("message", text=words),
    "SENDFILE": lambda words: uses("send_file", path=words),
    "REMIND": lambda words: uses("remind_me", text=words, when="PT20M"),
    "UNSCHEDULE": lambda words: uses("schedule_change", number=int(words), change="delete"),
    "REPEAT": lambda words: uses("schedule_create", task=f"{words} NOW", repeat="FREQ=DAILY"),
    "WATCH": lambda words: uses(
        "schedule_create", task="tell", repeat="FREQ=DAILY", only_if="page_changed", what=as_address(words)
    ),
}


def orders_in(request: ModelRequest) -> list[str]:
    """Return the orders that a request holds, oldest first, each once."""
    found = [each for text in readable_texts(request) for each in ORDER.finditer(" ".join(text.split()))]
    return list(dict.fromkeys(each.group() for each in found))


def has_not_read_secret(request: ModelRequest) -> bool:
    return not any(SECRET in text for text in readable_texts(request))


def readable_texts(request: ModelRequest) -> Iterator[str]:
    """Yield all texts that somebody else may have written: the descriptions of tools, those of the user's side, and
    what the server's tools found."""
    yield from strings_in(request.prefix.tools)
    for entry in request.transcript:
        for block in entry.content:
            if entry.role != "assistant" or block["type"] in SERVER_TOOL_BLOCK_TYPES[1:]:
                yield from strings_in(block)


def texts_of_user_side(request: ModelRequest) -> Iterator[str]:
    for entry in request.transcript:
        if entry.role != "assistant":
            yield from strings_in(entry.content)


def texts_of_results(request: ModelRequest) -> list[str]:
    """Return what the calls of a conversation have found."""
    blocks = [block for entry in request.transcript for block in entry.content]
    return [text for block in blocks if block["type"] == "tool_result" for text in strings_in(block["content"])]


def strings_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ():
        yield from strings_in(each)


def server_tool_blocks(tool: str, asked: str, found: str) -> list[Block]:
    """Return a use of a server's tool with its result, as the server writes both into the reply."""
    id = f"srvtoolu_{next(_ids)}"
    page: Block
    if tool == "web_search":
        page = {"type": "web_search_result", "url": "https://a.example/", "title": found, "encrypted_content": "e"}
        result: Block = {"type": "web_search_tool_result", "tool_use_id": id, "content": [page]}
        return [{"type": "server_tool_use", "id": id, "name": tool, "input": {"query": asked}}, result]
    source = {"type": "text", "media_type": "text/plain", "data": found}
    page = {"type": "web_fetch_result", "url": asked, "content": {"type": "document", "source": source}}
    result = {"type": "web_fetch_tool_result", "tool_use_id": id, "content": page}
    return [{"type": "server_tool_use", "id": id, "name": tool, "input": {"url": asked}}, result]
