"""Two hundred answers as a model writes them: twenty shapes, each about ten subjects. Nothing is random."""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Subject:
    name: str
    language: str
    code: str
    link: str
    words: str  # a sentence
    far: str  # a sentence in another script, or with characters that are easily damaged


SUBJECTS = (
    Subject(
        "snake_case names",
        "python",
        "def read_all(path: str) -> list[str]:\n    return [line for line in open(path)]",
        "https://docs.example.org/pep_8/#names__and_more?x=1&y=_2_",
        "A name in `snake_case` keeps its underscores, as in `my_var_name` and __init__.",
        "Umlauts: äöü ß, and “quotes”.",
    ),
    Subject(
        "pipes in shells",
        "bash",
        "cat *.log | grep -v '^#' | sort | uniq -c | sort -rn | head -n 5\necho \"$HOME/bin:$PATH\"",
        "https://example.org/a/b_c/d*e*f",
        "Each `|` hands the output on; `||` and `&&` decide by the exit status.",
        "Prices: $5 to $10, 50 % off, 3 < 4 > 2 & more.",
    ),
    Subject(
        "JSON bodies",
        "json",
        '{"name": "Ann", "tags": ["a_b", "*c*"], "nested": {"x": null}}',
        "https://api.example.org/v1/items?filter[name]=a&sort=-date",
        "Keys are strings; a trailing comma is an error.",
        "日本語の文章です。改行はありません。",
    ),
    Subject(
        "generics",
        "java",
        "Map<String, List<Integer>> byName = new HashMap<>();\nfor (var e : byName.entrySet()) { use(e); }",
        "https://example.org/List<String>/docs".replace("<", "%3C").replace(">", "%3E"),
        "Write `List<String>`, never a raw `List`.",
        "مرحبا بالعالم، هذا نص عربي.",
    ),
    Subject(
        "SQL joins",
        "sql",
        "SELECT a.id, count(*) AS n\nFROM a LEFT JOIN b ON b.a_id = a.id\nGROUP BY a.id HAVING count(*) > 1;",
        "https://example.org/wiki/Join_(SQL)",
        "A LEFT JOIN keeps the rows of `a` that have none in `b`.",
        "Эмодзи: 👍🏽 👩‍👩‍👧‍👦 🇩🇪 и текст.",
    ),
    Subject(
        "regular expressions",
        "text",
        r"^(\d{4})-(\d\d)-(\d\d)T[\w.:]+Z?$",
        "https://regex.example.org/?e=^%5Ba-z%5D%2B$",
        r"`\d+` matches digits; `.*?` stops early; `[^\]]` is everything but a bracket.",
        "Signs: * _ ~ ` > # + - = | { } . ! alone.",
    ),
    Subject(
        "diffs",
        "diff",
        "--- a/config.py\n+++ b/config.py\n@@ -1,2 +1,2 @@\n-DEBUG = True\n+DEBUG = False",
        "https://git.example.org/repo/-/compare/v1.0...v1.1",
        "Lines with `-` go, lines with `+` come.",
        "Ελληνικά γράμματα και λέξεις.",
    ),
    Subject(
        "HTML in text",
        "html",
        '<ul class="menu">\n  <li><a href="/x?a=1&amp;b=2">x</a></li>\n</ul>',
        "https://html.example.org/#the-a-element",
        "The `<br>` element has no end tag, and <details> folds.",
        "한국어 문장입니다.",
    ),
    Subject(
        "dates",
        "python",
        "from datetime import UTC, datetime\nprint(datetime.now(UTC).isoformat())",
        "https://example.org/time/2026-11-22T10:00:00+01:00",
        "Write 2026-11-22, not 22/11/26; ranges as 10:00 to 11:30.",
        "E-mail: ann@example.org, and #channels, @names.",
    ),
    Subject(
        "long lines",
        "text",
        "x" * 300,
        "https://example.org/" + "long_segment/" * 20,
        "Some lines are longer than a screen is wide, and so is this one, which goes on for a while to be so. " * 3,
        "ไทย: ภาษาไทยไม่มีช่องว่างระหว่างคำ",
    ),
)


def fence(subject: Subject) -> str:
    return f"```{subject.language}\n{subject.code}\n```"


def shapes(s: Subject) -> Iterator[str]:
    link = f"[{s.name}]({s.link})"
    yield f"{s.words} {s.far}"
    yield f"**{s.name}**: {s.words}\n\nSee {link} for more."
    yield f"# {s.name}\n\n{s.words}\n\n## An example\n\n{fence(s)}\n\n## And then\n\n{s.far}"
    yield f"{s.words}\n\n{fence(s)}\n\nThat is all there is to {link}."
    yield f"- {s.words}\n- *{s.name}*\n- {s.far}\n- See {link}"
    yield f"1. {s.words}\n2. {s.name}\n   - deeper: {s.far}\n   - and {link}\n3. Done."
    yield f"| what | about |\n|---|---|\n| {s.name} | one |\n| other | two |\n\n{s.far}"
    yield f"> {s.words}\n> {s.far}\n\nSo it is said in {link}."
    yield f"Yes.\n\n{s.far}\n\n---\n\n*{s.name}* is what you want: {link}."
    yield f"Look at {s.link} first. Then read {s.link} again."
    yield f"{fence(s)}\n{fence(s)}"
    yield f"1. First:\n\n   {fence(s).replace(chr(10), chr(10) + '   ')}\n\n2. Then: {s.words}"
    yield "\n\n".join(f"{n}. paragraph about {s.name}. {s.words} {s.far}" for n in range(30))
    yield f"{s.words}\n\n" + "\n".join(f"- point {n}: {s.far}" for n in range(60))
    yield f"### {s.name}\n" + "\n".join(f"- [ ] step {n} of {s.name}" for n in range(20))
    yield f"{fence(s)}\n\n" + f"{s.words} " * 40 + f"\n\n{link}"
    yield f"```{s.language}\n" + f"{s.code}\n" * 60 + f"```\n\n{s.far}"
    yield f"**Short answer:** {s.far}\n\n**Long answer:** {s.words}\n\n**Sources:** {link}, {link}"
    yield f"~~{s.name}~~ no longer; _{s.far}_\n\nLine one\\\nline two\nline three"
    yield "\n".join(f"{s.far} {n}" for n in range(150)) + f"\n\n{link}"


ANSWERS = [answer for subject in SUBJECTS for answer in shapes(subject)]
