"""Nothing leads out of the workspace: no path, no link, nobody who swaps them meanwhile. By the kernel and by hand.

Whatever these tests try to reach lies in a temporary folder: where one fails, something has been written there.
"""

import errno
import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from bot.tools.path_sandbox import OpenBeneath, best_folder_opener, open_folder_by_kernel, open_folder_by_walking
from bot.tools.workspace import TEMPORARY_FILE_PREFIX, Workspace

SECRET = b"the operator's own"
WAYS = [
    pytest.param(
        open_folder_by_kernel,
        marks=pytest.mark.skipif(
            best_folder_opener() is not open_folder_by_kernel, reason="this kernel has no openat2"
        ),
    ),
    open_folder_by_walking,
]


@pytest.fixture(params=WAYS, ids=lambda way: way.__name__)
def beneath(request: pytest.FixtureRequest) -> OpenBeneath:
    way: OpenBeneath = request.param
    return way


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with a file, and beside it a folder that is none of the bot's business."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_bytes(SECRET)
    (tmp_path / "ws" / "notes" / "deep").mkdir(parents=True)
    (tmp_path / "ws" / "notes" / "plan").write_bytes(b"plan")
    return tmp_path / "ws"


@pytest.fixture
def workspace(root: Path, beneath: OpenBeneath) -> Iterator[Workspace]:
    before = len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0
    yield Workspace(root, beneath)
    assert not before or len(os.listdir("/proc/self/fd")) == before, "a folder was left open"


def read(workspace: Workspace, path: str) -> bytes:
    with workspace.open_file_location(workspace.relative_path(path)) as location:
        return location.read_content(1_000)[0]


def write(workspace: Workspace, path: str, content: bytes, *, make: bool = True) -> None:
    with workspace.open_writable_file_location(workspace.relative_path(path), make=make) as location:
        location.replace_content(content, location.regular_file_status())


def refused(workspace: Workspace, path: str) -> set[str]:
    """How the three ways to touch a path are refused; fails if one is not."""
    codes = set()
    for touch in (read, lambda ws, path: write(ws, path, b"mine"), lambda ws, path: ws.list_entries(path).__enter__()):
        with pytest.raises(OSError) as error:  # noqa: PT011  # the errno is what is looked at
            touch(workspace, path)
        codes.add(errno.errorcode[error.value.errno or 0])
    return codes


@pytest.mark.parametrize(
    "path",
    [
        "../outside/secret",
        "notes/../../outside/secret",
        "notes/deep/../../../outside/secret",
        "../ws/../outside/secret",
        "{top}/outside/secret",
        "/{top}/outside/secret",
        "/proc/self/root{top}/outside/secret",
    ],
)
def test_no_path_leads_out(workspace: Workspace, root: Path, path: str) -> None:
    assert refused(workspace, path.format(top=root.parent)) == {"EXDEV"}
    assert (root.parent / "outside" / "secret").read_bytes() == SECRET


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("../outside", "link/secret"),
        ("../outside/secret", "link"),
        ("notes/../../outside", "link/secret"),
        ("{top}/outside", "link/secret"),
        ("{top}/ws/notes", "link/plan"),  # in the end inside; but an absolute link is not followed at all
        ("/proc/self/root", "link{top}/outside/secret"),
        ("/proc/self/cwd", "link/secret"),
    ],
)
def test_no_link_leads_out(
    workspace: Workspace, root: Path, target: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root.parent / "outside")
    (root / "link").symlink_to(target.format(top=root.parent))
    assert refused(workspace, path.format(top=root.parent)) == {"EXDEV"}
    assert (root.parent / "outside" / "secret").read_bytes() == SECRET
    assert (root / "link").is_symlink()


def test_a_link_of_links_that_leads_out_is_refused_at_its_end(workspace: Workspace, root: Path) -> None:
    (root / "notes" / "up").symlink_to("..")
    (root / "notes" / "deep" / "far").symlink_to("../up/../outside")
    assert refused(workspace, "notes/deep/far/secret") == {"EXDEV"}


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="no /proc here")
def test_links_of_proc_are_not_followed(root: Path, beneath: OpenBeneath, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    proc = Workspace(Path("/proc/self"), beneath)
    with open(root / "notes" / "plan") as file:
        for path in (f"root{root}/notes/plan", "cwd/notes/plan", f"fd/{file.fileno()}"):
            with pytest.raises(OSError):  # noqa: PT011  # which one differs
                read(proc, path)


def test_links_that_stay_inside_are_followed_and_stay_links(workspace: Workspace, root: Path) -> None:
    (root / "notes" / "deep" / "back").symlink_to("../plan")
    (root / "short").symlink_to("notes/deep")
    write(workspace, "short/back", b"a better plan")
    assert read(workspace, "short/../plan") == b"a better plan"
    assert (root / "notes" / "plan").read_bytes() == b"a better plan"
    assert (root / "notes" / "deep" / "back").is_symlink()


def test_links_in_a_circle_end(workspace: Workspace, root: Path) -> None:
    (root / "a").symlink_to("b")
    (root / "b").symlink_to("a")
    (root / "notes" / "me").symlink_to("../notes/me")
    assert refused(workspace, "a") == refused(workspace, "notes/me/x") == {"ELOOP"}


def test_a_path_of_a_thousand_folders_is_refused_before_it_is_walked(workspace: Workspace) -> None:
    with pytest.raises(OSError, match="too long"):
        workspace.relative_path("x/" * 1_000 + "y")
    with pytest.raises(OSError, match="too long"):
        workspace.relative_path("nul\0")


def test_a_path_from_the_root_of_the_machine_may_name_what_is_inside(workspace: Workspace, root: Path) -> None:
    assert read(workspace, str(root / "notes" / "plan")) == b"plan"
    assert refused(workspace, f"{root}/../outside/secret") == {"EXDEV"}


def test_a_workspace_that_is_reached_by_a_link_is_one(root: Path, beneath: OpenBeneath) -> None:
    (root.parent / "alias").symlink_to(root)
    alias = Workspace(root.parent / "alias", beneath)
    assert read(alias, "notes/plan") == read(alias, str(root / "notes" / "plan")) == b"plan"


def test_a_folder_swapped_for_a_link_after_its_opening_changes_nothing(root: Path, beneath: OpenBeneath) -> None:
    outside = root.parent / "outside"

    def swapped(folder: int, path: str) -> int:
        opened = beneath(folder, path)
        if path == "notes" and not (root / "notes").is_symlink():
            (root / "notes").rename(root / "moved")
            (root / "notes").symlink_to(outside)
        return opened

    assert read(Workspace(root, swapped), "notes/plan") == b"plan"
    assert (root / "notes").is_symlink()
    assert os.listdir(outside) == ["secret"]


def test_a_name_that_is_swapped_for_a_link_is_not_followed(workspace: Workspace, root: Path) -> None:
    with workspace.open_writable_file_location("notes/plan") as location:
        (root / "notes" / "plan").unlink()
        (root / "notes" / "plan").symlink_to(root.parent / "outside" / "secret")
        with pytest.raises(OSError, match="symbolic links"):
            location.read_content(1_000)
        with pytest.raises(OSError, match="symbolic links"):
            location.replace_content(b"mine", None)
    assert (root.parent / "outside" / "secret").read_bytes() == SECRET


def test_a_folder_that_is_swapped_while_it_is_written_in_changes_nothing(root: Path) -> None:
    with Workspace(root).open_writable_file_location("notes/plan") as location:
        (root / "notes").rename(root / "moved")
        (root / "notes").symlink_to(root.parent / "outside")
        location.replace_content(b"mine", location.regular_file_status())
    assert (root / "moved" / "plan").read_bytes() == b"mine"
    assert os.listdir(root.parent / "outside") == ["secret"]


def test_somebody_who_swaps_folders_all_the_time_gets_nothing_out(workspace: Workspace, root: Path) -> None:
    """Not every order of things is met in one run; but none that is may leak."""
    (root / "in").mkdir()
    (root / "in" / "secret").write_bytes(b"harmless")
    (root / "out").symlink_to("../outside")
    over = threading.Event()

    def swap() -> None:
        while not over.is_set():
            (root / "in").rename(root / "spare")
            (root / "out").rename(root / "in")
            (root / "in").rename(root / "out")
            (root / "spare").rename(root / "in")

    swapping = threading.Thread(target=swap)
    swapping.start()
    seen = set()
    try:
        for _ in range(300):
            with suppress(OSError):
                seen.add(read(workspace, "in/secret"))
                write(workspace, "in/secret", b"harmless", make=False)
    finally:
        over.set()
        swapping.join()
    assert seen <= {b"harmless"}
    assert (root.parent / "outside" / "secret").read_bytes() == SECRET


def test_a_file_is_replaced_whole_with_the_same_permissions(workspace: Workspace, root: Path) -> None:
    plan = root / "notes" / "plan"
    plan.chmod(0o750)
    os.link(plan, root / "as it was")
    write(workspace, "notes/plan", b"another")
    assert plan.read_bytes() == b"another"
    assert plan.stat().st_mode & 0o777 == 0o750
    assert (root / "as it was").read_bytes() == b"plan"


def test_an_irreplaceable_file_stays_unchanged_with_nothing_beside_it(workspace: Workspace, root: Path) -> None:
    with workspace.open_writable_file_location("notes/plan") as location:
        before = location.regular_file_status()
        (root / "notes" / "plan").write_bytes(b"somebody else's")
        with pytest.raises(OSError) as error:  # noqa: PT011  # the errno is what is looked at
            location.replace_content(b"mine", before)
    assert error.value.errno == errno.ESTALE
    assert (root / "notes" / "plan").read_bytes() == b"somebody else's"
    assert sorted(os.listdir(root / "notes")) == ["deep", "plan"]


def test_drafts_that_a_kill_left_behind_are_not_listed(workspace: Workspace, root: Path) -> None:
    (root / f"{TEMPORARY_FILE_PREFIX}0123").write_bytes(b"half a fi")
    with workspace.list_entries(".") as entries:
        assert [entry.name for entry in entries] == ["notes"]
