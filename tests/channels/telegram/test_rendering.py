"""The model's Markdown in Telegram: what it looks like, and that nothing of it is lost, bent, or cut in two."""

import random
import re

import pytest
from wcwidth import iter_graphemes

from bot.core.messages import Address, OutboundId, OutboundKind, OutboundMessage, RoleName
from channels.telegram.rendering import (
    Entity,
    FormattedText,
    PartLimits,
    button_label,
    mark_text_as_repeat,
    render_markdown,
    render_message_parts,
    split_formatted_text,
    utf16_length,
)
from tests.stand_ins.telegram.errors import Json
from tests.stand_ins.telegram.texts import formatted, part
from tests.support.wording import REPEAT_MARK

RESEARCHER = RoleName("researcher")
LONG = "word " * 2_000


def said(
    text: str, kind: OutboundKind = OutboundKind.REPLY, role: RoleName | None = None, *options: str
) -> list[FormattedText]:
    address = Address(channel="telegram", chat="7")
    message = OutboundMessage(id=OutboundId("t1"), address=address, kind=kind, text=text, role=role, options=options)
    return list(render_message_parts(message))


def looks(text: str) -> list[tuple[str, str]]:
    """What looks in some way, and how."""
    (piece,) = said(text)
    return [(entity.type, part(piece.text, entity.offset, entity.length)) for entity in piece.entities]


def as_json(piece: FormattedText) -> list[Json]:
    fields = ({"type": e.type, "offset": e.offset, "length": e.length, "url": e.url} for e in piece.entities)
    return [{name: value for name, value in each.items() if value is not None} for each in fields]


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("**bold** and _it_", [("bold", "bold"), ("italic", "it")]),
        ("`code`", [("code", "code")]),
        ("```python\nx = 1\n```", [("pre", "x = 1")]),
        ("[here](https://example.org/a_b_c)", [("text_link", "here")]),
        ("> quoted", [("blockquote", "quoted")]),
        ("| a | b |\n|---|---|\n| 1 | 2 |", [("pre", "a | b\n--+--\n1 | 2")]),
        ("~~gone~~ ||hidden||", [("strikethrough", "gone"), ("spoiler", "hidden")]),
        ("||one\ntwo|| `||`", [("spoiler", "one\ntwo"), ("code", "||")]),
        ("😀 **after**", [("bold", "after")]),
        ("```\nnever closed", [("pre", "never closed")]),
    ],
)
def test_markdown_becomes_what_telegram_calls_entities(markdown: str, shown: list[tuple[str, str]]) -> None:
    assert looks(markdown) == shown


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("# Head\n\n- one\n- [ ] two\n- [x] three", "Head\n\n• one\n⬜ two\n✅ three"),
        ("1. one\n2. two", "1. one\n2. two"),
    ],
)
def test_headings_and_lists_look_plain(markdown: str, text: str) -> None:
    assert [piece.text.strip() for piece in said(markdown)] == [text]


@pytest.mark.parametrize(
    "text",
    [
        "a <b>tag</b>, a List<String>, and <name>",
        "<div>\nfoo\n</div>\n\n<!-- a comment -->\n\nend",
        "see https://a.example/_foo_/x?u=1*2*3&copy;=4",
        "say $HOME/bin:$PATH, not 5$ or $5 and $6",
        "run a || b || c",
        "[local](http://localhost:8080/x)",
        "[evil](javascript:alert) [near](other/page)",
        "a fact[^1]\n\n[^1]: note",
        "[1]: https://unused.example",
        "[](https://a.example) ![](https://a.example/p.png)",
        "snake_case and 2 * 3 * 4",
        "http://localhost:80/_x_",
        "$$$$ and $$ $$",
        "||a" + "\nb" * 12 + "||",
        "||a\nb" + "\nb" * 12 + "\n|| c",
    ],
)
def test_text_that_only_looks_like_markdown_stays_as_typed(text: str) -> None:
    (piece,) = said(text)
    assert piece.text == text
    assert not [entity for entity in piece.entities if entity.type == "text_link"]


def test_a_link_in_bold_keeps_every_byte() -> None:
    assert looks("**https://a.example/_s_/x**") == [("bold", "https://a.example/_s_/x")]


def test_links_to_pages_and_mailboxes_are_kept() -> None:
    (piece,) = said("[a](https://e.org/x_y*z*) [c](mailto:a@b.org)")
    assert [entity.url for entity in piece.entities] == ["https://e.org/x_y*z*", "mailto:a@b.org"]


@pytest.mark.parametrize("kind", [OutboundKind.NOTICE, OutboundKind.APPROVAL, OutboundKind.BOARD])
def test_the_bots_own_sentences_are_shown_unchanged(kind: OutboundKind) -> None:
    assert said("Stopped: “*this* and <that>”", kind) == [FormattedText("Stopped: “*this* and <that>”")]


def test_every_part_opens_with_the_label() -> None:
    pieces = said(LONG, OutboundKind.UPDATE, RESEARCHER)
    assert len(pieces) > 2
    assert all(piece.text.startswith("[Researcher]: word") for piece in pieces)
    assert all(piece.entities[0] == Entity(type="bold", offset=0, length=13) for piece in pieces)


def test_a_label_before_a_link_is_no_definition_of_one() -> None:
    (piece,) = said("https://example.org", OutboundKind.UPDATE, RESEARCHER)
    assert piece.text == "[Researcher]: https://example.org"


def test_options_stand_below_the_question_numbered() -> None:
    (piece,) = said("**Which?**", OutboundKind.QUESTION, None, "*red*", "green")
    assert piece.text == "Which?\n\n1. *red*\n2. green"
    assert [entity.type for entity in piece.entities] == ["bold"]


def test_one_empty_line_is_between_a_list_and_the_options() -> None:
    (piece,) = said("Which?\n1. one\n2. two", OutboundKind.QUESTION, None, "red")
    assert piece.text.endswith("two\n\n1. red")


@pytest.mark.parametrize("text", ["", "   ", "\n\n"])
def test_nothing_at_all_is_still_something_to_be_seen(text: str) -> None:
    assert said(text) == [FormattedText("…")]


def test_unsendable_characters_are_replaced() -> None:
    (piece,) = said("a\0b \ud83d c\x1b[0m")
    assert piece.text == "a�b � c�[0m"


def test_a_repeat_says_so_and_keeps_its_looks() -> None:
    (piece,) = said("a **b**")
    marked = mark_text_as_repeat(piece, "")
    assert marked.text == f"{REPEAT_MARK}a b"
    assert [part(marked.text, each.offset, each.length) for each in marked.entities] == ["b"]


def test_a_repeat_of_what_a_role_says_keeps_its_label_first_and_its_looks() -> None:
    (piece,) = said("a **b**", OutboundKind.UPDATE, RESEARCHER)
    marked = mark_text_as_repeat(piece, "[Researcher]: ")
    assert marked.text == f"[Researcher]: {REPEAT_MARK}a b"
    assert [part(marked.text, each.offset, each.length) for each in marked.entities] == ["[Researcher]:", "b"]


def test_a_fence_that_is_cut_opens_again() -> None:
    pieces = said("```python\n" + "x = 1  # a line\n" * 700 + "```")
    assert len(pieces) == 3
    for piece in pieces:
        assert [(each.type, each.language) for each in piece.entities] == [("pre", "python")]
        assert piece.entities[0].length == utf16_length(piece.text)
        assert piece.text.startswith("x = 1")  # cut between lines


def test_a_fence_that_fits_is_not_cut() -> None:
    pieces = said("word " * 600 + "\n\n```\n" + "x = 1\n" * 300 + "```\n\nend")
    assert [sum(each.type == "pre" for each in piece.entities) for piece in pieces] == [0, 1]


def test_no_more_than_a_hundred_entities_go_into_a_part() -> None:
    pieces = said("\n".join(f"- **a{n}** `b{n}` _c{n}_" for n in range(150)))
    assert [len(piece.entities) <= 100 for piece in pieces] == [True] * len(pieces)
    assert sum(len(piece.entities) for piece in pieces) == 450


FAMILY = "👨‍👩‍👧‍👦"


@pytest.mark.parametrize("character", [FAMILY, "🇩🇪", "e\u0301", "👍🏽", "字"])
def test_a_character_is_never_cut_in_two(character: str) -> None:
    pieces = said("x" + character * 5_000)
    assert len(pieces) > 1
    for piece in pieces:
        assert set(iter_graphemes(piece.text)) <= {"x", character}


@pytest.mark.parametrize(
    "hostile", ["- " * 5_000, "> " * 5_000, "<b>" * 5_000, "[" * 9_000, "*" * 9_000, "[a](" * 3_000]
)
async def test_nothing_takes_long(hostile: str) -> None:
    assert said(hostile + "x")  # the suite's limit per test is what fails


BITS = (
    *("word ", "lorem ipsum ", "**", "*", "_", "`", "```\n", "```py\nx = 1\n", "\n", "\n\n", "- ", "  - ", "1. ", "> "),
    *(
        "# ",
        "[a](http://x.y/z_q)",
        "[b](c)",
        "[",
        "]",
        "(",
        ")",
        "<b>",
        "<",
        "|",
        "||s||",
        "~~",
        "😀",
        FAMILY,
        "e\u0301",
    ),
    *(
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "$x$",
        "$",
        "\\",
        "&amp;",
        "![i](http://p.q/r.png)",
        "- [ ] t\n",
        "[^1]",
        "\t",
    ),
    *("[^1]: n\n", "    code\n", "---\n", "x" * 200, "字" * 50, " https://e.f/g_h_?i=*j* ", "🇩🇪"),
)


@pytest.mark.parametrize("seed", range(60))
def test_any_markdown_renders_splits_and_joins_back_to_its_text(seed: int) -> None:
    chance = random.Random(seed)
    text = "".join(chance.choice(BITS) for _ in range(chance.choice((3, 10, 50, 400, 1_500))))
    role = chance.choice((None, RESEARCHER))
    label = "[Researcher]: " if role else ""
    pieces = said(text, OutboundKind.UPDATE, role)
    for piece in pieces:
        assert piece.text.startswith(label)
        assert utf16_length(mark_text_as_repeat(piece, "").text) <= 4096
        assert len(piece.entities) <= 100
        formatted(piece.text, as_json(piece))  # raises what Telegram would refuse
    joined = "".join(piece.text.removeprefix(label) for piece in pieces)
    whole = render_markdown(text).text
    assert without_spaces(joined) == (without_spaces(whole) or "…")


@pytest.mark.parametrize("seed", range(40))
def test_links_come_out_byte_by_byte(seed: int) -> None:
    chance = random.Random(seed)
    marks = ("_", "*", "~", "(", ")", "/", "?a=", "&b=", "-", ".", "x", "é", "__", "**")
    link = "https://a.example/" + "".join(chance.choice(marks) for _ in range(12)) + "end"
    around = chance.choice(("see {}", "**{}**", "- {}\n- *b* _c_", "> {} **x**", "_a_ {} _b_", "`{}`", "```\n{}\n```"))
    assert link in "".join(piece.text for piece in said(around.format(link)))


def without_spaces(text: str) -> str:
    return re.sub(r"\s+", "", text)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("one two three four five six", ["one two three four", "five six"]),
        ("one two three\nfour five six", ["one two three", "four five six"]),
        ("one two\n\nthree\nfour five six", ["one two\n\nthree", "four five six"]),
        ("x" * 25, ["x" * 20, "x" * 5]),
    ],
)
def test_parts_are_cut_at_the_best_place_there_is(text: str, parts: list[str]) -> None:
    assert [piece.text for piece in split_formatted_text(FormattedText(text), PartLimits(20, 100))] == parts


def test_a_button_shows_as_much_as_a_phone_does() -> None:
    assert button_label("yes", 1) == "yes"
    assert button_label("  a\n b ", 1) == "a b"
    assert button_label(" ", 2) == "2"
    assert len(button_label("x" * 200, 1)) == 64


FOLD = "expandable_blockquote"


@pytest.mark.parametrize(
    ("text", "unfolded"),
    [
        ("one\n\ntwo\n\nthree\n\nfour", "three\n\nfour"),
        ("one\ntwo\nthree", "three"),
        (f"{'word ' * 30}\n\nnext", "next"),  # a long line fills the visible space alone
        ("one\n\n> two\n> three", "three"),  # a quote cannot hold another
        ("one\n\n```\na\nb\nc\n```", "b\nc"),
    ],
)
def test_a_roles_words_after_two_lines_are_folded(text: str, unfolded: str) -> None:
    for kind in (OutboundKind.UPDATE, OutboundKind.REPLY):
        (piece,) = said(text, kind, RESEARCHER)
        kept = formatted(piece.text, as_json(piece))
        assert kept == (piece.text, sorted(as_json(piece), key=lambda each: (each["offset"], -each["length"])))
        [fold] = [each for each in piece.entities if each.type == FOLD]
        assert part(piece.text, fold.offset, fold.length) == unfolded
        assert piece.entities[0] == Entity(type="bold", offset=0, length=len("[Researcher]:"))


def test_a_long_first_paragraph_goes_on_in_the_fold_at_a_word() -> None:
    words = " ".join(f"word{number}" for number in range(100))
    (piece,) = said(f"**{words}**", OutboundKind.UPDATE, RESEARCHER)
    [fold] = [each for each in piece.entities if each.type == FOLD]
    folded = part(piece.text, fold.offset, fold.length)
    above = piece.text.removesuffix(folded)
    assert above.endswith("\n")
    assert len(above) < 3 * 60
    assert (above + folded).replace("\n", " ") == f"[Researcher]: {words}"


def test_what_is_short_or_must_be_answered_or_is_the_leads_is_not_folded() -> None:
    long = "one\ntwo\nthree\nfour"
    for piece in (
        *said("one\ntwo", OutboundKind.UPDATE, RESEARCHER),
        *said(long, OutboundKind.QUESTION, RESEARCHER),
        *said(long, OutboundKind.UPDATE),
    ):
        assert FOLD not in [each.type for each in piece.entities]


def test_each_part_of_a_roles_long_report_is_folded_under_its_label() -> None:
    pieces = said("\n".join(f"{number} **{'word ' * 10}**" for number in range(400)), OutboundKind.REPLY, RESEARCHER)
    assert len(pieces) > 2
    for piece in pieces:
        assert len(piece.entities) <= 100
        assert [each.type for each in piece.entities].count(FOLD) == 1
        assert piece.text.startswith("[Researcher]: ")
