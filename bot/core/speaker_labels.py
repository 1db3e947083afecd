"""Labels say who speaks, `[Researcher]: …`: only channels put them on, and no text may look as if it had one."""

# ruff: noqa: RUF001  # the letters below are ambiguous: that is the point

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator

from bot.core.texts import model

AD_HOC = "ad hoc: "  # how the name of a role begins that nobody defined
OPENING, CLOSING = r"\[［【〔〖⟦", r"\]］】〕〗⟧"  # brackets, and what looks like them
# A label in three steps, each of which passes over a line once: one pattern of all would look again and again at a line
# of opening brackets, for hours at a long one.
OPENING_RUN, CLOSING_RUN = re.compile(rf"(?<!\w)[{OPENING}]++"), re.compile(rf"[{CLOSING}]++")
COLON = re.compile(r"[^\w\n]{0,20}?[:：﹕︓∶꞉ː]")
MOST_LABEL_CHARACTERS = 80  # characters between the brackets

# Names that people take for the owner's or our own. Each platform declares those that they take for the platform's.
REFUSED_NAMES = (
    "admin administrator anthropic claude moderator official operator owner retinue staff support system verified"
)
# Letters of other scripts by the Latin ones that they are taken for.
LOOKALIKES = str.maketrans(
    "аеорсухікмнтвгјѕһԁԛԝьαβεζηικμνορτυχωӏ0135",
    "aeopcyxikmhtbrjshdqwbabeznikuvoptuxwlolss",
)
SCRIPT_FAMILIES = {
    "HIRAGANA": "CJK",
    "KATAKANA": "CJK",
    "HANGUL": "CJK",
    "BOPOMOFO": "CJK",
}  # scripts that are written together


def without_false_labels(text: str) -> str:
    """The text, with round brackets wherever something in it would pass for a label."""
    if "&" not in text and not CLOSING_RUN.search(text):
        return text
    return "\n".join(map(clean_line, text.split("\n")))


def clean_line(line: str) -> str:
    plain = html.unescape(line) if "&" in line else line  # Markdown knows these too
    done, at = list[str](), 0
    for begin, inner, end in find_labels(plain):
        if any(sign.isalpha() for sign in inner):  # else it is a number, or a box to tick
            done += [plain[at:begin], f"({re.sub(f'[{OPENING}]', '', inner)})"]
            at = end
    return "".join([*done, plain[at:]]) if done else line


def find_labels(line: str) -> Iterator[tuple[int, str, int]]:
    """Where something begins that looks like a label, what stands between its brackets, and where it ends."""
    at = 0
    for closed in CLOSING_RUN.finditer(line):
        first = closed.start() - MOST_LABEL_CHARACTERS
        if COLON.match(line, closed.end()):
            opened = next(
                (each for each in OPENING_RUN.finditer(line, at, closed.start()) if each.end() >= first), None
            )
            if opened:
                yield opened.start(), line[opened.end() : closed.start()], closed.end()
        at = closed.end()


def without_label(text: str, role: str) -> str:
    """Return the text without its role's label if the model typed it, in any case and any number of times."""
    names = "|".join(map(re.escape, sorted({role, without_ad_hoc(role)}, key=len, reverse=True)))
    return re.sub(rf"\A(\s*\[({names})\]\s*:)+\s*", "", text, count=1, flags=re.IGNORECASE)


def without_ad_hoc(role: str) -> str:
    """A role's name as the model gave it."""
    return role[len(AD_HOC) :] if role.casefold().startswith(AD_HOC) else role


def find_name_flaw(name: str, roles: frozenset[str], official_names: Iterable[str]) -> str:
    """Return why no role that nobody defined can have that name; empty if one can.

    `roles` are the roles that somebody defined. `official_names` are what people take for the platforms' own.
    """
    if unicodedata.normalize("NFKC", name) != name:
        return model.NAME_NOT_PLAIN
    if len({script_of(sign) for sign in name if sign.isalpha()}) > 1:
        return model.NAME_IN_TWO_SCRIPTS
    taken = {lookalike_key(role) for role in roles}
    if lookalike_key(name) in taken:
        return model.NAME_LIKE_A_ROLE
    refused = {lookalike_key(word) for word in (*REFUSED_NAMES.split(), *official_names)}
    if any(lookalike_key(word) in refused for word in re.split(r"[ -]+", name)):
        return model.NAME_LIKE_SOMEBODY
    return ""


def script_of(letter: str) -> str:
    script = unicodedata.name(letter, "UNKNOWN").partition(" ")[0]
    return SCRIPT_FAMILIES.get(script, script)


def lookalike_key(name: str) -> str:
    """The same for names that look alike."""
    return unicodedata.normalize("NFKD", name).casefold().translate(LOOKALIKES)
