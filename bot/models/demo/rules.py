"""The demo's rules, in one table: the person's words choose the rule, the results so far decide its next step."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bot.core.program_names import retinue_command
from bot.core.texts import Text, model
from bot.models.demo import pages
from bot.models.demo.state import GAP, DemoState

READ_PAGE_TASK = "Read {path} and report its length, its headings and how it begins."  # from the lead to roles
PAGE_PATHS_BY_NAME = {"readme": "README.md", "design": "docs/architecture.md", "architecture": "docs/architecture.md"}
PAGE_NAME_SEPARATORS = r"\s*,\s*(?:and\s+)?|\s+(?:and|with|to)\s+"
SUM_UP_PATTERN = r"(?:summari[sz]e|sum up)"
GERMAN_SUM_UP_PATTERN = r"fass(?:e|t)?\s+(?:bitte\s+)?(?:(?:die|das|den)\s+)?(?P<file>\S+)[^\n]*\bzusammen"
VAGUE_PAGE_NAMES = {"this", "that", "it", "these", "them", "my", "text", "notes", "das", "dies", "diesen", "diese"}
POLITE_ENDING_PATTERN = re.compile(r"[\s,]*\b(?:please|thanks|thank you)\W*$", re.IGNORECASE)
READER_ROLES = ("reader", "analyst", "summarizer")  # the roles that read the pages, in this order
REPORT_FIRST_LINE_PATTERN = re.compile(r"^delegation \S+ · [^\n(·]*(?:\((?P<reason>.*)\) )?· [^\n]*\n")
WORD_BY_NUMBER = {2: "two", 3: "three"}
DO_TASK_AGAIN_PATTERN = r"\S+{}(?P<role>\S+){}".format(
    *map(re.escape, model.DO_TASK_AGAIN(delegation=GAP, role=GAP).split(GAP)[1:])
)
WRITTEN_DIRECTLY_PATTERN = re.escape(model.WRITTEN_DIRECTLY(person=GAP).split(GAP)[1])
QUOTED_LINE_PATTERN = re.compile(r"^> (.*)$", re.MULTILINE)
QUOTATION_PATTERN = re.compile(r"^(?:> .*|\[.*:\])$", re.MULTILINE)  # others' words, and the line above that says whose
ATTACHED_PATTERN = r"^\[attached: (?P<file>[^\];]+)"
NOTE_ABOUT_FILE_PATTERN = re.compile(
    r"^\[(?:attached|came with the quoted words|the rest|.* is (?:not )?shown)\b.*\]$", re.MULTILINE
)

# What stands in “ ” works when it is typed: tests/engine/test_demo.py tries it.
HELLO_REPLY = """Hello! I am the demo: a script in the place of the model; all around me is real. With an API key \
Claude would answer here.
Try “compare the README and the design page”, or ask “what can you do?”."""
ABOUT_DEMO_REPLY = """I am the demo: a script with a few rules. The roles, the tools on real files and the store that \
survives `kill -9` are real.
Try: “compare the README and the design page” (two roles at work: meanwhile try /agents, \
/tell 1 hello, /stop 2), “read docs/architecture.md”, “list docs”, \
“remember that I like tea”, “remind me in 1 minute to drink it”, “ask me something”, /status, /usage.
With a key of your own Claude answers instead of me: “tell me about the key”."""
ABOUT_KEY_REPLY = """To talk to Claude instead of me: `export ANTHROPIC_API_KEY=sk-ant-…` and start again, or put \
the key into `config.json` as `model.api_key`. `model.base_url` names any other server that speaks the Anthropic \
Messages API."""
NO_RULE_REPLY = """I am only a script, and have no rule for that. “help” tells what I can do; with an API key, \
Claude would answer here."""
ASK_FOR_PAGE_NAMES_REPLY = "Name two pages, or three: “compare the README and the design page”."
WHAT_TO_READ_REPLY = """What shall I read? Name a page, as in “summarize README.md”; or send a text along, as in \
“summarize this: The sun rose. Birds sang.”"""
NOBODY_ANSWERED_REPLY = Text(
    "I asked which colour I shall name, and nobody answered. In `{command}` you can: write “ask me something” there."
)
GERMAN_POEM_REPLY = """Ein Skript ohne Witz
zählt dir jede Zeile vor:
siebzehn, und dann Schluss."""
HAIKU_REPLY = """A script without wit
counts the lines of every page:
seventeen, and done."""
CONVERSATION_SUMMARY_REPLY = "The person has tried the demo. Nothing is open."
THANKS_REPLY = "You are welcome. It cost nothing, too: I am only the demo."
JOKE_REPLY = "Why did the script cross the road? There was a rule for it. (Claude tells better ones.)"
HOW_ARE_YOU_REPLY = "I run by rules, and all of them hold: thank you. What shall I read or compare for you?"
ABOUT_COST_REPLY = (
    "Nothing: I am a script. With Claude it depends on the model; /usage tells it at any time, and limits cap it."
)
NO_WEB_REPLY = "I look nothing up, neither the time nor the web: I am only a script. With an API key, Claude would."
GERMAN_REPLY = """Hallo! Ich bin die Demo: ein Skript an der Stelle des Modells, und meine Regeln sind englisch. Mit \
einem API-Schlüssel antwortet hier Claude, auch auf Deutsch.
Versuchen Sie “compare the README and the design page” oder “read README.md”."""
NO_WRITING_REPLY = (
    "In the demo the workspace is Retinue's own folder, to be read and not written: I have no tool that changes things."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoReply:
    """The demo's next reply: its text, and its tool calls as names with arguments."""

    text: str = ""
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()


def make_call_reply(tool: str, **arguments: Any) -> DemoReply:
    return DemoReply(calls=((tool, arguments),))


def next_demo_reply(state: DemoState) -> DemoReply:
    """Return the next reply in a state, from the first rule that matches the person's words."""
    if state.late_reports and not state.call_results:
        return answer_late_reports(state)
    unknown = f"I am a script, and do not know how to do this: {state.request_text}"
    said: DemoReply | str = NO_RULE_REPLY if state.is_lead else unknown
    is_again = re.search(DO_TASK_AGAIN_PATTERN, state.request_text)
    words = state.request_text if is_again else QUOTATION_PATTERN.sub("", state.request_text)
    typed = NOTE_ABOUT_FILE_PATTERN.sub("", words).lstrip()
    for pattern, rule in LEAD_RULES if state.is_lead else ROLE_RULES:
        if found := re.search(pattern, words if pattern == ATTACHED_PATTERN else typed, re.IGNORECASE):
            said = rule if isinstance(rule, str) else rule(found, state)
            break
    line = DemoReply(text=said) if isinstance(said, str) else said
    if state.is_lead and state.later_text and not line.calls:
        later = f"(You also wrote “{state.later_text}”. Say it again: I do one thing at a time.)"
        return DemoReply(text=f"{line.text}\n\n{later}")
    return line


def read_on_or_outline_page(path: str, what: str, state: DemoState) -> DemoReply | str | pages.PageOutline:
    """Return the outline of a page, or the call that reads on, or an apology that `what` cannot be read."""
    results = state.results_of_tool("read_file")
    if not results:
        return make_call_reply("read_file", path=path)
    if results[-1].is_error:
        return f"I could not read {what}: {results[-1].text}"
    if more := pages.next_page_offset(results[-1].text):
        return make_call_reply("read_file", path=path, offset=more)
    return pages.make_outline(path, pages.join_page_parts([result.text for result in results]))


# The lead


def answer_compare_pages(found: "re.Match[str]", state: DemoState) -> DemoReply | str:
    names = re.split(PAGE_NAME_SEPARATORS, f"{found['first']} and {POLITE_ENDING_PATTERN.sub('', found['second'])}")
    paths = [path for name in names if (path := page_path_or_typed_name(name))]
    if len(paths) < min(WORD_BY_NUMBER):
        return ASK_FOR_PAGE_NAMES_REPLY
    if len(paths) > len(READER_ROLES):
        return f"I can compare {WORD_BY_NUMBER[len(READER_ROLES)]} pages at once, and no more."
    reports = state.results_of_tool("delegate")
    if not reports:
        if "delegate" not in state.tool_names:
            return f"I would give this to {WORD_BY_NUMBER[len(paths)]} roles, but delegation is switched off here."
        count = WORD_BY_NUMBER[len(paths)].capitalize()
        text = f"{count} roles read {', '.join(paths[:-1])} and {paths[-1]} side by side."
        tasks = [READ_PAGE_TASK.format(path=path) for path in paths]
        briefs = [{"role": role, "task": task} for role, task in zip(READER_ROLES, tasks, strict=False)]
        return DemoReply(text=text, calls=tuple(("delegate", brief) for brief in briefs))
    return compare_or_quote_reports([report.text for report in reports])


def answer_do_task_again(found: "re.Match[str]", state: DemoState) -> DemoReply | str:
    """Delegate the quoted task to the role once more, and say what it found."""
    if reports := state.results_of_tool("delegate"):
        return compare_or_quote_reports([report.text for report in reports])
    task = "\n".join(QUOTED_LINE_PATTERN.findall(state.request_text))
    return make_call_reply("delegate", role=found["role"], task=task)


def answer_late_reports(state: DemoState) -> DemoReply:
    """Say what the roles found that went on in the background; then do what the person has written meanwhile."""
    told = compare_or_quote_reports(state.late_reports)
    if not state.request_text:
        return DemoReply(text=told)
    line = next_demo_reply(replace(state, late_reports=()))
    return replace(line, text="\n\n".join(filter(None, [told, line.text])))


def compare_or_quote_reports(reports: Sequence[str]) -> str:
    outlines = [outline for report in reports if (outline := pages.PageOutline.parse_report(report))]
    if len(outlines) == len(reports) > 1:
        return pages.compare_outlines(outlines)
    if len(outlines) == len(reports):
        return pages.describe_page_outline(outlines[0])
    told = "\n".join(f"- {' '.join(report_without_first_line(report).split())}" for report in reports)
    return f"That cannot be compared. This is what the roles said:\n{told}"


def report_without_first_line(report: str) -> str:
    """Return what the role said, or why it ended if it said nothing."""
    first = REPORT_FIRST_LINE_PATTERN.match(report)
    said = report[first.end() :] if first else report
    return said.replace(model.NO_OUTPUT, first["reason"]) if first and first["reason"] else said


def answer_summarise_text(found: "re.Match[str]", state: DemoState) -> DemoReply | str:
    """Sum up the text that came with the message, or the page that is named before it."""
    named = re.search(rf"{SUM_UP_PATTERN} (?P<file>(?:the )?\S+)", found["order"], re.IGNORECASE)
    path = page_path_or_typed_name(named["file"]) if named else ""
    if named and ("." in path or "/" in path):
        return answer_read_page(named, state)
    return pages.describe_length_and_first_sentence(found["text"])


def answer_read_page(found: "re.Match[str]", state: DemoState) -> DemoReply | str:
    path = page_path_or_typed_name(found["file"])
    if path.casefold() in VAGUE_PAGE_NAMES:
        return WHAT_TO_READ_REPLY
    page = read_on_or_outline_page(path, "it", state)
    return pages.describe_page_outline(page) if isinstance(page, pages.PageOutline) else page


def answer_list_folder(found: "re.Match[str]", state: DemoState) -> DemoReply | str:
    if not (results := state.results_of_tool("list_dir")):
        return make_call_reply("list_dir", path=found["folder"] or ".")
    if results[-1].is_error:
        return f"I could not list it: {results[-1].text}"
    return f"~~~~\n{results[-1].text.rstrip()}\n~~~~"


def answer_by_asking_person(found: "re.Match[str]", state: DemoState) -> DemoReply | str:
    if not (answers := state.results_of_tool("ask_person")):
        options = ["Red", "Green", "Blue"]
        return make_call_reply("ask_person", question="Which colour shall I name?", options=options, default="Green")
    if answers[-1].text.startswith((model.NOBODY_ANSWERS, model.NOT_ANSWERED_WITH_DEFAULT(default=""))):
        return NOBODY_ANSWERED_REPLY(command=retinue_command("chat"))
    return f"You said: **{answers[-1].text}**. That is all I wanted to know."


def answer_remember_fact(found: "re.Match[str]", state: DemoState) -> DemoReply | str:
    if not (results := state.results_of_tool("memory_save")):
        return make_call_reply("memory_save", text=found["fact"].strip())
    return f"I could not: {results[-1].text}" if results[-1].is_error else f"It is {results[-1].text}."


def answer_remind(found: "re.Match[str]", state: DemoState) -> DemoReply | str:
    if not (results := state.results_of_tool("remind_me")):
        period = f"PT{found['count']}{found['unit'][0].upper()}"
        return make_call_reply("remind_me", text=found["what"].strip(), when=period)
    if results[-1].is_error:
        return f"I could not: {results[-1].text}"
    return f"In {found['count']} {found['unit']} I shall write “{found['what'].strip()}”. /schedules lists it."


def answer_recall_memories(found: "re.Match[str]", state: DemoState) -> DemoReply | str:
    results = state.results_of_tool("memory_search")
    return f"~~~~\n{results[-1].text}\n~~~~" if results else make_call_reply("memory_search")


def answer_about_file(found: "re.Match[str]", state: DemoState) -> str:
    return (
        f"Your file has arrived: {found['file']}. I am only a script and cannot read it; with an API key, Claude would."
    )


def answer_arithmetic(found: "re.Match[str]", state: DemoState) -> str:
    first, second, sign = int(found["first"]), int(found["second"]), found["sign"]
    result = {"+": first + second, "-": first - second, "*": first * second}[sign]
    return f"{first} {sign} {second} = {result:,}"


# The roles


def report_page_outline(found: "re.Match[str]", state: DemoState) -> DemoReply | str:
    """Read a page to its end, post an update, and report the outline."""
    page = read_on_or_outline_page(found[1], found[1], state)
    if not isinstance(page, pages.PageOutline):
        return page
    update = f"{page.path} has {page.line_count:,} lines under {len(page.headings)} headings."
    if "message" in state.tool_names and not state.results_of_tool("message"):
        return make_call_reply("message", text=update)
    if not state.later_text:
        return page.as_report()
    return (
        f"{page.as_report()}\nI was told: “{last_words_of(state.later_text)}” I am only a script, so I report the same."
    )


def answer_person_directly(found: "re.Match[str]", state: DemoState) -> str:
    """Answer a person who writes to a role that has ended."""
    return f"I was told: “{last_words_of(state.request_text)}” I am only a script, so my report stays as it is."


def last_words_of(text: str) -> str:
    """Return the last line, without the name of the person before it. Below a quote there is none before it."""
    line = text.rpartition("\n")[2]
    name_or_words, _, words = ("", "", line) if line.startswith(" ") else line.partition(": ")
    return (words or name_or_words).strip()


# For the lead and the roles


def page_path_or_typed_name(name: str) -> str:
    """Return the path of the file that the person means."""
    plain = name.lstrip(" \t\n,;:!?`'\"").rstrip(" \t\n.,;:!?`'\"")  # keep a leading full stop, as in .gitignore
    plain = plain.removeprefix("the ").removesuffix(" page").removesuffix(" file").strip()
    return PAGE_PATHS_BY_NAME.get(plain.casefold(), plain)


DemoRule = Callable[["re.Match[str]", DemoState], DemoReply | str] | str  # a text is a fixed answer

LEAD_RULES: tuple[tuple[str, DemoRule], ...] = (
    (re.escape(model.SUMMARISE[:40]), CONVERSATION_SUMMARY_REPLY),
    (DO_TASK_AGAIN_PATTERN, answer_do_task_again),
    (
        rf"\A(?P<order>[^\n]*\b(?:{SUM_UP_PATTERN}\b|{GERMAN_SUM_UP_PATTERN})[^\n:]*)(?::[ \t]|:?\s*\n)"
        r"\s*(?P<text>\S(?s:.*))",
        answer_summarise_text,
    ),
    (
        r"\bremind me in (?P<count>\d{1,4}) (?P<unit>(?:second|minute|hour)s?)\b,? (?:to |that |about |of )?"
        r"(?P<what>\S[^\n]*)",
        answer_remind,
    ),
    # Before `remember that`, so that a question is not saved as a fact
    (r"\bwhat do you know\b|\bdo you (?:still )?remember\b", answer_recall_memories),
    (r"\bremember (?:that )?(?P<fact>\S[^\n]*)", answer_remember_fact),
    (r"\bcompare (?P<first>.+?) (?:and|with|to) (?P<second>[^\n]+)", answer_compare_pages),
    (r"\bgedicht\b", GERMAN_POEM_REPLY),
    (r"\b(?:haiku|poem|limerick|verse)\b", HAIKU_REPLY),
    (r"\bjoke\b", JOKE_REPLY),
    (r"\b(?:write|edit|delete|change|create) ", NO_WRITING_REPLY),
    (rf"\b{GERMAN_SUM_UP_PATTERN}", answer_read_page),
    (rf"^\W*{SUM_UP_PATTERN}\W*$", WHAT_TO_READ_REPLY),
    (rf"\b(?:{SUM_UP_PATTERN}|read|show|open) (?!me\b|us\b)(?P<file>(?:the )?\S+(?: page| file)?)", answer_read_page),
    (r"^(?:list|ls)(?: (?P<folder>\S+))?", answer_list_folder),
    (r"\bask me\b", answer_by_asking_person),
    (ATTACHED_PATTERN, answer_about_file),
    (r"(?P<first>\b\d{1,9})\s*(?P<sign>[-+*])\s*(?P<second>\d{1,9}\b)", answer_arithmetic),
    (r"\b(?:cost|costs|price|free|expensive)\b", ABOUT_COST_REPLY),
    (
        r"\b(?:hallo|guten|moin|servus|danke|bitte|wer bist|was kannst|wie geht|ich|kannst du)\b"
        r"|\b(?:erstelle?|schreibe?|deutsch|german)\b",
        GERMAN_REPLY,
    ),
    (r"\bhow are you\b", HOW_ARE_YOU_REPLY),
    (r"\b(?:help|what can|what do you|who are|what are|demo)\b", ABOUT_DEMO_REPLY),
    (r"\b(?:weather|time|date|today|news|latest|search|look up|google)\b", NO_WEB_REPLY),
    (r"\b(?:key|claude)\b", ABOUT_KEY_REPLY),
    (r"^\W*(?:hello|hi|hey|good (?:morning|afternoon|evening)|/start)\b", HELLO_REPLY),
    (r"\b(?:thanks|thank you|thx|cheers)\b", THANKS_REPLY),
)
ROLE_RULES: tuple[tuple[str, DemoRule], ...] = (
    (WRITTEN_DIRECTLY_PATTERN, answer_person_directly),
    (r"Read (\S+) and report", report_page_outline),
)
