"""What is no back-up, or not a whole one, or one that is meant ill: it is refused, and nothing was changed."""

import gzip
import os
import tarfile
import zlib
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bot.backup import texts
from bot.core.errors import ConfigError, StoreDamaged
from bot.core.texts import Text
from bot.store import texts as store_texts
from bot.store.migrations import STEPS
from tests.support.backup_bot import (
    brought_back,
    connection,
    folder_of,
    manifest,
    packed,
    saved,
    words,
    write,
)
from tests.support.empty_database import empty_database
from tests.support.wording import says

END = ("contents.json", b'{"files": 1, "bytes": 1, "left_out": [], "left_out_in_all": 0}')
LINK = tarfile.SYMTYPE
NOT_OURS = store_texts.NOTHING_OF_OURS.partition("{reason}")[0]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    place = folder_of(tmp_path / "bot")
    write(place, "mine")
    (place / "workspace" / "file").write_text("mine")
    return place


def everything(place: Path) -> dict[str, Any]:
    """All that lies there, except what a look at the rows makes."""
    paths = [path for path in place.rglob("*") if not path.name.startswith(("bot.db-", "lock"))]
    return {str(path): path.read_bytes() if path.is_file() else None for path in paths}


def refused(place: Path, source: Path) -> str:
    """Why it cannot be restored; and that nothing was changed."""
    with closing(connection(place / "data" / "bot.db")) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = everything(place)
    with pytest.raises((ConfigError, StoreDamaged)) as error:
        brought_back(place, source)
    assert everything(place) == before
    return str(error.value)


def is_cut_off(said: str) -> bool:
    return said == texts.CUT_OFF or says(said, texts.CUT_OFF_BY)


def good(place: Path) -> list[tuple[str, Any]]:
    return [("manifest.json", manifest()), ("bot.db", empty_database())]


def test_a_handmade_archive_without_faults_is_restored(place: Path, tmp_path: Path) -> None:
    brought_back(place, packed(tmp_path / "it.tar.gz", *good(place), ("workspace/a", b"x"), END))
    assert words(place) == []
    assert (place / "workspace" / "a").read_text() == "x"


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ([("workspace/../../evil", b"x")], texts.NAME_LEADS_ELSEWHERE),
        ([("/workspace/evil", b"x")], texts.NAME_LEADS_ELSEWHERE),
        ([("workspace//evil", b"x")], texts.NAME_LEADS_ELSEWHERE),
        ([("workspace/./evil", b"x")], texts.NAME_LEADS_ELSEWHERE),
        ([("workspace/" + "x" * 256, b"x")], texts.NAME_LEADS_ELSEWHERE),
        ([("elsewhere/evil", b"x")], texts.NO_PART),
        ([("lock", b"x")], texts.NO_PART),
        ([("workspace/before-restore-x", {"type": tarfile.DIRTYPE})], texts.NO_PART),
        ([("workspace/dev", {"type": tarfile.CHRTYPE, "devmajor": 1, "devminor": 3})], texts.OF_ODD_KIND),
        ([("workspace/pipe", {"type": tarfile.FIFOTYPE})], texts.OF_ODD_KIND),
        ([("workspace/hard", {"type": tarfile.LNKTYPE, "linkname": "bot.db"})], texts.OF_ODD_KIND),
        ([("bot.db", {"type": LINK, "linkname": "/etc/passwd"})], texts.NO_PART),
        ([("workspace/out", {"type": LINK, "linkname": "/etc/passwd"})], texts.LINK_LEADS_OUT),
        ([("workspace/out", {"type": LINK, "linkname": "../config.json"})], texts.LINK_LEADS_OUT),
        (
            [
                ("workspace/here", {"type": LINK, "linkname": "."}),
                ("workspace/out", {"type": LINK, "linkname": "here/../config.json"}),
            ],
            texts.LINK_LEADS_OUT,
        ),
        (
            [("workspace/d", {"type": LINK, "linkname": "/tmp"}), ("workspace/d/evil", b"x")],
            texts.TWICE_OR_WITHOUT_FOLDER,
        ),
        ([("workspace/a", b"x"), ("workspace/a", b"y")], texts.TWICE_OR_WITHOUT_FOLDER),
        ([("workspace/a", b"x"), ("workspace/a/b", b"y")], texts.TWICE_OR_WITHOUT_FOLDER),
        ([("bot.db", b"x")], texts.TWICE_OR_WITHOUT_FOLDER),
        ([END, ("workspace/a", b"x")], texts.BEHIND_END),
        ([("workspace/a", {"size": 2**50})], texts.NO_ROOM),
    ],
)
def test_an_archive_that_is_hostile_is_refused(place: Path, tmp_path: Path, parts: list[Any], why: Text) -> None:
    said = refused(place, packed(tmp_path / "it.tar.gz", *good(place), *parts, END))
    assert says(said, why)
    assert not (tmp_path / "evil").exists()
    assert len(said) < 500


def test_a_header_that_would_fill_the_memory_is_refused(place: Path, tmp_path: Path) -> None:
    target = tmp_path / "it.tar.gz"
    header = tarfile.TarInfo("long")
    header.type, header.size = tarfile.XHDTYPE, 2**40
    packed(target, *good(place), ("workspace/a", b"x" * 512))
    plain = gzip.decompress(target.read_bytes()).rstrip(b"\0")
    target.write_bytes(gzip.compress(plain + header.tobuf(tarfile.GNU_FORMAT), mtime=0))
    assert texts.HOSTILE_HEADER(reason=texts.IMPOSSIBLE_LENGTH) in refused(place, target)


def test_folders_as_deep_as_paths_can_be_long_leave_nothing_behind(place: Path, tmp_path: Path) -> None:
    deep = [("workspace/" + "/".join("d" * number), {"type": tarfile.DIRTYPE}) for number in range(1, 1300)]
    assert is_cut_off(refused(place, packed(tmp_path / "it.tar.gz", *good(place), *deep)))


@pytest.mark.parametrize("more", [b"\0" * 10**8, b"1\n" * 10**7])
def test_headers_that_go_on_for_ever_are_refused(place: Path, tmp_path: Path, more: bytes) -> None:
    """A sparse file's map may be as long as it says: older ones in blocks of their own, newer ones in its content."""
    old = tarfile.TarInfo("workspace/a")
    old.type = tarfile.GNUTYPE_SPARSE
    new = tarfile.TarInfo("workspace/a")
    new.size, new.pax_headers = 10**9, {"GNU.sparse.major": "1", "GNU.sparse.minor": "0"}
    header = bytearray(old.tobuf(tarfile.GNU_FORMAT))
    header[482] = 1  # its map goes on in the next block
    header[148:156] = b"%06o\0 " % (sum(header[:148]) + 8 * 32 + sum(header[156:]))
    head = bytes(header) if more[0] == 0 else new.tobuf(tarfile.PAX_FORMAT) + b"9" * 9 + b"\n"
    blocks = more if more[0] else (more[:504] + b"\1" + more[505:512]) * (len(more) // 512)
    packed(tmp_path / "it.tar.gz", *good(place), ("workspace/b", b"x" * 512))
    plain = gzip.decompress((tmp_path / "it.tar.gz").read_bytes()).rstrip(b"\0")
    (tmp_path / "it.tar.gz").write_bytes(gzip.compress(plain + head + blocks, 1, mtime=0))
    assert texts.HOSTILE_HEADER(reason=texts.IMPOSSIBLE_LENGTH) in refused(place, tmp_path / "it.tar.gz")


@pytest.mark.parametrize("field", [{"GNU.sparse.map": "a,b"}, {"GNU.sparse.realsize": "x"}, {"GNU.sparse.size": "1e9"}])
def test_a_header_with_a_number_that_is_none_is_refused(place: Path, tmp_path: Path, field: dict[str, str]) -> None:
    odd = ("workspace/a", {"pax_headers": field})
    assert texts.HOSTILE_HEADER(reason=texts.UNREADABLE_NUMBER) in refused(
        place, packed(tmp_path / "it.tar.gz", *good(place), odd, END)
    )


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", texts.DAMAGED_OR_NO_BACKUP),
        (b"no archive at all", texts.NO_BACKUP),
        (gzip.compress(b"", mtime=0), texts.DAMAGED_OR_NO_BACKUP),
        (gzip.compress(b"x" * 2000, mtime=0), texts.DAMAGED_OR_NO_BACKUP),
    ],
)
def test_a_file_that_is_no_archive_is_refused(place: Path, tmp_path: Path, content: bytes, why: Text) -> None:
    (tmp_path / "it").write_bytes(content)
    assert says(refused(place, tmp_path / "it"), why)


@pytest.mark.parametrize(
    ("first", "why"),
    [
        (("other.json", b"{}"), texts.NO_MANIFEST),
        (("manifest.json", b"nonsense"), texts.MANIFEST_UNREADABLE),
        (("manifest.json", b"[" * 100_000), texts.MANIFEST_UNREADABLE),
        (("manifest.json", b'{"format": "another"}'), texts.MANIFEST_UNREADABLE),
        (("manifest.json", manifest(made_at="yesterday")), texts.MANIFEST_UNREADABLE),
        (("manifest.json", manifest(made_at="0001-01-01T00:00:00+00:00")), texts.MANIFEST_UNREADABLE),
        (("manifest.json", manifest(version=5)), texts.MANIFEST_UNREADABLE),
        (("manifest.json", manifest(taken_out="all")), texts.MANIFEST_UNREADABLE),
        (("manifest.json", b'{"format": ["retinue back-up"]}'), texts.MANIFEST_UNREADABLE),
        (("manifest.json", b'"retinue back-up"'), texts.MANIFEST_UNREADABLE),
        (("manifest.json", manifest(number=2, version="9.1")), texts.OF_NEWER_VERSION(version="9.1")),
        (("manifest.json", b"x" * 1_000_001), texts.NOT_SHORT),
        (("manifest.json", manifest(messages=7)), texts.OTHER_DATABASE),
    ],
)
def test_a_manifest_that_cannot_be_is_refused(place: Path, tmp_path: Path, first: Any, why: str) -> None:
    assert why in refused(place, packed(tmp_path / "it.tar.gz", first, *good(place)[1:], END))


@pytest.mark.parametrize("end", [b"", b"nonsense", b"{}", b'{"files": "1"}', b"\xff"])
def test_an_end_that_says_nothing_is_refused(place: Path, tmp_path: Path, end: bytes) -> None:
    source = packed(tmp_path / "it.tar.gz", *good(place), ("contents.json", end))
    assert texts.CONTENTS_UNREADABLE in refused(place, source)


def test_wherever_it_is_cut_off_it_is_refused(place: Path, tmp_path: Path) -> None:
    (place / "workspace" / "more").write_bytes(os.urandom(50_000))
    whole = saved(place, tmp_path / "it.tar.gz").read_bytes()
    for length in (*range(2, 40), *range(40, len(whole), len(whole) // 25), len(whole) - 1):
        (tmp_path / "cut").write_bytes(whole[:length])
        assert is_cut_off(refused(place, tmp_path / "cut"))
    plain = gzip.decompress(whole)
    (tmp_path / "cut").write_bytes(gzip.compress(plain[: plain.index(b"contents.json") // 512 * 512], mtime=0))
    assert is_cut_off(refused(place, tmp_path / "cut"))  # also where somebody has packed what is left again


def unpacked(packed: bytes | bytearray) -> bytes | None:
    try:
        return gzip.decompress(packed)
    except (OSError, EOFError, zlib.error):
        return None


def test_wherever_it_is_damaged_it_is_refused(place: Path, tmp_path: Path) -> None:
    whole = bytearray(saved(place, tmp_path / "it.tar.gz").read_bytes())
    for at in range(0, len(whole), len(whole) // 40):
        if at in range(3, 10):
            continue  # the time and the system in gzip's header, which mean nothing
        broken = whole.copy()
        broken[at] ^= 0xFF
        if unpacked(broken) == unpacked(whole):
            continue  # of a code that no byte of it uses
        (tmp_path / "broken").write_bytes(broken)
        assert refused(place, tmp_path / "broken")


def sql(place: Path, statement: str) -> bytes:
    path = place / "other.db"
    path.write_bytes(empty_database())
    with closing(connection(path)) as db:
        db.executescript(f"PRAGMA foreign_keys=OFF; PRAGMA ignore_check_constraints=ON; {statement}")
    return path.read_bytes()


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("DROP TABLE memories", store_texts.COPY_NOT_OURS(names="memories").removesuffix(")")),
        ("CREATE TABLE more (a)", store_texts.COPY_NOT_OURS(names="more")),
        (
            "CREATE TRIGGER evil AFTER INSERT ON inbox BEGIN DELETE FROM outbox; END",
            store_texts.COPY_NOT_OURS(names="evil"),
        ),
        ("ALTER TABLE inbox DROP COLUMN why", store_texts.COPY_NOT_OURS(names="inbox")),
        ("DROP TABLE sessions", NOT_OURS),
        (f"PRAGMA user_version = {len(STEPS) + 1}", "newer version of Retinue"),
        (
            "INSERT INTO entries VALUES ('none', 0, 0, 'none', 'user', '[]')",
            store_texts.COPY_NAMES_MISSING_ROWS(table="entries"),
        ),
    ],
)
def test_a_database_that_is_none_of_ours_is_refused(place: Path, tmp_path: Path, statement: str, why: str) -> None:
    parts = [("manifest.json", manifest()), ("bot.db", sql(tmp_path, statement)), END]
    assert why in refused(place, packed(tmp_path / "it.tar.gz", *parts))


def test_a_database_that_is_damaged_is_refused(place: Path, tmp_path: Path) -> None:
    for number in range(60):
        write(place, f"{number}" * 500)
    with closing(connection(place / "data" / "bot.db")) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole = (place / "data" / "bot.db").read_bytes()
    parts = [("manifest.json", manifest(messages=61)), END]
    broken = whole[: len(whole) - 20_000] + b"\xff" * 20_000
    for content, why in ((broken, "damaged|cannot be used"), (b"x" * 5000, "cannot be used"), (b"", NOT_OURS)):
        source = packed(tmp_path / "it.tar.gz", parts[0], ("bot.db", content), parts[1])
        assert any(each in refused(place, source) for each in why.split("|"))
    assert texts.NO_DATABASE in refused(place, packed(tmp_path / "it.tar.gz", *parts))
