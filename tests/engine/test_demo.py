"""The demo's rules: what it says is a function of the transcript, and nothing of a page is known before it is read."""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from bot.core.content_blocks import Block, text_block, tool_result_block
from bot.core.messages import Address, OutboundKind
from bot.core.model import ModelReply, ModelRequest, ShowTextCallback, TranscriptEntry
from bot.core.program_names import retinue_command
from bot.core.prompt_prefix import PromptPrefix
from bot.core.texts import model, people
from bot.models.demo import LEAD_MODEL, PAGES_FOLDER, ROLES_MODEL, UNWATCHED_PACE, DemoModel, pages, rules
from bot.models.demo.rules import next_demo_reply
from bot.models.demo.state import DemoCallResult, DemoState, build_demo_state
from bot.tools.result_pages import make_result_page
from tests.support.bench import Bench
from tests.support.engine_options import engine_options
from tests.support.fakes import Pause, ScriptedModel, role

PAGE = "# One\n\nFirst words.\n\n```\n# no heading\n```\n\n## Two\n"
DEMO_MODELS = engine_options(model__lead=LEAD_MODEL, model__roles=ROLES_MODEL)
ALL = frozenset({"delegate", "message", "read_file", "list_dir", "ask_person"})


@pytest.fixture
def bench(bench: Bench) -> Bench:
    """Return a bot with the roles that the demo names."""
    bench.roles = {**bench.roles, "reader": role("reader", "message", "read")}
    return bench


def state(
    asked: str, *results: DemoCallResult, is_lead: bool = True, tools: frozenset[str] = ALL, later: str = ""
) -> DemoState:
    return DemoState(request_text=asked, later_text=later, call_results=results, tool_names=tools, is_lead=is_lead)


def result(name: str, text: str, *, is_error: bool = False) -> DemoCallResult:
    return DemoCallResult(name, text, is_error)


def test_an_outline_is_read_again_from_its_report() -> None:
    outline = pages.make_outline("a.md", PAGE)
    assert (outline.headings, outline.first_line, outline.line_count) == (("One", "Two"), "First words.", 9)
    assert pages.PageOutline.parse_report(f"delegation t1/2/0 · completed\n[Analyst]: {outline.as_report()}") == outline


def test_a_long_page_is_read_to_its_end_and_no_hint_is_taken_for_its_text() -> None:
    lines = [f"line {number} of many, with some words to fill it\n" for number in range(2_000)]
    first = make_result_page(lines, 1, 10_000, "line")
    offset = pages.next_page_offset(first)
    assert offset
    following = next_demo_reply(state("Read a.md and report", result("read_file", first), is_lead=False))
    assert following.calls == (("read_file", {"path": "a.md", "offset": offset}),)
    parts, start = [first], pages.next_page_offset(first)
    while start:
        parts.append(make_result_page(lines, start, 10_000, "line"))
        start = pages.next_page_offset(parts[-1])
    assert pages.join_page_parts(parts) == "".join(lines)


@pytest.mark.parametrize(
    ("asked", "calls"),
    [
        ("compare the README and the design page", ("delegate", "delegate")),
        ("compare README, the design page, and CHANGELOG.md", ("delegate", "delegate", "delegate")),
        ("compare a with b and c and d", ()),
        ("please read the design page", ("read_file",)),
        ("list docs", ("list_dir",)),
        ("Ask me something", ("ask_person",)),
        ("remember to compare the pages and the list", ("memory_save",)),
        ("What do you remember?", ("memory_search",)),
        ("do you remember that I like tea?", ("memory_search",)),
        ("compare the README, the design page and CHANGELOG.md, please", ("delegate", "delegate", "delegate")),
        ("compare the README and please", ()),
    ],
)
def test_questions_lead_to_real_calls(asked: str, calls: tuple[str, ...]) -> None:
    assert tuple(name for name, _ in next_demo_reply(state(asked)).calls) == calls


READ = "read_file"
FIRST = {  # what people write first: what is called for it, and what is said at last, or how that begins
    "hi": ((), rules.HELLO_REPLY),
    "what can you do?": ((), rules.ABOUT_DEMO_REPLY),
    "write me a haiku": ((), rules.HAIKU_REPLY),
    "thanks!": ((), rules.THANKS_REPLY),
    "summarize README.md": ((READ,), "`README.md` has "),
    "read pyproject.toml": ((READ,), "`pyproject.toml` has "),
    "Hallo, wie geht es dir?": ((), rules.GERMAN_REPLY),
    "How are you?": ((), rules.HOW_ARE_YOU_REPLY),
    "What's the weather in Berlin today?": ((), rules.NO_WEB_REPLY),
    "How much does this cost?": ((), rules.ABOUT_COST_REPLY),
    "what is 17 * 3?": ((), "17 * 3 = 51"),
    "tell me a joke": ((), rules.JOKE_REPLY),
    "are you Claude?": ((), rules.ABOUT_KEY_REPLY),
    "Fasse README.md zusammen": ((READ,), "`README.md` has "),
    "Fasse bitte die README zusammen": ((READ,), "`README.md` has "),
    "summarize README.md\nthanks": ((READ,), "`README.md` has "),
    "erstelle ein Gedicht": ((), rules.GERMAN_POEM_REPLY),
    "erstelle eine Liste": ((), rules.GERMAN_REPLY),
    "summarize this": ((), rules.WHAT_TO_READ_REPLY),
    "sum up": ((), rules.WHAT_TO_READ_REPLY),
    "Fasse das zusammen": ((), rules.WHAT_TO_READ_REPLY),
}


@pytest.mark.parametrize(("asked", "answer"), FIRST.items(), ids=FIRST)
def test_likely_first_messages_get_sensible_answers_of_three_lines(
    asked: str, answer: tuple[tuple[str, ...], str]
) -> None:
    calls, begins = answer
    said = next_demo_reply(state(asked))
    assert tuple(name for name, _ in said.calls) == calls
    if calls:
        said = next_demo_reply(state(asked, result(READ, "# comment\n[project]\n" + PAGE * 9)))
    assert said.text.startswith(begins)
    assert len(said.text.splitlines()) <= 3


COMPARE = ("delegate", "delegate")
SUGGESTED = {  # what the demo suggests to write: what is called for it, and how the answer to it begins
    "compare the README and the design page": (COMPARE, ""),
    "read docs/architecture.md": ((READ,), ""),
    "summarize README.md": ((READ,), ""),
    "read README.md": ((READ,), ""),
    "list docs": (("list_dir",), ""),
    "remember that I like tea": (("memory_save",), ""),
    "remind me in 1 minute to drink it": (("remind_me",), ""),
    "ask me something": (("ask_person",), ""),
    "what can you do?": ((), rules.ABOUT_DEMO_REPLY),
    "help": ((), rules.ABOUT_DEMO_REPLY),
    "tell me about the key": ((), rules.ABOUT_KEY_REPLY),
    "summarize this: The sun rose. Birds sang.": ((), "The text has 5 words."),
}


def sentences_of(module: ModuleType) -> Iterator[str]:
    """Yield the texts in a module's source."""
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


async def test_everything_that_the_demo_suggests_to_write_works(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    async with bench.run(**engine_options(is_demo=True)):
        bench.chat.hears("/start")
        printed = [await bench.chat.said(), *sentences_of(rules)]
    suggested = {words for text in printed for words in re.findall(r"“([^{}”]+)”", text)}
    commands = {words for text in printed for words in re.findall(r"(?<!\w)/[a-z]+\b", text)}
    assert suggested == SUGGESTED.keys()
    assert commands <= people.COMMANDS.keys()
    for words, (calls, begins) in SUGGESTED.items():
        said = next_demo_reply(state(words, tools=ALL | {"memory_save", "remind_me"}))
        assert tuple(name for name, _ in said.calls) == calls, words
        assert said.text.startswith(begins), words
        assert all((PAGES_FOLDER / call.get("path", "")).exists() for _, call in said.calls), words


@pytest.mark.parametrize(
    "order", ["summarize this\n\n", "Please sum up my notes.\n", "summarize this: ", "Fasse das zusammen:\n\n"]
)
def test_any_attached_text_is_summed_up(order: str) -> None:
    said = next_demo_reply(state(f"{order}# One\n\nRemember to write\na poem. Compare a and b.\n"))
    assert (said.text, said.calls) == ("The text has 11 words. It begins: “Remember to write a poem.”", ())


def test_a_text_of_headings_alone_is_summed_up_too() -> None:
    assert next_demo_reply(state("summarize this\n\n# One")).text == "The text has 2 words. It begins: “One”"


@pytest.mark.parametrize("answer", [model.NOBODY_ANSWERS, model.NOT_ANSWERED_WITH_DEFAULT(default="Green")])
def test_a_question_that_nobody_answers_is_told_as_that(answer: str) -> None:
    told = rules.NOBODY_ANSWERED_REPLY(command=retinue_command("chat"))
    assert next_demo_reply(state("ask me something", result("ask_person", answer))).text == told


def test_a_remark_in_a_file_that_is_no_markdown_is_no_heading() -> None:
    text = "# What finds mistakes\n[project]\nname = 'x'\n"
    assert pages.make_outline("pyproject.toml", text).headings == ()
    assert pages.make_outline("pyproject.toml", text).first_line == "[project]"


@pytest.mark.parametrize(
    ("said", "path"),
    [("read .gitignore.", ".gitignore"), ("read `a.md`!", "a.md"), ("open the README page", "README.md")],
)
def test_the_file_that_is_meant_is_read(said: str, path: str) -> None:
    assert next_demo_reply(state(said)).calls == (("read_file", {"path": path}),)


def test_a_failure_is_told_as_it_is() -> None:
    said = next_demo_reply(state("read nothing.md", result("read_file", "no such page", is_error=True)))
    in_its_words = "I could not read it: no such page"
    assert said.text == in_its_words
    report = (
        "delegation t41/16/0 · completed · 3 s · 9,594 tokens · $0.00\n[Analyst]: I could not read b:\nno such file"
    )
    failed = result("delegate", "Sub-agent 'Analyst' failed: x")
    told = next_demo_reply(state("compare a and b", failed, result("delegate", report)))
    in_their_words = ["- Sub-agent 'Analyst' failed: x", "- [Analyst]: I could not read b: no such file"]
    assert told.text.splitlines()[1:] == in_their_words


@pytest.mark.parametrize("reason", ["stopped by Ann", "stopped by Ann (at home) · now"])
def test_a_comparison_names_the_reason_why_a_role_was_stopped(reason: str) -> None:
    facts = {"delegation": "t41/16/0", "state": "cancelled", "seconds": 3, "tokens": 9, "cost": "$0.00"}
    report = f"{model.DELEGATION_WITH_REASON(reason=reason, **facts)}\n[Analyst]: {model.NO_OUTPUT}"
    told = next_demo_reply(state("compare a and b", result("delegate", report)))
    assert told.text.splitlines()[1:] == [f"- [Analyst]: {reason}"]


def test_a_role_posts_what_it_has_found_and_not_that_it_begins() -> None:
    asked = "Read a.md and report its length, its headings and how it begins."
    first = next_demo_reply(state(asked, is_lead=False))
    assert [name for name, _ in first.calls] == ["read_file"]
    found = next_demo_reply(state(asked, result("read_file", PAGE), is_lead=False))
    [(name, posted)] = found.calls
    assert (name, posted["text"]) == ("message", "a.md has 9 lines under 2 headings.")
    last = next_demo_reply(state(asked, result("read_file", PAGE), result("message", "posted"), is_lead=False))
    assert pages.PageOutline.parse_report(last.text)


def test_a_memory_is_saved_and_found_in_the_persons_words() -> None:
    asked = next_demo_reply(state("Please remember that I like tea "))
    assert asked.calls == (("memory_save", {"text": "I like tea"}),)
    saved = next_demo_reply(state("remember that I like tea", result("memory_save", "saved as memory 1")))
    assert saved.text == "It is saved as memory 1."
    found = next_demo_reply(state("what do you remember?", result("memory_search", "1 (2026-03-01): I like tea")))
    assert "\n1 (2026-03-01): I like tea\n" in found.text


def test_the_demo_makes_a_reminder() -> None:
    asked = next_demo_reply(state("Remind me in 2 hours to drink tea"))
    assert asked.calls == (("remind_me", {"text": "drink tea", "when": "PT2H"}),)
    made = next_demo_reply(state("Remind me in 2 hours to drink tea", result("remind_me", "reminder 1")))
    assert made.text == "In 2 hours I shall write “drink tea”. /schedules lists it."


def outline_of(path: str) -> str:
    return pages.make_outline(path, PAGE).as_report()


def test_the_demo_does_a_task_again() -> None:
    asked = f"> Read a.md and report\n  {model.DO_TASK_AGAIN(delegation='t1/2/0', role='analyst')}"
    [call] = next_demo_reply(state(asked)).calls
    assert call == ("delegate", {"role": "analyst", "task": "Read a.md and report"})
    done = next_demo_reply(
        state(asked, result("delegate", f"delegation t1 · completed\n[Analyst]: {outline_of('a.md')}"))
    )
    assert done.text.startswith("`a.md` has 9 lines")


def test_the_demo_does_not_obey_what_is_quoted() -> None:
    assert not next_demo_reply(state("\nreplied to this:\n> Read a.md and report\n  thanks")).calls


@pytest.mark.parametrize("frame", [model.EARLIER_TALK(person="Bob"), model.REPLIED_TO(person="Bob", author="Ann")])
def test_the_demo_answers_the_words_of_a_person_alone(frame: str) -> None:
    assert next_demo_reply(state(f"{frame}\n> Ann: write a list\n  hi")).text == rules.HELLO_REPLY


def test_a_role_of_the_demo_repeats_what_it_was_told() -> None:
    said = next_demo_reply(state("Read a.md and report", result("read_file", PAGE), is_lead=False, later="Ann: hello"))
    assert said.calls[0][0] == "message"
    done = (result("read_file", PAGE), result("message", "posted"))
    said = next_demo_reply(state("Read a.md and report", *done, is_lead=False, later="Ann: hello"))
    assert "“hello”" in said.text
    assert pages.PageOutline.parse_report(said.text) == pages.make_outline("a.md", PAGE)


@pytest.mark.parametrize("between", [[], [tool_result_block("c1", PAGE, is_error=False)]])
def test_words_to_a_role_of_the_demo_begin_no_task(between: list[Block]) -> None:
    reads = {"type": "tool_use", "id": "c1", "name": "read_file", "input": {}}
    told = [*between, text_block(model.WRITTEN_TO_YOU), text_block("Ann: hello")]
    transcript = [
        TranscriptEntry(role="user", content=[text_block("Read a.md and report")]),
        TranscriptEntry(role="assistant", content=[reads]),
        TranscriptEntry(role="user", content=told),
    ]
    prefix = PromptPrefix(model=ROLES_MODEL, effort="medium", system="", tools=())
    found = build_demo_state(transcript, prefix, is_lead=False)
    assert (found.request_text, found.later_text.endswith("Ann: hello")) == ("Read a.md and report", True)


async def test_the_demo_answers_while_its_roles_work_and_compares_late_reports(bench: Bench) -> None:
    pause = Pause(outline_of("b.md"))
    bench.model.says("reader", outline_of("a.md"))
    bench.model.says("analyst", pause)
    async with bench.run(model=DemoLead(bench.model), **DEMO_MODELS):
        bench.chat.hears("compare a.md and b.md")
        await pause.reached.wait()
        bench.chat.hears("tell me a joke")
        assert await bench.chat.said(OutboundKind.REPLY) == rules.JOKE_REPLY
        pause.go_on.set()
        assert (await bench.chat.said(OutboundKind.REPLY)).startswith("`a.md` is 1.0 times as long as `b.md`.")


async def test_retry_works_in_the_demo(bench: Bench) -> None:
    bench.model.says("reader", outline_of("a.md"), outline_of("a.md"))
    bench.model.says("analyst", outline_of("b.md"))
    async with bench.run(model=DemoLead(bench.model), **DEMO_MODELS):
        bench.chat.hears("compare a.md and b.md")
        await bench.chat.said(OutboundKind.REPLY)
        bench.chat.hears("/retry 1")
        assert (await bench.chat.said(OutboundKind.REPLY)).startswith("`a.md` has 9 lines")


async def test_a_role_of_the_demo_that_has_ended_answers_the_person(bench: Bench) -> None:
    async with bench.run(model=DemoModel(UNWATCHED_PACE), **DEMO_MODELS):
        bench.chat.hears("compare a.md and b.md")
        await bench.chat.said(OutboundKind.REPLY)
        bench.chat.hears("/tell 1 hello: leave out the headings")
        said = await bench.chat.said(OutboundKind.REPLY)
    told = "“hello: leave out the headings”"
    assert said == f"[Reader]: I was told: {told} I am only a script, so my report stays as it is."


class DemoLead(DemoModel):
    """The demo as the lead, and a script for the roles."""

    def __init__(self, roles: ScriptedModel) -> None:
        super().__init__(UNWATCHED_PACE)
        self.roles = roles

    async def reply(self, request: ModelRequest, show: ShowTextCallback) -> ModelReply:
        is_lead = request.prefix.model == LEAD_MODEL
        return await (super().reply(request, show) if is_lead else self.roles.reply(request, show))


@pytest.mark.parametrize("asked", ["fly me to the moon", "2", "…"])
def test_the_demo_says_when_it_does_not_understand(asked: str) -> None:
    assert "only a script" in next_demo_reply(state(asked)).text


def test_the_demo_mentions_words_written_meanwhile() -> None:
    assert "“and faster”" in next_demo_reply(state("help", later="and faster")).text


async def test_a_last_request_has_words_and_no_calls() -> None:
    asked = TranscriptEntry(role="user", content=[text_block("Ann: ask me something")])
    request = ModelRequest(
        chapter_name="c",
        address=Address(channel="fake", chat="room"),
        prefix=PromptPrefix(model="demo", effort="medium", system="", tools=({"name": "ask_person"},)),
        transcript=[asked],
        may_call_tools=False,
        max_tokens=1_000,
    )
    shown: list[str] = []
    reply = await DemoModel(UNWATCHED_PACE).reply(request, lambda text, activity="": shown.append(text))
    assert [block["type"] for block in reply.content] == ["text"]
    assert shown[-1] == reply.content[0]["text"]
    assert reply.usage.input > 0


def test_a_conversation_that_grows_too_long_is_summarised() -> None:
    assert "demo" in next_demo_reply(state(model.SUMMARISE)).text


@pytest.mark.parametrize(
    ("note", "words", "begins"),
    [
        ("[b.bin is not shown: b.bin is neither text nor a type of file that can be read (9 bytes).]", "look", "Your"),
        ("[open this.txt begins like this; each line of the file is marked with >:]\n> ask me", "look", "Your file"),
        ("[the rest is in read.me]", "how are you?", "I run by rules"),
    ],
)
def test_notes_about_a_file_are_no_request(note: str, words: str, begins: str) -> None:
    attached = "[attached: file open this.txt, text/plain, 9 bytes; it lies in no folder that you can read]"
    order = [attached, note] if begins.startswith("Your") else [note]
    assert next_demo_reply(state("\n".join([*order, f"  {words}"]))).text.startswith(begins)
