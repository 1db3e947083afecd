"""What `add-tenant` refuses before it asks or writes anything."""

import io
import json
import os
import sys
from pathlib import Path

import pytest

from bot.cli import leave_with
from bot.cli.tenants.add_tenant import command
from tests.tenants.papers import KEY, TELEGRAM, telegram

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="each tenant gets a user of its own, which takes root")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "given").mkdir()
    (tmp_path / "given/channels__telegram__token").write_text(TELEGRAM)
    (tmp_path / "given/model__api_key").write_text(KEY)
    (tmp_path / "acme.json").write_text(json.dumps(telegram()))
    return tmp_path


def refusal(files: Path, terminal: pytest.CaptureFixture[str], *words: str, secrets: str = "") -> str:
    """What is said, with exit status 2."""
    given = ["--root", str(files / "srv"), "--config", str(files / "acme.json")]
    given += ["--secrets", secrets or str(files / "given")]
    with pytest.raises(SystemExit) as end:
        leave_with([*given, *words], lambda: command, "add-tenant")
    said = terminal.readouterr()
    assert (end.value.code, said.out) == (2, "")
    assert not (files / "srv").exists()
    assert not [secret for secret in (TELEGRAM, KEY) if secret in said.err]
    return said.err


@pytest.mark.parametrize("name", ["ok\n../../evil", "ACME", "-x", "a" * 300, "default", "../evil", ""])
def test_a_bad_name(files: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert len(refusal(files, capsys, "--", name).splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--target", "systemd", "--image", "a"], "runs a checkout"),
        (["--target", "kubernetes"], "--image is missing"),
        (["--target", "nomad"], "'nomad' is not one of"),
        (["--budget", "0"], "--budget must be"),
        (["--budget", "nan"], "--budget must be"),
        (["--budget", "much"], "is not a valid float"),
        (["--time-zone", "Mars/Olympus"], "no time zone"),
        (["--disk", "lots"], "is no size"),
        (["--roles", "/nowhere"], "cannot be read"),
        (["--config", "/nowhere"], "cannot read this file"),
        (["--token", "secret"], "No such option"),
        *(
            (["--image", image], "no image")
            for image in ("", "two words", "-x", "../up", "a:b:c", "UPPER/case", "x;id")
        ),
    ],
)
def test_an_option_that_cannot_be(files: Path, capsys: pytest.CaptureFixture[str], words: list[str], says: str) -> None:
    assert says in refusal(files, capsys, "acme", *words)


@pytest.mark.parametrize(
    "stdin", ["", "[]", '{"model__api_key": 3}', '{"a": "1", "a": "2"}', "sk-ant-plain", "[" * 9_999]
)
def test_what_else_stands_on_stdin(
    files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, stdin: str
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
    assert "one JSON object" in refusal(files, capsys, "acme", secrets="-")


def test_a_folder_of_secrets_with_something_else_in_it(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "given/README").write_text("these are secrets")
    assert "'README' is no secret" in refusal(files, capsys, "acme")
    (files / "given/README").unlink()
    (files / "given/model__api_key").write_bytes(b"\xff\xfe")
    assert "not UTF-8" in refusal(files, capsys, "acme")


@pytest.mark.parametrize("values", [{"limits": []}, {"limits": None}, {"channels": []}, {"swarm": "no"}])
def test_settings_of_another_form(files: Path, capsys: pytest.CaptureFixture[str], values: dict[str, object]) -> None:
    (files / "acme.json").write_text(json.dumps({**telegram(), **values}))
    assert next(iter(values)) in refusal(files, capsys, "acme", "--budget", "3", "--ask")


def test_without_root_it_is_refused_before_anything_is_asked(
    files: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert "use sudo" in refusal(files, capsys, "acme")


def test_a_root_that_is_a_file(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "file").write_text("")
    assert "cannot read this folder" in refusal(files, capsys, "acme", "--root", str(files / "file"))
