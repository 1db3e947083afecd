"""The demo's rules, in one table: what is written decides which holds, what has happened since what comes next."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bot.channel import NOBODY_ANSWERS
from bot.demo import pages
from bot.demo.scene import Result, Scene
from bot.texts import model

READ = re.compile(r"Read (\S+) and report")  # how the demo's lead words a task, and the demo's roles understand it
PLACES = {"readme": "README.md", "design": "docs/architecture.md", "architecture": "docs/architecture.md"}
AND = r"\s*,\s*(?:and\s+)?|\s+(?:and|with|to)\s+"
SUM_UP = r"(?:summari[sz]e|sum up)"
FASSE = r"fass(?:e|t)?\s+(?:bitte\s+)?(?:(?:die|das|den)\s+)?(?P<datei>\S+)[^\n]*\bzusammen"
UNNAMED = {"this", "that", "it", "these", "them", "my", "text", "notes", "das", "dies", "diesen", "diese"}
POLITE = re.compile(r"[\s,]*\b(?:please|thanks|thank you)\W*$", re.IGNORECASE)  # the end of what is asked
READERS = ("researcher", "analyst", "summarizer")  # who read the pages, in this order
FACTS = re.compile(r"^delegation \S+ · [^\n]*\n")  # how a report begins
COUNTS = {2: "two", 3: "three"}

HELLO = """Hello! I am the demo: a script in the place of the model; all around me is real. With an API key Claude \
would answer here.
Try `compare the README and the design page`, or ask what I can do."""
ABOUT = """I am the demo: a script with a few rules. The roles, the tools on real files and the store that survives \
`kill -9` are real.
Try: `compare the README and the design page` (two roles at work), `read docs/architecture.md`, `list docs`, \
`remember that I like tea`, `ask me something`, `/status`, `/usage`.
With a key of your own Claude answers instead of me: ask me about the key."""
KEY = """To talk to Claude instead of me: `export ANTHROPIC_API_KEY=sk-ant-…` and start again, or put the key into \
`config.json` as `model.api_key`. `model.base_url` names any other server that speaks the Anthropic Messages API."""
LOST = """I am only a script, and have no rule for that. `help` tells what I can do; with an API key, Claude would \
answer here."""
WHAT_TO_READ = """What shall I read? Name a page, as in `summarize README.md`; or send a text below these words, as \
`retinue chat -m "summarize this" < notes.txt` does."""
NOBODY = "I asked which colour I shall name, and nobody answered. In `retinue chat` you can: ask me there."
GEDICHT = """Ein Skript ohne Witz
zählt dir jede Zeile vor:
siebzehn, und dann Schluss."""
HAIKU = """A script without wit
counts the lines of every page:
seventeen, and done."""
THANKS = "You are welcome. It cost nothing, too: I am only the demo."
JOKE = "Why did the script cross the road? There was a rule for it. (Claude tells better ones.)"
WELL = "I run by rules, and all of them hold: thank you. What shall I read or compare for you?"
FREE = "Nothing: I am a script. With Claude it depends on the model; `/usage` tells it at any time, and limits cap it."
NO_WEB = "I look nothing up, neither the time nor the web: I am only a script. With an API key, Claude would."
GERMAN = """Hallo! Ich bin die Demo: ein Skript an der Stelle des Modells, und meine Regeln sind englisch. Mit einem \
API-Schlüssel antwortet hier Claude, auch auf Deutsch.
Versuchen Sie `compare the README and the design page` oder `read README.md`."""
WRITE = (
    "In the demo the workspace is Retinue's own folder, to be read and not written: I have no tool that changes things."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What the demo says next, and the tools it calls: names with their arguments."""

    text: str = ""
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()


def line(scene: Scene) -> Line:
    """The next line of a scene: of the first rule that its words fit."""
    for pattern, rule in LEAD if scene.is_lead else ROLE:
        if found := re.search(pattern, scene.asked, re.IGNORECASE):
            said = rule(found, scene)
            break
    else:
        said = Line(text=LOST if scene.is_lead else f"I am a script, and do not know how to do this: {scene.asked}")
    if scene.is_lead and scene.later and not said.calls:
        return Line(text=f"{said.text}\n\n(You also wrote “{scene.later}”. Say it again: I do one thing at a time.)")
    return said


# The lead


def compare(found: "re.Match[str]", scene: Scene) -> Line:
    second = POLITE.sub("", found["second"])
    paths = [path for name in re.split(AND, f"{found['first']} and {second}") if (path := place(name))]
    if len(paths) < min(COUNTS):
        return Line(text="Name two pages, or three: `compare the README and the design page`.")
    if len(paths) > len(READERS):
        return Line(text=f"I can compare {COUNTS[len(READERS)]} pages at once, and no more.")
    reports = scene.of("delegate")
    if not reports:
        if "delegate" not in scene.tools:
            return Line(text=f"I would give this to {COUNTS[len(paths)]} roles, but delegation is switched off here.")
        return Line(
            text=f"{COUNTS[len(paths)].capitalize()} roles read {pages.enumerated(paths)} side by side.",
            calls=tuple(("delegate", task(role, path)) for role, path in zip(READERS, paths, strict=False)),
        )
    outlines = [outline for report in reports if (outline := pages.Outline.parse(report.text))]
    if len(outlines) != len(paths):
        told = "\n".join(f"- {said_in(report.text)}" for report in reports)
        return Line(text=f"That cannot be compared. This is what the roles said:\n{told}")
    return Line(text=pages.compared(outlines))


def said_in(report: str) -> str:
    """The words of a report on one line, without its line of facts."""
    return " ".join(FACTS.sub("", report).split())


def task(role: str, path: str) -> dict[str, Any]:
    return {"role": role, "task": f"Read {path} and report its length, its headings and how it begins."}


def digest(found: "re.Match[str]", scene: Scene) -> Line:
    """Sum up the text that came along; or the page, where one is named before it."""
    named = re.search(rf"{SUM_UP} (?P<file>(?:the )?\S+)", found["order"], re.IGNORECASE)
    if named and is_page(place(named["file"])):
        return read(named, scene)
    return Line(text=pages.digest(found["text"]))


def fasse(found: "re.Match[str]", scene: Scene) -> Line:
    return read_page(place(found["datei"]), scene)


def read(found: "re.Match[str]", scene: Scene) -> Line:
    return read_page(place(found["file"]), scene)


def read_page(path: str, scene: Scene) -> Line:
    if path.casefold() in UNNAMED:
        return Line(text=WHAT_TO_READ)
    if not (results := scene.of("read_file")):
        return Line(calls=(("read_file", {"path": path}),))
    if results[-1].is_error:
        return Line(text=f"I could not read it: {results[-1].text}")
    if more := unread(results):
        return Line(calls=(("read_file", {"path": path, "offset": more}),))
    outline = pages.outline(path, pages.whole([result.text for result in results]))
    return Line(text=pages.in_short(outline))


def list_(found: "re.Match[str]", scene: Scene) -> Line:
    folder = found["folder"] or "."
    if not (results := scene.of("list_dir")):
        return Line(calls=(("list_dir", {"path": folder}),))
    if results[-1].is_error:
        return Line(text=f"I could not list it: {results[-1].text}")
    return Line(text=f"~~~~\n{results[-1].text.rstrip()}\n~~~~")


def ask(found: "re.Match[str]", scene: Scene) -> Line:
    if not (answers := scene.of("ask_person")):
        colours = ["Red", "Green", "Blue"]
        question = {"question": "Which colour shall I name?", "options": colours, "default": "Green"}
        return Line(calls=(("ask_person", question),))
    if answers[-1].text.startswith((NOBODY_ANSWERS, model.NOT_ANSWERED_WITH_DEFAULT(default=""))):
        return Line(text=NOBODY)
    return Line(text=f"You said: **{answers[-1].text}**. That is all I wanted to know.")


def remember(found: "re.Match[str]", scene: Scene) -> Line:
    if not (results := scene.of("memory_save")):
        return Line(calls=(("memory_save", {"text": found["fact"].strip()}),))
    return Line(text=f"I could not: {results[-1].text}" if results[-1].is_error else f"It is {results[-1].text}.")


def recall(found: "re.Match[str]", scene: Scene) -> Line:
    if not (results := scene.of("memory_search")):
        return Line(calls=(("memory_search", {}),))
    return Line(text=f"~~~~\n{results[-1].text}\n~~~~")


def reckon(found: "re.Match[str]", scene: Scene) -> Line:
    first, second, sign = int(found["first"]), int(found["second"]), found["sign"]
    result = {"+": first + second, "-": first - second, "*": first * second}[sign]
    return Line(text=f"{first} {sign} {second} = {result:,}")


def says(text: str) -> Callable[["re.Match[str]", Scene], Line]:
    return lambda found, scene: Line(text=text)


def summarise(found: "re.Match[str]", scene: Scene) -> Line:
    return Line(text="The person has tried the demo. Nothing is open.")


# The roles


def study(found: "re.Match[str]", scene: Scene) -> Line:
    """Read a page to its end, post what was found, report it."""
    path, results = found[1], scene.of("read_file")
    if not results:
        return Line(calls=(("read_file", {"path": path}),))
    if results[-1].is_error:
        return Line(text=f"I could not read {path}: {results[-1].text}")
    if more := unread(results):
        return Line(calls=(("read_file", {"path": path, "offset": more}),))
    outline = pages.outline(path, pages.whole([result.text for result in results]))
    update = f"{path} has {outline.lines:,} lines under {len(outline.headings)} headings."
    calls = post(scene, update)
    if calls and not scene.of("message"):
        return Line(calls=calls)
    return Line(text=outline.report())


def post(scene: Scene, text: str) -> tuple[tuple[str, dict[str, Any]], ...]:
    """A word to the person, where the role may say one."""
    return (("message", {"text": text}),) if "message" in scene.tools else ()


# What both need


def unread(results: list[Result]) -> int | None:
    return pages.next_offset(results[-1].text)


def place(name: str) -> str:
    """The file that somebody means."""
    plain = name.lstrip(" \t\n,;:!?`'\"").rstrip(" \t\n.,;:!?`'\"")  # .gitignore begins with a full stop
    plain = plain.removeprefix("the ").removesuffix(" page").removesuffix(" file").strip()
    return PLACES.get(plain.casefold(), plain)


def is_page(path: str) -> bool:
    return "." in path or "/" in path


Rule = Callable[["re.Match[str]", Scene], Line]

LEAD: tuple[tuple[str, Rule], ...] = (
    (re.escape(model.SUMMARISE[:40]), summarise),
    (rf"\A(?P<order>[^\n]*\b(?:{SUM_UP}\b|{FASSE})[^\n:]*)(?::[ \t]|:?\s*\n)\s*(?P<text>\S(?s:.*))", digest),
    (r"\bwhat do you know\b|\bdo you (?:still )?remember\b", recall),  # that something is so, too: it is not saved
    (r"\bremember (?:that )?(?P<fact>\S[^\n]*)", remember),
    (r"\bcompare (?P<first>.+?) (?:and|with|to) (?P<second>[^\n]+)", compare),
    (r"\bgedicht\b", says(GEDICHT)),
    (r"\b(?:haiku|poem|limerick|verse)\b", says(HAIKU)),
    (r"\bjoke\b", says(JOKE)),
    (r"\b(?:write|edit|delete|change|create) ", says(WRITE)),
    (rf"\b{FASSE}", fasse),
    (rf"^\W*{SUM_UP}\W*$", says(WHAT_TO_READ)),
    (rf"\b(?:{SUM_UP}|read|show|open) (?!me\b|us\b)(?P<file>(?:the )?\S+(?: page| file)?)", read),
    (r"^(?:list|ls)(?: (?P<folder>\S+))?", list_),
    (r"\bask me\b", ask),
    (r"(?P<first>\b\d{1,9})\s*(?P<sign>[-+*])\s*(?P<second>\d{1,9}\b)", reckon),
    (r"\b(?:cost|costs|price|free|expensive)\b", says(FREE)),
    (
        r"\b(?:hallo|guten|moin|servus|danke|bitte|wer bist|was kannst|wie geht|ich|kannst du)\b"
        r"|\b(?:erstelle?|schreibe?|deutsch|german)\b",
        says(GERMAN),
    ),
    (r"\bhow are you\b", says(WELL)),
    (r"\b(?:help|what can|what do you|who are|what are|demo)\b", says(ABOUT)),
    (r"\b(?:weather|time|date|today|news|latest|search|look up|google)\b", says(NO_WEB)),
    (r"\b(?:key|claude)\b", says(KEY)),
    (r"^\W*(?:hello|hi|hey|good (?:morning|afternoon|evening)|/start)\b", says(HELLO)),
    (r"\b(?:thanks|thank you|thx|cheers)\b", says(THANKS)),
)
ROLE: tuple[tuple[str, Rule], ...] = ((READ.pattern, study),)
