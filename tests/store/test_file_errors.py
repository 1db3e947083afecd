"""What SQLite says of a file is told as damage, or as a file that cannot be used."""

import sqlite3
from pathlib import Path

import pytest

from bot.core.errors import ConfigError, StoreDamaged
from bot.store.connection import Connection, open_database_file
from bot.store.file_errors import find_file_damage, translate_all_file_errors, translate_damage_errors


def test_a_file_that_is_no_database_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "bot.db"
    path.write_text("no database at all")
    with pytest.raises(StoreDamaged), translate_damage_errors(path):
        open_database_file(path, "ro").execute("SELECT * FROM sqlite_master")


def test_an_error_that_is_no_damage_passes(db: Connection, tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError), translate_damage_errors(tmp_path / "bot.db"):
        db.execute("SELECT * FROM no_table")


def test_tables_that_are_gone_are_damage_and_a_missing_file_is_not(db: Connection, tmp_path: Path) -> None:
    with pytest.raises(StoreDamaged), translate_all_file_errors(tmp_path / "bot.db"):
        db.execute("SELECT * FROM no_table")
    with pytest.raises(ConfigError), translate_all_file_errors(tmp_path / "missing.db"):
        open_database_file(tmp_path / "missing.db", "rw")


def test_a_whole_file_has_no_damage(db: Connection) -> None:
    assert find_file_damage(db) == ""
