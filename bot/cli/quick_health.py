"""Answer `retinue health` from a running bot, with few imports, because monitors and containers ask each minute.

This works only if the command line or the environment names the config file, as in units and containers.
Otherwise the command itself finds the file and loads the settings, which takes ten times as long.
"""

import json
import os
import sys
from collections.abc import Sequence

from bot.cli import print_stdout_error_and_get_status
from bot.core.exit_status import ExitStatus
from bot.ops.control.unix_socket import ask_running_bot, connect_to_bot

ANSWER_TIMEOUT_SECONDS = 3.0  # for the bot's answer; monitors stop waiting after 15
DEMO_FOLDER_NAME = "demo"  # as in bot.config.paths, which imports too much
CONFIG_OPTION, JSON_OPTION = "--config", "--json"


def print_health_if_bot_answers(words: Sequence[str]) -> ExitStatus | None:
    """Print the bot's answer and return the exit status. Return None if the full command must find the answer."""
    file, is_json = parse_health_arguments(words)
    folder = read_data_folder_from_config(file) if file else None
    answer = ask_running_bot_for_health(folder) if folder else None
    return print_health_and_get_status(answer, is_json=is_json) if answer else None


def ask_running_bot_for_health(data: str | os.PathLike[str]) -> dict[str, object] | None:
    """Return the answer of the folder's bot, or if none is there, of the demo's below; None if that does not answer."""
    if here := connect_to_bot(data, ANSWER_TIMEOUT_SECONDS):
        here.close()
    return ask_running_bot(data if here else os.path.join(data, DEMO_FOLDER_NAME), ANSWER_TIMEOUT_SECONDS, ask="health")


def print_health_and_get_status(answer: dict[str, object], *, is_json: bool) -> ExitStatus:
    """Print a bot's answer for `retinue health`. Return the exit status."""
    try:
        sys.stdout.write((json.dumps(answer["condition"]) if is_json else str(answer["words"])) + "\n")
        sys.stdout.flush()
    except OSError as error:
        return print_stdout_error_and_get_status(error)
    return ExitStatus.DONE if answer["healthy"] is True else ExitStatus.NOT_DONE


def parse_health_arguments(words: Sequence[str]) -> tuple[str, bool]:
    """Return the named config file, or "", and True if --json is set. For any other word, return "" and False."""
    file, is_json, rest = os.environ.get("RETINUE_CONFIG", ""), False, list(words)
    while rest:
        word = rest.pop(0)
        if word == JSON_OPTION:
            is_json = True
        elif word == CONFIG_OPTION and rest:
            file = rest.pop(0)
        elif word.startswith(f"{CONFIG_OPTION}="):
            file = word.removeprefix(f"{CONFIG_OPTION}=")
        else:
            return "", False
    return file, is_json


def read_data_folder_from_config(file: str) -> str | None:
    """Return the config file's data folder; None if it is unreadable, or a variable or a secret file sets another."""
    beside = os.path.dirname(os.path.abspath(file))
    secrets = (os.path.join(beside, "secrets"), os.environ.get("CREDENTIALS_DIRECTORY", ""))
    set_elsewhere = any(name.upper() == "RETINUE_DATA_DIR" for name in os.environ)
    if set_elsewhere or any(os.path.lexists(os.path.join(folder, "data_dir")) for folder in secrets if folder):
        return None
    try:
        with open(file, encoding="utf-8-sig") as opened:
            named = json.load(opened).get("data_dir", "data")
    except (OSError, ValueError, AttributeError):
        return None
    return os.path.join(beside, named) if isinstance(named, str) else None
