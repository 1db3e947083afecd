"""The tables of a file: those of another state of development are named and refused."""

from contextlib import closing
from pathlib import Path

import pytest

from bot.core.errors import ConfigError
from bot.store import Store
from bot.store.chat_reader import find_schema_differences, migrate_database
from bot.store.schema import (
    MAX_TABLE_NAMES_IN_ERROR,
    development_version_error,
    list_changed_tables,
    migrate,
)
from tests.store.test_migrations import master
from tests.support.backup_bot import connection
from tests.support.old_databases import unpack
from tests.support.shell import Shell

# What tables of development's other states were like, which called themselves a step that has landed.
OTHER_STATES = {
    "an index missing": (3, "DROP INDEX inbox_old", ["inbox_old"]),
    "a column missing": (4, "ALTER TABLE chapters DROP COLUMN next", ["chapters"]),
    "a column more": (2, "ALTER TABLE chats ADD COLUMN more TEXT", ["chats"]),
    "a table missing": (7, "DROP TABLE lanes", ["lanes"]),
}


@pytest.mark.parametrize(("step", "change", "names"), OTHER_STATES.values(), ids=OTHER_STATES)
def test_another_state_of_development_is_one_clear_line_and_stays_as_it_is(
    step: int, change: str, names: list[str], tmp_path: Path
) -> None:
    path = unpack(f"step{step}", tmp_path)
    with closing(connection(path)) as db:
        db.execute(change)
        before = master(db)
        assert list_changed_tables(db) == names
        with pytest.raises(ConfigError) as told:
            migrate(db)
        assert str(told.value) == str(development_version_error(names))
        assert (master(db), db.fetch_number("PRAGMA user_version")) == (before, step)


async def test_a_start_and_doctor_refuse_such_a_state_with_that_line(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.config()
    shell.data.mkdir()
    with closing(connection(unpack("step2", shell.data))) as db:
        db.execute("ALTER TABLE chats ADD COLUMN more TEXT")
    line = str(development_version_error(["chats"]))
    with pytest.raises(ConfigError) as told:
        async with Store.open(shell.data / "bot.db"):
            pass
    assert str(told.value) == line
    assert line in (await shell.retinue("doctor")).out


async def test_doctor_compares_the_tables(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.config()
    shell.data.mkdir()
    path = unpack("step7", shell.data)
    assert find_schema_differences(path) == ([], [])
    migrate_database(path)
    assert "ok       tables: " in (await shell.retinue("doctor")).out
    with closing(connection(path)) as db:
        db.execute("CREATE TABLE _replicated (id)")
    assert find_schema_differences(path) == ([], ["_replicated"])
    assert "warning  tables: _replicated in " in (await shell.retinue("doctor")).out
    with closing(connection(path)) as db:
        db.execute("DROP INDEX turns_open")
    assert f"wrong    database: {development_version_error(['turns_open'])}" in (await shell.retinue("doctor")).out


def test_of_many_tables_the_first_are_named() -> None:
    names = [f"t{number}" for number in range(MAX_TABLE_NAMES_IN_ERROR + 1)]
    all_but_one = str(development_version_error(names[:-1]))
    assert names[-2] in all_but_one
    assert "…" not in all_but_one
    assert f"{names[-2]} …" in str(development_version_error(names))
