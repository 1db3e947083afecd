"""The shape of the code, checked: which room imports which, how long a module may grow, and how tests are named."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

from channels.registry import platform_names
from tests.support.tiers import read_list

FLOORS = [  # each room imports only from the floors below it, which stand above it here
    {"core"},  # what all others speak in
    {"schedules", "documents"},  # when a schedule is due; what files of others hold
    {"store"},  # the rows
    {"journal"},  # the transactions of a turn's life
    {"tools"},
    {"delegation", "models", "mcp_client"},
    {"engine", "config"},
    {"app", "backup", "ops"},
    {"assembly", "mcp_server", "web_page"},  # builds the bot from its settings; fronts of a running bot
    {"cli"},
    {"tenants", "__main__"},
]
MOST_ENTRIES = 21  # in bot/, with `__init__` and `__main__`; each room that comes later may add one
MOST_LINES = 400  # of a module; most are far shorter: so long only where that keeps one life in one place
NAMED_ROOMS = ("engine", "journal", "store")  # a newcomer finds the tests of their modules by name
WITHOUT_TESTS = {
    "__init__",  # `tests/store/test_writer.py` holds what a store promises
    "texts",  # `tests/repository/test_texts.py` holds all catalogues of sentences
    "model_texts",
    "migrations_of_0_2",  # steps are tested together: `tests/store/test_migrations.py`
    "migrations_of_0_3",
}
DOCSTRING_PATTERN = re.compile(r'(?:\s*#.*\n)*\s*r?"""[^\s"]')
TEST_PATTERN = re.compile(r"^ *(?:async )?def (test_\w+)", re.MULTILINE)
LONGEST_TEST_NAME = 75  # characters with `test_`: a name states one fact
MODULES = sorted(path for path in Path("bot").rglob("*.py") if path != Path("bot/__init__.py"))
CHANNELS = sorted(Path("channels").rglob("*.py"))
DECLARING = {"registry", "platform", "setup"}  # what the rest of the code asks of a platform
NAMING_PLATFORMS = {Path("bot/store/migrations.py")}  # steps that have landed never change


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    """Return every node of a module, the module first."""
    return nodes_of_source(path.read_text())


@cache
def nodes_of_source(source: str) -> list[ast.AST]:
    return list(ast.walk(ast.parse(source)))


@cache
def imports(path: Path) -> set[str]:
    """Return every module that a file names in an import."""
    nodes = nodes_of(path)
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


def imports_from_above(path: Path) -> set[str]:
    own = path.with_suffix("").parts[1]
    level = next(number for number, floor in enumerate(FLOORS) if own in floor)
    return parts(imports(path)) - {own} - set[str]().union(*FLOORS[:level])


@pytest.mark.fast
def test_a_module_imports_only_from_the_floors_below_its_own() -> None:
    assert {str(path): found for path in MODULES if (found := imports_from_above(path))} == {}


@pytest.mark.fast
def test_a_module_is_short_and_says_what_it_is_for() -> None:
    texts = {str(path): path.read_text() for path in [*MODULES, *CHANNELS, *Path("tests").rglob("*.py")]}
    assert len(texts) > 1000
    lines = {path: len(text.splitlines()) for path, text in texts.items()}
    assert {path: count for path, count in lines.items() if count > MOST_LINES} == {}
    assert [path for path, text in texts.items() if text and not DOCSTRING_PATTERN.match(text)] == []


@cache
def names_of_tests(path: Path) -> list[str]:
    """Return the names of the test functions of a file, in order; none if there is no such file."""
    return TEST_PATTERN.findall(path.read_text()) if path.exists() else []


def test_no_name_of_a_test_is_long() -> None:
    named = [(str(path), name) for path in sorted(Path("tests").rglob("test_*.py")) for name in names_of_tests(path)]
    assert len(named) > 2000
    assert [(path, name) for path, name in named if len(name) > LONGEST_TEST_NAME] == []


def test_the_list_of_the_full_tier_names_tests_that_exist() -> None:
    listed = [test.partition("::") for test in read_list()]
    assert [f"{path}::{name}" for path, _, name in listed if name not in names_of_tests(Path(path))] == []


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
    of_claude = [path for path in MODULES if path.parts[1] != "mcp_client"]
    knowing = {path for path in of_claude if {name.split(".")[0] for name in imports(path)} & {"anthropic", "httpx2"}}
    for_types = {Path("bot/models/claude/server_errors.py"), Path("bot/models/claude/traits.py")}
    assert knowing == {Path("bot/models/claude/sdk_client.py"), *for_types}
    assert all("if TYPE_CHECKING:\n    from anthropic" in path.read_text() for path in for_types)


def test_only_the_store_holds_sql() -> None:
    verbs = ("SELECT ", "INSERT ", "UPDATE ", "DELETE ", "CREATE ")
    holding = {path.parts[1] for path in MODULES if any(f'"{verb}' in path.read_text() for verb in verbs)}
    assert holding == {"store"}


def test_the_store_decides_nothing() -> None:
    deciding = {
        "access",
        "limits.DecisionTerms",
        "limits.Settings",
        "phrases",
        "prices.find_pricing",
        "web.worst_case_cost_of_web_uses",
    }
    words = {"texts.model", "texts.people", "texts.reasons"}
    known = set[str]().union(*(imports(path) for path in MODULES if path.parts[1] == "store"))
    assert not known & {f"bot.core.{name}" for name in deciding | words}


def uses_of(name: str, path: Path) -> bool:
    """Return True if a module calls, passes on or imports something of this name."""
    nodes = nodes_of(path)
    named = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    named |= {node.id for node in nodes if isinstance(node, ast.Name)}
    return name in named or any(each.rpartition(".")[2] == name for each in imports(path))


def adds_rows_to(table: str, path: Path) -> bool:
    """Return True if a module inserts into a table, by `Connection.insert_if_new` or in plain SQL."""
    source = path.read_text()
    calls = [node for node in nodes_of(path) if isinstance(node, ast.Call) and node.args]
    inserted = {ast.unparse(call.args[0]) for call in calls if ast.unparse(call.func).endswith(".insert_if_new")}
    return repr(table) in inserted or f"INTO {table} " in source


def test_only_the_bus_adds_to_the_outbox() -> None:
    assert {path for path in MODULES if uses_of("add_outbound_message", path)} == {Path("bot/journal/bus.py")}
    assert {path for path in MODULES if adds_rows_to("outbox", path)} == {Path("bot/store/outbox.py")}


@pytest.mark.parametrize("change", ["rewrite_board", "replace_shown_options_with_text"])
def test_only_the_bus_changes_what_a_message_says(change: str) -> None:
    """It cleans all that goes out. Other changes of a message leave words out."""
    assert {path for path in MODULES if uses_of(change, path)} == {Path("bot/journal/bus.py")}


def parts_of_core(modules: set[str]) -> set[str]:
    """Of what is imported, the modules of the lowest floor."""
    return {name.split(".")[2] for name in modules if name.startswith("bot.core.")}


def test_the_tenants_room_knows_only_their_settings() -> None:
    making = [path for path in MODULES if path.parts[1] == "tenants" and path.parts[2] != "commands"]
    known = set[str]().union(*(imports(path) for path in making))
    assert parts(known) <= {"tenants", "config", "core"}
    assert parts_of_core(known) <= {"errors", "program_names", "texts", "durable_files", "picture_types"}


def what_a_channel_should_not_know(path: Path) -> set[str]:
    """Return what a module of a channel imports from the bot although it does not carry it."""
    declares = {"platform", "findings", "setting_types", "program_names"} if path.stem in DECLARING else set()
    known = {"messages", "channel", "errors", "exit_status", "network", "picture_types", "stop_words", "texts"}
    known |= {"incoming_files", "outgoing_files", "command_choices", "command_menus", "command_places"}
    known |= {"server_roles", "invisible_characters"}
    return (parts(imports(path)) - {"core"}) | (parts_of_core(imports(path)) - known - declares)


def test_a_channel_knows_of_the_bot_only_what_it_carries() -> None:
    modules = [*CHANNELS, *Path("tests/channels/toy").glob("*.py")]
    assert {str(path): found for path in modules if (found := what_a_channel_should_not_know(path))} == {}


def words_that_name_a_platform(source: str, *, is_catalogue: bool = False) -> list[str]:
    """Return the names and texts in a module that name one. Docstrings and sentences may, as an example."""
    nodes = nodes_of_source(source)
    prose = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    code = [node for node in nodes if id(node) not in prose and not (is_catalogue and isinstance(node, ast.Constant))]
    words = [word for node in code for _, word in ast.iter_fields(node) if isinstance(word, str)]
    return [word for word in words if re.search("|".join(platform_names()), word, re.IGNORECASE)]


def is_catalogue(path: Path) -> bool:
    return "texts" in path.stem or path.parent.name == "texts"


def test_only_a_platforms_own_folder_names_it() -> None:
    found = {
        str(path): words_that_name_a_platform(path.read_text(), is_catalogue=is_catalogue(path))
        for path in MODULES
        if path not in NAMING_PLATFORMS
    }
    assert {path: words for path, words in found.items() if words} == {}


@pytest.mark.parametrize(
    "line", ["x = config.channels.telegram", "name == 'discord'", "f'{x}:discord:{y}'", "class TelegramStep: ..."]
)
def test_a_platform_that_is_named_is_found(line: str) -> None:
    assert words_that_name_a_platform(f'"""As on Discord."""\n{line}\n')


def test_the_registry_imports_no_platforms_library() -> None:
    libraries = "{library for each in platforms().values() for library in each.slow_libraries}"
    look = f"import sys; from channels.registry import platforms; found = {libraries}; assert len(found) > 1, found"
    subprocess.run([sys.executable, "-c", f"{look}; assert not found & {{*sys.modules}}"], check=True)


def test_the_names_of_the_platforms_take_no_import() -> None:
    look = "import sys; from channels.registry import platform_names; assert len(platform_names()) > 1"
    subprocess.run([sys.executable, "-c", f"{look}; assert 'pydantic' not in sys.modules"], check=True)


def owners_of_tasks(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names and attributes that a module has for its task groups."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.withitem) and "TaskGroup()" in ast.unparse(node.context_expr) and node.optional_vars:
            found.add(ast.unparse(node.optional_vars))
        elif isinstance(node, ast.arg) and node.annotation and ast.unparse(node.annotation).endswith("TaskGroup"):
            found.add(node.arg)
        elif isinstance(node, ast.Assign) and "TaskGroup()" in ast.unparse(node.value):
            found |= {ast.unparse(target) for target in node.targets}
    return found


def tasks_without_an_owner(source: str) -> list[str]:
    """Return the functions of a module that begin a task in no task group."""
    nodes = nodes_of_source(source)
    owners, found = owners_of_tasks(nodes), []
    for function in nodes:
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
        ("bot/store/connection.py", "open_connection"),  # it waits for its task, also where it is cancelled itself
        ("bot/core/host_proxy/__init__.py", "open_exit"),  # so does this one: a group would wrap others' errors
        ("bot/mcp_client/connection.py", "run"),  # so does this one, in which the SDK may lose a cancellation
        ("bot/mcp_client/stdio_transport.py", "program_transport"),  # and this: it ends its tasks in a bounded time
        ("channels/discord/gateway.py", "await_cancellably"),  # so does this one
        ("channels/outgoing.py", "show_again_until_done"),  # and this: a group would wrap the errors of an upload
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


LARGE_LIBRARIES = {
    "aiohttp",
    "anthropic",
    "dateutil",
    "discord",
    "jsonschema",
    "lxml",
    "mammoth",
    "markdownify",
    "odfdo",
    "PIL",
    "pi_heif",
    "pptx",
    "prometheus_client",
    "prompt_toolkit",
    "pypdf",
    "python_calamine",
    "striprtf",
    "telegram",
}


@pytest.mark.parametrize(
    ("modules", "used"),
    [
        ("bot.cli.run, bot.cli.chat", set()),
        ("bot.cli.run, channels.telegram.channel", {"telegram"}),
        ("bot.cli.run, channels.discord.channel", {"aiohttp", "discord"}),
        ("bot.cli.run, bot.models.claude.sdk_client", {"aiohttp", "anthropic"}),
    ],
    ids=["commands", "telegram", "discord", "model"],
)
def test_a_large_library_is_loaded_only_where_it_is_used(modules: str, used: set[str]) -> None:
    look = f"import {modules}, sys; assert {LARGE_LIBRARIES} & {{*sys.modules}} == {used or 'set()'}, [*sys.modules]"
    subprocess.run([sys.executable, "-c", look], check=True)


def test_the_sdk_of_claude_is_not_imported_before_it_is_used() -> None:
    look = "import bot.models.claude, bot.models.claude.reply_reader, sys; assert 'anthropic' not in sys.modules"
    subprocess.run([sys.executable, "-c", look], check=True)
