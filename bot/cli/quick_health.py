"""`retinue health` as a running bot answers it, with few imports: monitors and containers ask each minute.

Only where the config file is named, as units and containers name it: where it is found otherwise, and what its
settings are, the command itself knows, which takes ten times as long.
"""

import json
import os
import sys
from collections.abc import Sequence

from bot.ops.control.client import ask_running_bot

ANSWER_SECONDS = 3.0  # for the answer: whoever asks gives up after 15
UNHEALTHY = 1
CONFIG, JSON = "--config", "--json"


def answer_health_quickly(words: Sequence[str]) -> int | None:
    """Print what the bot says, and return the exit status; None where the command itself has to find it out."""
    file, is_json = parse_health_words(words)
    folder = find_data_folder(file) if file else None
    answer = ask_running_bot(folder, ANSWER_SECONDS, ask="health") if folder else None
    return None if answer is None else print_health(answer, is_json=is_json)


def print_health(answer: dict[str, object], *, is_json: bool) -> int:
    """Print a bot's answer as `retinue health` does; return the exit status."""
    sys.stdout.write((json.dumps(answer["condition"]) if is_json else str(answer["words"])) + "\n")
    sys.stdout.flush()
    return 0 if answer["healthy"] is True else UNHEALTHY


def parse_health_words(words: Sequence[str]) -> tuple[str, bool]:
    """The config file that is named, and whether JSON is asked for; no file where there is anything else."""
    file, is_json, rest = os.environ.get("RETINUE_CONFIG", ""), False, list(words)
    while rest:
        word = rest.pop(0)
        if word == JSON:
            is_json = True
        elif word == CONFIG and rest:
            file = rest.pop(0)
        elif word.startswith(f"{CONFIG}="):
            file = word.removeprefix(f"{CONFIG}=")
        else:
            return "", False
    return file, is_json


def find_data_folder(file: str) -> str | None:
    """The data folder of that config file; None where it is not for this module to say."""
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
