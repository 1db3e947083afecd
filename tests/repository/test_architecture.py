"""The shape of the code, checked: who imports whom, and how long a module may grow."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

FLOORS = [  # each room imports only from the floors below it, which stand above it here
    {"core"},  # what all others speak in
    {"store"},  # the rows
    {"journal"},  # the transactions of a turn's life
    {"tools"},
    {"delegation", "models"},
    {"engine", "config"},
    {"app", "backup", "ops"},
    {"assembly"},  # builds the bot from its settings
    {"cli"},
    {"tenants", "__main__"},
]
MOST_ENTRIES = 16  # in bot/, with `__init__` and `__main__`; each room that comes later may add one
NAMED_ROOMS = ("engine", "journal", "store")  # a newcomer finds the tests of their modules by name
WITHOUT_TESTS = {
    "__init__",  # `tests/store/test_writer.py` holds what a store promises
    "texts",  # `tests/repository/test_texts.py` holds all catalogues of sentences
    "model_texts",
    "migrations_of_0_2",  # steps are tested together: `tests/store/test_migrations.py`
    "migrations_of_0_3",
}
MODULES = sorted(path for path in Path("bot").rglob("*.py") if path != Path("bot/__init__.py"))
CHANNELS = sorted(Path("channels").rglob("*.py"))


def imports(path: Path) -> set[str]:
    """Every module that a file names in an import."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    of = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
    return plain | {f"{node.module}.{alias.name}" for node in of for alias in node.names}


def parts(modules: set[str]) -> set[str]:
    """Of what is imported, the bot's own: its modules, and its packages as one each."""
    return {name.split(".")[1] for name in modules if name.startswith("bot.")}


def test_the_house_has_few_rooms() -> None:
    assert len({path.relative_to("bot").parts[0] for path in Path("bot").rglob("*.py")}) <= MOST_ENTRIES


def test_only_what_all_tests_share_lies_flat_in_tests() -> None:
    assert {path.name for path in Path("tests").glob("*.*")} == {"conftest.py", "__init__.py"}


@pytest.mark.fast
@pytest.mark.parametrize("path", MODULES, ids=str)
def test_a_module_imports_only_from_the_floors_below_its_own(path: Path) -> None:
    own = path.with_suffix("").parts[1]
    level = next(number for number, floor in enumerate(FLOORS) if own in floor)
    assert parts(imports(path)) - {own} <= set[str]().union(*FLOORS[:level])


@pytest.mark.fast
@pytest.mark.parametrize("path", [*MODULES, *CHANNELS, *sorted(Path("tests").rglob("*.py"))], ids=str)
def test_a_module_is_short_and_says_what_it_is_for(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= 400  # most are far shorter: so long only where that keeps one life in one place
    assert not text or ast.get_docstring(ast.parse(text))


def test_the_tests_of_a_module_have_its_name() -> None:
    files = {path.stem for path in Path("tests").rglob("test_*.py")}
    modules = {path.stem for path in MODULES if path.parts[1] in NAMED_ROOMS} - WITHOUT_TESTS
    named = {module for module in modules if any(f"{file}_".startswith(f"test_{module}_") for file in files)}
    assert modules - named == set()


@pytest.mark.fast
def test_only_the_store_speaks_to_the_database() -> None:
    knowing = {path.parts[1] for path in MODULES if imports(path) & {"sqlite3", "aiosqlite"}}
    assert knowing == {"store"}


@pytest.mark.fast
def test_only_one_module_imports_the_sdk_of_claude() -> None:
    knowing = {path for path in MODULES if {name.split(".")[0] for name in imports(path)} & {"anthropic", "httpx2"}}
    for_types = {
        Path("bot/models/claude/reply_reader.py"),
        Path("bot/models/claude/server.py"),
        Path("bot/models/claude/traits.py"),
    }
    assert knowing == {Path("bot/models/claude/sdk_client.py"), *for_types}
    assert all("if TYPE_CHECKING:\n    from anthropic" in path.read_text() for path in for_types)


def test_only_the_store_holds_sql() -> None:
    verbs = ("SELECT ", "INSERT ", "UPDATE ", "DELETE ", "CREATE ")
    holding = {path.parts[1] for path in MODULES if any(f'"{verb}' in path.read_text() for verb in verbs)}
    assert holding == {"store"}


def test_the_store_decides_nothing() -> None:
    deciding = {"access", "limits.Terms", "limits.Settings", "phrases", "prices.find_pricing", "web.price_of_web_uses"}
    words = {"texts.model", "texts.people", "texts.reasons"}
    known = set[str]().union(*(imports(path) for path in MODULES if path.parts[1] == "store"))
    assert not known & {f"bot.core.{name}" for name in deciding | words}


def uses_of(name: str, path: Path) -> bool:
    """Return True if a module calls, passes on or imports something of this name."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    named = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    named |= {node.id for node in nodes if isinstance(node, ast.Name)}
    return name in named or any(each.rpartition(".")[2] == name for each in imports(path))


def adds_rows_to(table: str, path: Path) -> bool:
    """Return True if a module inserts into a table, by `Connection.insert` or in plain SQL."""
    source = path.read_text()
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call) and node.args]
    inserted = {ast.unparse(call.args[0]) for call in calls if ast.unparse(call.func).endswith(".insert")}
    return repr(table) in inserted or f"INTO {table} " in source


def test_only_the_bus_adds_to_the_outbox() -> None:
    assert {path for path in MODULES if uses_of("add_message", path)} == {Path("bot/journal/bus.py")}
    assert {path for path in MODULES if adds_rows_to("outbox", path)} == {Path("bot/store/outbox.py")}


def parts_of_core(modules: set[str]) -> set[str]:
    """Of what is imported, the modules of the lowest floor."""
    return {name.split(".")[2] for name in modules if name.startswith("bot.core.")}


def test_what_makes_tenants_knows_only_their_settings() -> None:
    making = [path for path in MODULES if path.parts[1] == "tenants" and path.parts[2] != "commands"]
    known = set[str]().union(*(imports(path) for path in making))
    assert parts(known) <= {"tenants", "config", "core"}
    assert parts_of_core(known) <= {"errors", "program_names", "texts", "durable_files"}


@pytest.mark.parametrize("path", CHANNELS, ids=str)
def test_a_channel_knows_of_the_bot_only_what_it_carries(path: Path) -> None:
    assert parts(imports(path)) <= {"core"}
    assert parts_of_core(imports(path)) <= {"messages", "channel", "errors", "network", "texts"}


def owners_of_tasks(tree: ast.Module) -> set[str]:
    """Return the names and attributes that a module has for its task groups."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.withitem) and "TaskGroup()" in ast.unparse(node.context_expr) and node.optional_vars:
            found.add(ast.unparse(node.optional_vars))
        elif isinstance(node, ast.arg) and node.annotation and ast.unparse(node.annotation).endswith("TaskGroup"):
            found.add(node.arg)
        elif isinstance(node, ast.Assign) and "TaskGroup()" in ast.unparse(node.value):
            found |= {ast.unparse(target) for target in node.targets}
    return found


def tasks_without_an_owner(source: str) -> list[str]:
    """Return the functions of a module that begin a task in no task group."""
    tree = ast.parse(source)
    owners, found = owners_of_tasks(tree), []
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for call in ast.walk(function):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute | ast.Name):
                *above, name = ast.unparse(call.func).rsplit(".", 1)
                if name in ("create_task", "ensure_future") and (not above or above[0] not in owners):
                    found.append(function.name)
    return found


@pytest.mark.fast
def test_no_task_is_without_an_owner() -> None:
    found = {(str(path), name) for path in [*MODULES, *CHANNELS] for name in tasks_without_an_owner(path.read_text())}
    assert found == {
        ("bot/store/__init__.py", "open_connection"),  # it waits for its task, also where it is cancelled itself
        ("channels/discord/gateway.py", "await_cancellably"),  # so does this one
    }


@pytest.mark.parametrize(
    "line",
    [
        "create_task(x())",
        "asyncio.create_task(x())",
        "asyncio.get_running_loop().create_task(x())",
        "loop.create_task(x())",
    ],
)
def test_a_task_without_an_owner_is_found(line: str) -> None:
    assert tasks_without_an_owner(f"async def planted(loop):\n    {line}\n") == ["planted"]


def test_the_sdk_of_claude_is_not_imported_before_it_is_used() -> None:
    look = "import bot.models.claude, bot.models.claude.reply_reader, sys; assert 'anthropic' not in sys.modules"
    subprocess.run([sys.executable, "-c", look], check=True)
