"""What `add-tenant` refuses before it asks or writes anything."""

import errno
import io
import json
import os
import shutil
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from bot.cli import run_and_exit
from bot.tenants import making_texts
from bot.tenants.commands import texts
from bot.tenants.commands.add_tenant import command
from bot.tenants.targets import texts as of_targets
from tests.support.users import as_nobody
from tests.support.wording import says
from tests.tenants.papers import KEY, TELEGRAM, telegram

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="each tenant gets a user of its own, which takes root")

NOBODY_ELSE = nullcontext()


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "given").mkdir()
    (tmp_path / "given/channels__telegram__token").write_text(TELEGRAM)
    (tmp_path / "given/model__api_key").write_text(KEY)
    (tmp_path / "acme.json").write_text(json.dumps(telegram()))
    return tmp_path


def refusal(
    files: Path,
    terminal: pytest.CaptureFixture[str],
    *words: str,
    secrets: str = "",
    user: AbstractContextManager[None] = NOBODY_ELSE,
) -> str:
    """What is said to a user, with exit status 2."""
    given = ["--root", str(files / "srv"), "--config", str(files / "acme.json")]
    given += ["--secrets", secrets or str(files / "given")]
    with user, pytest.raises(SystemExit) as end:
        run_and_exit([*given, *words], lambda: command, "add-tenant")
    said = terminal.readouterr()
    assert (end.value.code, said.out) == (2, "")
    assert not (files / "srv").exists()
    assert not [secret for secret in (TELEGRAM, KEY) if secret in said.err]
    return said.err


@pytest.mark.parametrize("name", ["ok\n../../evil", "ACME", "-x", "a" * 300, "default", "../evil", ""])
def test_a_bad_name(files: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert len(refusal(files, capsys, "--", name).splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--target", "systemd", "--image", "a"], making_texts.SYSTEMD_RUNS_NO_IMAGE),
        (["--target", "kubernetes"], making_texts.IMAGE_MISSING(command="scripts/build-image")),
        (["--target", "nomad"], "'nomad' is not one of"),
        (["--budget", "0"], texts.BUDGET_IMPOSSIBLE),
        (["--budget", "nan"], texts.BUDGET_IMPOSSIBLE),
        (["--budget", "much"], "is not a valid float"),
        (["--time-zone", "Mars/Olympus"], "time_zone"),
        (["--disk", "lots"], of_targets.NO_SIZE(size="lots")),
        (["--roles", "/nowhere"], making_texts.CANNOT_READ(path="/nowhere", error=os.strerror(errno.ENOENT))),
        (["--config", "/nowhere"], "/nowhere"),
        (["--token", "secret"], "No such option"),
        *(
            (["--image", image], making_texts.NO_IMAGE(image=image))
            for image in ("", "two words", "-x", "../up", "a:b:c", "UPPER/case", "x;id")
        ),
    ],
)
def test_an_option_that_cannot_be(files: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str) -> None:
    assert said in refusal(files, capsys, "acme", *words)


@pytest.mark.parametrize(
    "stdin", ["", "[]", '{"model__api_key": 3}', '{"a": "1", "a": "2"}', "sk-ant-plain", "[" * 9_999]
)
def test_stdin_without_secrets_in_json_is_refused(
    files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, stdin: str
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
    assert texts.SECRETS_NOT_JSON() in refusal(files, capsys, "acme", secrets="-")


def test_a_folder_of_secrets_with_something_else_in_it(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "given/README").write_text("these are secrets")
    assert says(refusal(files, capsys, "acme"), texts.NO_SUCH_SECRET, name="README")
    (files / "given/README").unlink()
    (files / "given/model__api_key").write_bytes(b"\xff\xfe")
    assert texts.SECRET_NOT_TEXT(folder=files / "given") in refusal(files, capsys, "acme")


@pytest.mark.parametrize("values", [{"limits": []}, {"limits": None}, {"channels": []}, {"swarm": "no"}])
def test_settings_of_another_form(files: Path, capsys: pytest.CaptureFixture[str], values: dict[str, object]) -> None:
    (files / "acme.json").write_text(json.dumps({**telegram(), **values}))
    assert next(iter(values)) in refusal(files, capsys, "acme", "--budget", "3", "--ask")


def test_without_root_it_is_refused_before_anything_is_asked(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with TemporaryDirectory() as folder:
        shutil.copytree(files, folder, dirs_exist_ok=True)
        os.chmod(folder, 0o755)  # the copy has the mode of what is copied
        assert says(refusal(Path(folder), capsys, "acme", user=as_nobody()), making_texts.NEEDS_ROOT)


def test_a_root_that_is_a_file(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = str(files / "file")
    Path(root).write_text("")
    assert says(refusal(files, capsys, "acme", "--root", root), making_texts.FOLDER_UNREADABLE, folder=root)
