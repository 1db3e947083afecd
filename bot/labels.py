"""Labels say who speaks, `[Researcher]: …`: only channels put them on, and no text may look as if it had one."""

# ruff: noqa: RUF001  # the letters below are ambiguous: that is the point

import html
import re
import unicodedata

AD_HOC = "ad hoc: "  # how the name of a role begins that nobody defined
OPENING, CLOSING = r"\[［【〔〖⟦", r"\]］】〕〗⟧"  # brackets, and what looks like them
FALSE_LABEL = re.compile(rf"(?<!\w)[{OPENING}]+([^{CLOSING}\n]{{1,80}})[{CLOSING}]+(?=[^\w\n]{{0,20}}?[:：﹕︓∶꞉ː])")

# Names that people take for the platform's, the owner's or our own.
REFUSED = (
    "admin administrator anthropic botfather claude discord moderator official operator owner retinue staff support "
    "system telegram verified"
)
# Letters of other scripts by the Latin ones that they are taken for.
LOOKALIKES = str.maketrans(
    "аеорсухікмнтвгјѕһԁԛԝьαβεζηικμνορτυχωӏ0135",
    "aeopcyxikmhtbrjshdqwbabeznikuvoptuxwlolss",
)
ALONE = {"HIRAGANA": "CJK", "KATAKANA": "CJK", "HANGUL": "CJK", "BOPOMOFO": "CJK"}  # scripts that are written together


def without_false_labels(text: str) -> str:
    """The text, with round brackets wherever something in it would pass for a label."""
    return "\n".join(map(line_without, text.split("\n")))


def line_without(line: str) -> str:
    plain = html.unescape(line) if "&" in line else line  # Markdown knows these too
    changed = FALSE_LABEL.sub(in_round_brackets, plain)
    return line if changed == plain else changed


def in_round_brackets(found: re.Match[str]) -> str:
    inner = found[1]
    if not any(sign.isalpha() for sign in inner):  # a number, a box to tick
        return found[0]
    return f"({re.sub(f'[{OPENING}]', '', inner)})"


def without_label(text: str, role: str) -> str:
    """A text without its role's label, where the model typed it, in whatever case and however often."""
    names = "|".join(map(re.escape, sorted({role, bare(role)}, key=len, reverse=True)))
    return re.sub(rf"\A(\s*\[({names})\]\s*:)+\s*", "", text, count=1, flags=re.IGNORECASE)


def bare(role: str) -> str:
    """A role's name as the model gave it."""
    return role[len(AD_HOC) :] if role.casefold().startswith(AD_HOC) else role


def flaw_of_name(name: str, roles: frozenset[str]) -> str:
    """Why nobody can play a role of that name that nobody defined; empty if somebody can. `roles`: those that somebody
    defined."""
    if unicodedata.normalize("NFKC", name) != name:
        return "write it in plain letters"
    if len({script_of(sign) for sign in name if sign.isalpha()}) > 1:
        return "write it in one script"
    taken = {skeleton(role) for role in roles}
    if skeleton(name) in taken:
        return "it looks like the name of another role"
    if any(skeleton(word) in set(map(skeleton, REFUSED.split())) for word in re.split(r"[ -]+", name)):
        return "people would take it for somebody else"
    return ""


def script_of(letter: str) -> str:
    script = unicodedata.name(letter, "UNKNOWN").partition(" ")[0]
    return ALONE.get(script, script)


def skeleton(name: str) -> str:
    """The same for names that look alike."""
    return unicodedata.normalize("NFKD", name).casefold().translate(LOOKALIKES)
