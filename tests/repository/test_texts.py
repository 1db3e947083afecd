"""The catalogues: each shown whole by one snapshot, and what the code fills in is what the texts ask for.

After a change of a text, look at what has changed and write the snapshots: `python -m tests.repository.test_texts`.
"""

import ast
import importlib
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from string import Formatter
from types import ModuleType

import pytest

from bot.core.texts import CountedSentence, Plural, Sentence, Text

SNAPSHOTS = Path(__file__).parent / "texts"
AnyText = Text | Plural | Sentence | CountedSentence
LEVELS = ("debug", "info", "warning", "error", "exception", "critical")
PRODUCT = sorted(path for top in ("bot", "channels") for path in Path(top).rglob("*.py"))


def is_catalogue(path: Path) -> bool:
    return path.stem == "texts" or path.stem.endswith("_texts") or path.parent == Path("bot/core/texts")


def module_name(path: Path) -> str:
    return ".".join(path.with_suffix("").parts)


CATALOGUES = [module_name(path) for path in PRODUCT if is_catalogue(path) and path.stem != "__init__"]


def texts_of(catalogue: ModuleType) -> dict[str, AnyText]:
    """Return the texts of a catalogue by name; those that stand in a table by the table's name and the key."""
    found: dict[str, AnyText] = {}
    for name, value in vars(catalogue).items():
        if isinstance(value, AnyText):
            found[name] = value
        elif isinstance(value, dict) and name.isupper():
            found |= {f"{name}[{key}]": each for key, each in value.items() if isinstance(each, AnyText)}
    return found


def forms(text: AnyText) -> list[str]:
    if isinstance(text, Plural | CountedSentence):
        return [text.one, text.other]
    return [text.english if isinstance(text, Sentence) else str(text)]


def shown(catalogue: str) -> str:
    """Return a catalogue as its snapshot has it."""
    lines = [f"{importlib.import_module(catalogue).__doc__}\n"]
    for name, text in texts_of(importlib.import_module(catalogue)).items():
        lines += [f"{name}:", *(f"    {line}" for form in forms(text) for line in form.split("\n"))]
    return "\n".join(lines) + "\n"


def snapshot(catalogue: str) -> Path:
    return SNAPSHOTS / f"{catalogue}.txt"


@pytest.mark.fast
@pytest.mark.parametrize("catalogue", CATALOGUES)
def test_a_catalogue_is_as_its_snapshot_shows(catalogue: str) -> None:
    assert shown(catalogue) == snapshot(catalogue).read_text()


def test_every_snapshot_has_its_catalogue() -> None:
    assert {path.stem for path in SNAPSHOTS.iterdir()} == set(CATALOGUES)


@pytest.mark.fast
@pytest.mark.parametrize("catalogue", CATALOGUES)
def test_a_catalogue_holds_nothing_but_texts(catalogue: str) -> None:
    tree = ast.parse(Path(*catalogue.split(".")).with_suffix(".py").read_text())
    assert {type(each) for each in tree.body[1:]} <= {ast.ImportFrom, ast.Assign, ast.AnnAssign}
    module = importlib.import_module(catalogue)
    names = {name for name, value in vars(module).items() if name.isupper() and not isinstance(value, dict)}
    assert names <= texts_of(module).keys()


def placeholders(text: AnyText) -> set[str]:
    found = {name for form in forms(text) for _, name, _, _ in Formatter().parse(form) if name is not None}
    return found - {"count"} if isinstance(text, Plural | CountedSentence) else found


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def names_of_catalogues(path: Path) -> dict[str, ModuleType]:
    """Return each name that a module knows a catalogue by."""
    found = {}
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if (name := f"{node.module}.{alias.name}") in CATALOGUES:
                    found[alias.asname or alias.name] = importlib.import_module(name)
    return found


def calls_of_texts(path: Path) -> Iterator[tuple[AnyText, ast.Call]]:
    """Yield each text that a module fills in, with the call that does it."""
    catalogues = names_of_catalogues(path)
    for node in ast.walk(tree_of(path)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if isinstance(node.func.value, ast.Name) and node.func.value.id in catalogues:
            yield getattr(catalogues[node.func.value.id], node.func.attr), node


def is_filled_in(text: AnyText, call: ast.Call) -> bool:
    given = {keyword.arg for keyword in call.keywords}
    return given == placeholders(text) and len(call.args) == isinstance(text, Plural | CountedSentence)


@pytest.mark.fast
def test_each_placeholder_is_filled_in() -> None:
    calls = [(path, text, call) for path in PRODUCT for text, call in calls_of_texts(path)]
    assert len(calls) > 500
    assert [(str(path), call.lineno, text) for path, text, call in calls if not is_filled_in(text, call)] == []


def unfilled_texts(path: Path) -> Iterator[ast.Attribute]:
    """Yield each text with placeholders that a module says without filling them in."""
    catalogues = names_of_catalogues(path)
    called = {id(call.func) for _, call in calls_of_texts(path)}
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in catalogues:
            text = getattr(catalogues[node.value.id], node.attr)
            if isinstance(text, Text) and id(node) not in called and placeholders(text):
                yield node


@pytest.mark.fast
def test_no_text_with_placeholders_is_said_without_them() -> None:
    assert places_of(unfilled_texts) == []


def places_of(find: Callable[[Path], Iterator[ast.AST]]) -> list[tuple[str, str]]:
    """Return what a rule finds in the product, with where it stands."""
    return [(f"{path}:{getattr(node, 'lineno', 0)}", ast.unparse(node)) for path in PRODUCT for node in find(path)]


def uncalled_sentences(path: Path) -> Iterator[ast.Attribute]:
    """Yield each sentence to people that a function mentions without calling it."""
    catalogues = names_of_catalogues(path)
    called = {id(node.func) for node in ast.walk(tree_of(path)) if isinstance(node, ast.Call)}
    functions = (node for node in ast.walk(tree_of(path)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    for node in (node for function in functions for node in ast.walk(function)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in catalogues:
            text = getattr(catalogues[node.value.id], node.attr)
            if isinstance(text, Sentence | CountedSentence) and id(node) not in called:
                yield node


def calls_at_import(path: Path) -> Iterator[ast.Call]:
    """Yield each call of a sentence that is made when the module is loaded, so for no person."""
    catalogues = names_of_catalogues(path)
    outside: list[ast.AST] = [*tree_of(path).body]
    while outside:
        node = outside.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            outside += [*node.args.defaults, *filter(None, node.args.kw_defaults)]
            continue
        outside += ast.iter_child_nodes(node)
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
        ):
            text = getattr(catalogues.get(node.func.value.id), node.func.attr, None)
            if isinstance(text, Sentence | CountedSentence):
                yield node


@pytest.mark.fast
def test_no_sentence_to_people_is_called_before_there_is_a_person() -> None:
    assert places_of(calls_at_import) == []


@pytest.mark.fast
def test_a_sentence_to_people_is_called() -> None:
    assert places_of(uncalled_sentences) == []


def calls_of_logging(path: Path) -> Iterator[tuple[str, ast.Call]]:
    """Yield each text that logging fills in, which hides what others wrote; with the call that hands it the values."""
    catalogues = names_of_catalogues(path)
    for node in ast.walk(tree_of(path)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in LEVELS:
            continue
        text = node.args[0] if node.args else None
        if isinstance(text, ast.Attribute) and isinstance(text.value, ast.Name) and text.value.id in catalogues:
            yield getattr(catalogues[text.value.id], text.attr), node


@pytest.mark.fast
def test_each_sign_of_a_log_text_has_its_value() -> None:
    calls = [(path, text, call) for path in PRODUCT for text, call in calls_of_logging(path)]
    assert len(calls) > 50
    wrong = [(path, text, call) for path, text, call in calls if len(re.findall(r"%[^%]", text)) != len(call.args) - 1]
    assert [(str(path), call.lineno, text) for path, text, call in wrong] == []


def test_the_number_chooses_the_form() -> None:
    waiting = Plural("{count} message of {name} waits.", "{count} messages of {name} wait.")
    assert waiting(1, name="Ann") == "1 message of Ann waits."
    assert waiting(0, name="Ann") == "0 messages of Ann wait."


def test_a_missing_value_is_an_error() -> None:
    with pytest.raises(KeyError):
        Text("Stopped: {messages}.")(message="go")


if __name__ == "__main__":
    for each in CATALOGUES:
        snapshot(each).write_text(shown(each))
