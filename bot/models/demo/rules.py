"""The demo's rules, in one table: the person's words choose the rule, the results so far decide its next step."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bot.core.texts import model
from bot.models.demo import pages
from bot.models.demo.state import DemoScene

READ_TASK = "Read {path} and report its length, its headings and how it begins."  # from the demo's lead to its roles
PAGE_NAMES = {"readme": "README.md", "design": "docs/architecture.md", "architecture": "docs/architecture.md"}
NAME_SEPARATORS = r"\s*,\s*(?:and\s+)?|\s+(?:and|with|to)\s+"
SUM_UP = r"(?:summari[sz]e|sum up)"
GERMAN_SUM_UP = r"fass(?:e|t)?\s+(?:bitte\s+)?(?:(?:die|das|den)\s+)?(?P<file>\S+)[^\n]*\bzusammen"
VAGUE_NAMES = {"this", "that", "it", "these", "them", "my", "text", "notes", "das", "dies", "diesen", "diese"}
POLITE = re.compile(r"[\s,]*\b(?:please|thanks|thank you)\W*$", re.IGNORECASE)  # at the end of a question
READERS = ("researcher", "analyst", "summarizer")  # the roles that read the pages, in this order
FACTS_LINE = re.compile(r"^delegation \S+ · [^\n]*\n")  # the first line of a report
COUNTS = {2: "two", 3: "three"}

HELLO = """Hello! I am the demo: a script in the place of the model; all around me is real. With an API key Claude \
would answer here.
Try `compare the README and the design page`, or ask what I can do."""
ABOUT = """I am the demo: a script with a few rules. The roles, the tools on real files and the store that survives \
`kill -9` are real.
Try: `compare the README and the design page` (two roles at work), `read docs/architecture.md`, `list docs`, \
`remember that I like tea`, `ask me something`, `/status`, `/usage`.
With a key of your own Claude answers instead of me: ask me about the key."""
ABOUT_KEY = """To talk to Claude instead of me: `export ANTHROPIC_API_KEY=sk-ant-…` and start again, or put the key \
into `config.json` as `model.api_key`. `model.base_url` names any other server that speaks the Anthropic Messages \
API."""
NO_RULE = """I am only a script, and have no rule for that. `help` tells what I can do; with an API key, Claude would \
answer here."""
WHAT_TO_READ = """What shall I read? Name a page, as in `summarize README.md`; or send a text below these words, as \
`retinue chat -m "summarize this" < notes.txt` does."""
NOBODY_ANSWERED = "I asked which colour I shall name, and nobody answered. In `retinue chat` you can: ask me there."
GEDICHT = """Ein Skript ohne Witz
zählt dir jede Zeile vor:
siebzehn, und dann Schluss."""
HAIKU = """A script without wit
counts the lines of every page:
seventeen, and done."""
SUMMARY = "The person has tried the demo. Nothing is open."
THANKS = "You are welcome. It cost nothing, too: I am only the demo."
JOKE = "Why did the script cross the road? There was a rule for it. (Claude tells better ones.)"
HOW_I_AM = "I run by rules, and all of them hold: thank you. What shall I read or compare for you?"
ABOUT_COST = (
    "Nothing: I am a script. With Claude it depends on the model; `/usage` tells it at any time, and limits cap it."
)
NO_WEB = "I look nothing up, neither the time nor the web: I am only a script. With an API key, Claude would."
GERMAN = """Hallo! Ich bin die Demo: ein Skript an der Stelle des Modells, und meine Regeln sind englisch. Mit einem \
API-Schlüssel antwortet hier Claude, auch auf Deutsch.
Versuchen Sie `compare the README and the design page` oder `read README.md`."""
NO_WRITING = (
    "In the demo the workspace is Retinue's own folder, to be read and not written: I have no tool that changes things."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoLine:
    """The demo's next reply: its text, and its tool calls as names with arguments."""

    text: str = ""
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()


def call(tool: str, **arguments: Any) -> DemoLine:
    return DemoLine(calls=((tool, arguments),))


def next_demo_line(scene: DemoScene) -> DemoLine:
    """Return the next line of a scene, from the first rule that matches the person's words."""
    said: DemoLine | str = NO_RULE if scene.is_lead else f"I am a script, and do not know how to do this: {scene.asked}"
    for pattern, rule in LEAD_RULES if scene.is_lead else ROLE_RULES:
        if found := re.search(pattern, scene.asked, re.IGNORECASE):
            said = rule if isinstance(rule, str) else rule(found, scene)
            break
    line = DemoLine(text=said) if isinstance(said, str) else said
    if scene.is_lead and scene.later and not line.calls:
        later = f"(You also wrote “{scene.later}”. Say it again: I do one thing at a time.)"
        return DemoLine(text=f"{line.text}\n\n{later}")
    return line


def read_page(path: str, what: str, scene: DemoScene) -> DemoLine | str | pages.PageOutline:
    """Return the outline of a page, or the call that reads on, or an apology that `what` cannot be read."""
    results = scene.results_of_tool("read_file")
    if not results:
        return call("read_file", path=path)
    if results[-1].is_error:
        return f"I could not read {what}: {results[-1].text}"
    if more := pages.next_offset(results[-1].text):
        return call("read_file", path=path, offset=more)
    return pages.make_outline(path, pages.join_page_parts([result.text for result in results]))


# The lead


def answer_compare(found: "re.Match[str]", scene: DemoScene) -> DemoLine | str:
    names = re.split(NAME_SEPARATORS, f"{found['first']} and {POLITE.sub('', found['second'])}")
    paths = [path for name in names if (path := resolve_page(name))]
    if len(paths) < min(COUNTS):
        return "Name two pages, or three: `compare the README and the design page`."
    if len(paths) > len(READERS):
        return f"I can compare {COUNTS[len(READERS)]} pages at once, and no more."
    reports = scene.results_of_tool("delegate")
    if not reports:
        if "delegate" not in scene.tools:
            return f"I would give this to {COUNTS[len(paths)]} roles, but delegation is switched off here."
        text = f"{COUNTS[len(paths)].capitalize()} roles read {', '.join(paths[:-1])} and {paths[-1]} side by side."
        tasks = [READ_TASK.format(path=path) for path in paths]
        briefs = [{"role": role, "task": task} for role, task in zip(READERS, tasks, strict=False)]
        return DemoLine(text=text, calls=tuple(("delegate", brief) for brief in briefs))
    outlines = [outline for report in reports if (outline := pages.PageOutline.parse(report.text))]
    if len(outlines) != len(paths):
        told = "\n".join(f"- {' '.join(FACTS_LINE.sub('', report.text).split())}" for report in reports)
        return f"That cannot be compared. This is what the roles said:\n{told}"
    return pages.compare_outlines(outlines)


def answer_summarise_text(found: "re.Match[str]", scene: DemoScene) -> DemoLine | str:
    """Sum up the text that came with the message, or the page that is named before it."""
    named = re.search(rf"{SUM_UP} (?P<file>(?:the )?\S+)", found["order"], re.IGNORECASE)
    path = resolve_page(named["file"]) if named else ""
    if named and ("." in path or "/" in path):
        return answer_read(named, scene)
    return pages.summarise_text(found["text"])


def answer_read(found: "re.Match[str]", scene: DemoScene) -> DemoLine | str:
    path = resolve_page(found["file"])
    if path.casefold() in VAGUE_NAMES:
        return WHAT_TO_READ
    page = read_page(path, "it", scene)
    return pages.summarise_page(page) if isinstance(page, pages.PageOutline) else page


def answer_list(found: "re.Match[str]", scene: DemoScene) -> DemoLine | str:
    if not (results := scene.results_of_tool("list_dir")):
        return call("list_dir", path=found["folder"] or ".")
    if results[-1].is_error:
        return f"I could not list it: {results[-1].text}"
    return f"~~~~\n{results[-1].text.rstrip()}\n~~~~"


def answer_ask(found: "re.Match[str]", scene: DemoScene) -> DemoLine | str:
    if not (answers := scene.results_of_tool("ask_person")):
        options = ["Red", "Green", "Blue"]
        return call("ask_person", question="Which colour shall I name?", options=options, default="Green")
    if answers[-1].text.startswith((model.NOBODY_ANSWERS, model.NOT_ANSWERED_WITH_DEFAULT(default=""))):
        return NOBODY_ANSWERED
    return f"You said: **{answers[-1].text}**. That is all I wanted to know."


def answer_remember(found: "re.Match[str]", scene: DemoScene) -> DemoLine | str:
    if not (results := scene.results_of_tool("memory_save")):
        return call("memory_save", text=found["fact"].strip())
    return f"I could not: {results[-1].text}" if results[-1].is_error else f"It is {results[-1].text}."


def answer_recall(found: "re.Match[str]", scene: DemoScene) -> DemoLine | str:
    results = scene.results_of_tool("memory_search")
    return f"~~~~\n{results[-1].text}\n~~~~" if results else call("memory_search")


def answer_arithmetic(found: "re.Match[str]", scene: DemoScene) -> str:
    first, second, sign = int(found["first"]), int(found["second"]), found["sign"]
    result = {"+": first + second, "-": first - second, "*": first * second}[sign]
    return f"{first} {sign} {second} = {result:,}"


# The roles


def study_page(found: "re.Match[str]", scene: DemoScene) -> DemoLine | str:
    """Read a page to its end, post an update, and report the outline."""
    page = read_page(found[1], found[1], scene)
    if not isinstance(page, pages.PageOutline):
        return page
    update = f"{page.path} has {page.lines:,} lines under {len(page.headings)} headings."
    if "message" in scene.tools and not scene.results_of_tool("message"):
        return call("message", text=update)
    return page.as_report()


# For the lead and the roles


def resolve_page(name: str) -> str:
    """Return the path of the file that the person means."""
    plain = name.lstrip(" \t\n,;:!?`'\"").rstrip(" \t\n.,;:!?`'\"")  # keep a leading full stop, as in .gitignore
    plain = plain.removeprefix("the ").removesuffix(" page").removesuffix(" file").strip()
    return PAGE_NAMES.get(plain.casefold(), plain)


DemoRule = Callable[["re.Match[str]", DemoScene], DemoLine | str] | str  # a text is a fixed answer

LEAD_RULES: tuple[tuple[str, DemoRule], ...] = (
    (re.escape(model.SUMMARISE[:40]), SUMMARY),
    (
        rf"\A(?P<order>[^\n]*\b(?:{SUM_UP}\b|{GERMAN_SUM_UP})[^\n:]*)(?::[ \t]|:?\s*\n)\s*(?P<text>\S(?s:.*))",
        answer_summarise_text,
    ),
    # Before `remember that`, so that a question is not saved as a fact
    (r"\bwhat do you know\b|\bdo you (?:still )?remember\b", answer_recall),
    (r"\bremember (?:that )?(?P<fact>\S[^\n]*)", answer_remember),
    (r"\bcompare (?P<first>.+?) (?:and|with|to) (?P<second>[^\n]+)", answer_compare),
    (r"\bgedicht\b", GEDICHT),
    (r"\b(?:haiku|poem|limerick|verse)\b", HAIKU),
    (r"\bjoke\b", JOKE),
    (r"\b(?:write|edit|delete|change|create) ", NO_WRITING),
    (rf"\b{GERMAN_SUM_UP}", answer_read),
    (rf"^\W*{SUM_UP}\W*$", WHAT_TO_READ),
    (rf"\b(?:{SUM_UP}|read|show|open) (?!me\b|us\b)(?P<file>(?:the )?\S+(?: page| file)?)", answer_read),
    (r"^(?:list|ls)(?: (?P<folder>\S+))?", answer_list),
    (r"\bask me\b", answer_ask),
    (r"(?P<first>\b\d{1,9})\s*(?P<sign>[-+*])\s*(?P<second>\d{1,9}\b)", answer_arithmetic),
    (r"\b(?:cost|costs|price|free|expensive)\b", ABOUT_COST),
    (
        r"\b(?:hallo|guten|moin|servus|danke|bitte|wer bist|was kannst|wie geht|ich|kannst du)\b"
        r"|\b(?:erstelle?|schreibe?|deutsch|german)\b",
        GERMAN,
    ),
    (r"\bhow are you\b", HOW_I_AM),
    (r"\b(?:help|what can|what do you|who are|what are|demo)\b", ABOUT),
    (r"\b(?:weather|time|date|today|news|latest|search|look up|google)\b", NO_WEB),
    (r"\b(?:key|claude)\b", ABOUT_KEY),
    (r"^\W*(?:hello|hi|hey|good (?:morning|afternoon|evening)|/start)\b", HELLO),
    (r"\b(?:thanks|thank you|thx|cheers)\b", THANKS),
)
ROLE_RULES: tuple[tuple[str, DemoRule], ...] = ((r"Read (\S+) and report", study_page),)
