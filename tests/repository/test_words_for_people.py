"""No English slips past the catalogues to people: what code says, puts into a sentence or sends is a `Sentence`.

The rooms that speak to people hold no words of their own, and what they fill into a sentence is neither a text for
operators or the model nor what an exception says, unless `say_again` says it in the person's language.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from bot.core.texts import CountedSentence, Plural, Sentence, Text
from tests.repository.test_texts import LEVELS, PRODUCT, calls_of_texts, is_catalogue, names_of_catalogues, tree_of

SPEAKING = [
    path
    for path in PRODUCT
    if (path.parts[1] in ("journal", "engine") or path.stem.endswith("phrases")) and not is_catalogue(path)
]
SQL = re.compile(r"\b(SELECT|INSERT|UPDATE|DELETE|WHERE|ORDER BY|AND|IS NULL)\b")
NOT_SAID = (*LEVELS, "create_task", "fetch_rows", "fetch_row", "execute")  # names of calls whose words nobody reads
# Words that stand in rows or are typed; people read a sentence in their place.
WORDS_OF_ROWS = {
    *("Let in", "Send away", "reminder posted", "nothing to tell", "still at work", "day's budget used", "not allowed"),
    *("right missing", "shared day", "store and hear", "forget everything", "forget person", "forget memory"),
    *(
        "allow mcp tools",
        "pause schedule",
        "delete schedule",
        " by operator",
        "condition does not hold",
        "condition not seen",
    ),
}
TYPED_WORDS = {Path("bot/engine/yes_words.py")}  # what people write
CATALOGUE_OF_SENTENCES = re.compile(r"import .*(people|reasons)|post_notice")
SENDING = {"post_notice": 3, "build_notice": 2}  # the place of the text among their arguments


def words_of_code(path: Path) -> Iterator[tuple[int, str]]:
    """Yield each text of several words that a module has, besides what nobody reads."""
    unread: set[int] = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            unread.add(id(node.value))
        elif isinstance(node, ast.Assert) or (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in NOT_SAID
        ):
            unread |= {id(inner) for inner in ast.walk(node)}
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in unread:
            words = re.findall(r"[A-Za-z']{2,}", node.value)
            if len(words) > 1 and " " in node.value.strip() and not SQL.search(node.value):
                yield node.lineno, node.value


def test_rooms_that_speak_to_people_have_no_words_of_their_own() -> None:
    found = {
        f"{path}:{line}": words
        for path in SPEAKING
        if path not in TYPED_WORDS
        for line, words in words_of_code(path)
        if words not in WORDS_OF_ROWS
    }
    assert found == {}


def english_of(node: ast.expr, path: Path) -> Iterator[str]:
    """Yield what of an expression is English whatever the person's language is."""
    catalogues = names_of_catalogues(path)
    again = {
        id(inner)
        for call in ast.walk(node)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "say_again"
        for inner in ast.walk(call)
    }
    for inner in (each for each in ast.walk(node) if id(each) not in again):
        if (
            isinstance(inner, ast.Constant)
            and isinstance(inner.value, str)
            and re.search("[A-Za-z]{2}.* ", inner.value)
        ):
            yield repr(inner.value)
        if isinstance(inner, ast.Attribute):
            if inner.attr == "strerror":
                yield ast.unparse(inner)
            elif isinstance(inner.value, ast.Name) and inner.value.id in catalogues:
                text = getattr(catalogues[inner.value.id], inner.attr, None)
                if isinstance(text, Text | Plural):
                    yield ast.unparse(inner)


def test_what_is_filled_into_a_sentence_or_sent_is_no_english() -> None:
    found = []
    for path in (each for each in PRODUCT if CATALOGUE_OF_SENTENCES.search(each.read_text())):
        filled = [call for text, call in calls_of_texts(path) if isinstance(text, Sentence | CountedSentence)]
        values = [value for call in filled for value in [*call.args, *(keyword.value for keyword in call.keywords)]]
        values += texts_that_are_sent(path)
        found += [(f"{path}:{value.lineno}", words) for value in values for words in english_of(value, path)]
    assert found == []


def texts_that_are_sent(path: Path) -> Iterator[ast.expr]:
    for call in ast.walk(tree_of(path)):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
            place = SENDING.get(call.func.id)
            if place is not None and len(call.args) > place:
                yield call.args[place]


def test_the_check_finds_words_that_slip_in(tmp_path: Path) -> None:
    module = tmp_path / "speaking.py"
    module.write_text(
        "from bot.core.texts import model, people\n\n\n"
        "def tell(error):\n"
        '    """A docstring is not read."""\n'
        '    log.info("nor is this line")\n'
        "    people.NOT_SHOWN(reason=error.strerror)\n"
        "    people.NOT_SHOWN(reason=model.SAY_ANSWER)\n"
        "    people.NOT_SHOWN(reason=say_again(error.strerror))\n"
        '    return "It is gone."\n'
    )
    assert [words for _, words in words_of_code(module)] == ["It is gone."]
    calls = [call for _, call in calls_of_texts(module)]
    assert [list(english_of(call.keywords[0].value, module)) for call in calls] == [
        ["error.strerror"],
        ["model.SAY_ANSWER"],
        [],
    ]
