"""What is logged, in both forms: whole lines, no secret, and nothing that somebody wrote."""

import errno
import json
import logging
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bot.cli import texts
from bot.core.errors import ConfigError, DeliveryError, ToolError
from bot.core.exit_status import ExitStatus
from bot.core.texts import operators
from bot.ops import texts as ops_texts
from bot.ops.log_redaction import RedactingFormatter, RedactingJsonFormatter
from bot.ops.logs import open_log_file_handler
from channels.formatting import redact_quotations
from tests.support.run_command import served
from tests.support.shell import Shell

TOKEN = "123456:AAE-token/with+signs"
SECRETS = {TOKEN, TOKEN.partition(":")[2]}
LOST = "Task exception was never retrieved"
LINES, JSON = RedactingFormatter(SECRETS), RedactingJsonFormatter(SECRETS)


def record(message: str, *arguments: Any, name: str = "bot.engine.courier", error: BaseException | None = None) -> Any:
    about = (type(error), error, error.__traceback__) if error else None
    return logging.LogRecord(name, logging.ERROR, "a.py", 7, message, arguments, about, "f")


def raised(error: Exception, cause: BaseException | None = None) -> Exception:
    with pytest.raises(type(error)) as caught:
        raise error from cause
    return caught.value


def as_json(made: logging.LogRecord) -> dict[str, str]:
    line = JSON.format(made)
    assert line.isascii()
    assert len(line.splitlines()) == 1
    said: dict[str, str] = json.loads(line)
    return said


def test_an_object_says_when_how_bad_who_what_and_about_what() -> None:
    made = record("%s is lost", "t7/1")
    made.turn, made.channel, made.created = "t7", "telegram", 1_790_000_000.25
    assert as_json(made) == {
        "time": "2026-09-21T14:13:20.250+00:00",
        "level": "ERROR",
        "logger": "bot.engine.courier",
        "message": "t7/1 is lost",
        "turn": "t7",
        "channel": "telegram",
    }


@pytest.mark.parametrize("form", [LINES, JSON], ids=["lines", "json"])
def test_no_form_of_a_secret_is_seen_nor_in_what_caused_what(form: logging.Formatter) -> None:
    address = f"GET https://api.telegram.org/bot{TOKEN}/getMe"
    cause = raised(ConnectionError(address))
    error = raised(ExceptionGroup(TOKEN, [raised(ConfigError(f"with {TOKEN.encode().hex()}"), cause)]))
    made = record("with %s and %s", TOKEN, "AAE-token%2Fwith%2Bsigns", error=error)
    made.turn = TOKEN
    line = form.format(made)
    assert "AAE" not in line
    assert TOKEN.encode().hex() not in line
    assert "GET https://api.telegram.org/bot" in line, "and the rest is"


@pytest.mark.parametrize(
    "error",
    [
        ValueError("canary"),
        KeyError("canary"),
        ToolError("canary"),
        sqlite3.OperationalError('fts5: syntax error near "canary"'),
        FileNotFoundError(2, "No such file or directory", "canary.txt"),
        UnicodeEncodeError("utf-8", "canary\ud800", 6, 7, "canary"),
        ExceptionGroup("canary", [ValueError("canary"), ExceptionGroup("canary", [KeyError("canary")])]),
        AssertionError("canary"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_of_an_exception_its_kind_is_told_and_not_its_text(error: Exception) -> None:
    outer = raised(RuntimeError("canary"), raised(error))
    for made in (record("turn %s failed", "t7", error=outer), record("it failed: %s", error)):
        told = as_json(made)
        assert "canary" not in LINES.format(made) + json.dumps(told)
    exception = as_json(record("turn %s failed", "t7", error=outer))["exception"]
    assert type(error).__name__ in exception
    assert exception.splitlines()[-1] == "RuntimeError"
    assert "in raised\n    raise error from cause" in exception


def test_our_own_and_the_systems_messages_are_logged() -> None:
    assert as_json(record("%s", DeliveryError("Telegram says no")))["message"] == "Telegram says no"
    full = os.strerror(errno.ENOSPC)
    assert as_json(record("%s", OSError(errno.ENOSPC, full, "secret.txt")))["message"] == full
    assert as_json(record("%s", raised(NameError("name 'x' is not defined"))))["message"] == "name 'x' is not defined"


@pytest.mark.parametrize(
    ("message", "arguments", "name", "told"),
    [
        ("update %r cannot be read", ("canary",), "telegram.ext.Updater", "update %r cannot be read"),
        ("%s", ("canary",), "discord.client", ops_texts.LIBRARY_LOGS(function="f", module="a", line=7)),
        ("update canary", (), "telegram", ops_texts.LIBRARY_LOGS(function="f", module="a", line=7)),
        (
            f"{LOST}\nfuture: <Task ValueError('canary')>",
            (),
            "asyncio",
            LOST,
        ),
        (
            "%s",
            ("a.py:3: UserWarning: canary\n  f(canary)\n",),
            "py.warnings",
            ops_texts.WARNING_OF_PYTHON(kind="UserWarning", place="a.py:3"),
        ),
    ],
)
def test_of_a_library_the_template_is_told_and_not_what_is_put_into_it(
    message: str, arguments: tuple[object, ...], name: str, told: str
) -> None:
    assert as_json(record(message, *arguments, name=name))["message"] == told


@pytest.mark.parametrize("text", ["two\nlines", "\r\x1b[2J", "half \ud800 of one", "\0", "\u2028\x85", "%s %d"])
def test_nothing_in_a_record_breaks_a_line(text: str) -> None:
    made = record("it says %s", text, error=raised(ConfigError(text)))
    told = as_json(made)
    assert told["message"].startswith("it says ")
    told["message"].encode()
    head, *rest = LINES.format(made).split("\n")
    assert all(letter.isprintable() for line in (head, *rest) for letter in line)
    assert all(line.startswith("  ") for line in rest)


def test_a_slip_in_a_template_of_ours_is_no_riddle() -> None:
    assert as_json(record("%d", "canary"))["message"] == ops_texts.TEMPLATE_IS_WRONG(template="%d", path="a.py", line=7)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ('can\'t parse entities: unsupported tag "canary"', "can't parse entities: unsupported tag “…”"),
        ("the URL 'http://canary' is the user's", "the URL “…” is the user's"),
        ("bot can't write: user's chat", "bot can't write: user's chat"),
    ],
)
def test_a_platforms_quotes_are_not_logged(words: str, told: str) -> None:
    assert redact_quotations(words) == told


@pytest.mark.parametrize(("is_json", "shown"), [(True, "{"), (False, "20")])
def test_an_uncaught_error_is_logged_like_any_other(tmp_path: Path, is_json: bool, shown: str) -> None:
    script = (
        "import sys, threading\nfrom bot.ops import logs\nname = 'can' + 'ary'\n"  # a line of code may be shown
        f"logs.set_up_stderr_logging({{'secret'}}, is_json={is_json})\n"
        "class Lost:\n    def __del__(self):\n        raise ValueError(name)\n"
        "del (lost := [Lost()])[0]\n"
        "thread = threading.Thread(target=lambda: 1 / int(name)); thread.start(); thread.join()\n"
        "raise ValueError(f'{name} with a secret')\n"
    )
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    heads = [line for line in said.stderr.splitlines() if not line.startswith("  ")]
    assert said.returncode == 1
    assert "canary" not in said.stderr
    assert len(heads) == 3
    assert all(line.startswith(shown) and ops_texts.UNFORESEEN_ERROR in line for line in heads)
    if is_json:
        assert "ValueError" in json.loads(heads[-1])["exception"]


def test_only_its_owner_can_read_the_log_file_also_after_it_was_full(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        handler = open_log_file_handler(tmp_path, SECRETS)
        handler.maxBytes = 10
        for number in range(3):
            handler.emit(record(f"{number} é"))
        handler.close()
    finally:
        os.umask(old)
    files = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    assert files == {"retinue.log": 0o600, "retinue.log.1": 0o600}
    assert "2 é" in (tmp_path / "retinue.log").read_text(encoding="utf-8")


async def test_with_json_every_line_of_a_run_is_an_object(tmp_path: Path) -> None:
    async with served(tmp_path, logs="json") as service:
        service.shell.settings["TELEGRAM_BOT_TOKEN"] = "123456:revoked-token"
        async with service.shell.begun("run") as process:
            assert process.stderr
            where, first = [json.loads(await process.stderr.readline()) for _ in range(2)]
            refused = json.loads(await process.stderr.readline())
            second = await service.shell.retinue("run")
            status, rest = await service.stopped(process, signal.SIGTERM)
        service.shell.settings["RETINUE_CHANNELS__DISCORD__ENABLED"] = "false"
        service.shell.settings["RETINUE_CHANNELS__TELEGRAM__ENABLED"] = "false"
        unready = await service.shell.retinue("run")
    assert (where["level"], where["message"].split(":")[0]) == ("INFO", "config")
    assert (first["level"], first["message"]) == ("INFO", texts.ANSWERING(channels="telegram and discord"))
    assert (refused["level"], refused["logger"]) == ("ERROR", "channels.telegram.client")
    assert "token" in refused["message"]
    levels = {json.loads(line)["level"] for line in rest.splitlines()}
    assert (status, levels <= {"WARNING"}) == (0, True), rest  # a busy machine is told
    assert (second.status, unready.status) == (ExitStatus.IN_USE, ExitStatus.WRONG_CONFIG)
    keys = "channels.telegram.enabled or channels.discord.enabled"
    no_channel = texts.NO_CHANNEL(origin=tmp_path / "config.json", command="retinue setup", keys=keys)
    assert json.loads(unready.err)["message"] == no_channel
    in_use = operators.FOLDER_IN_USE(folder=service.shell.data, process=process.pid)
    assert json.loads(second.err)["message"] == in_use


def test_the_terminals_log_is_discreet_too(tmp_path: Path) -> None:
    script = (
        "import logging\nfrom pathlib import Path\nfrom bot.cli.startup import make_data_folder_and_open_log\n"
        "make_data_folder_and_open_log(Path('data'), {'canary'})\n"
        "logging.getLogger('bot').error('with a canary: %s', ValueError('canary'))\n"
    )
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=Shell(tmp_path).environment, check=True)
    assert (tmp_path / "data" / "retinue.log").read_text().endswith(" ERROR bot: with a …: ValueError\n")
