"""What `retinue doctor` says of voice notes, and what is wrong with their settings."""

import sys
from typing import Any

import pytest

from bot.config import Config
from bot.config.exposure import find_unencrypted_addresses
from bot.core.findings import CheckFinding
from bot.core.texts import setting_values
from bot.ops.checks import texts
from bot.ops.checks.servers import check_voice
from tests.stand_ins.transcriptions import API_KEY, Fault, TranscriptionStandIn


async def found(**voice: Any) -> tuple[str, str] | None:
    """Return the state and the text of the finding; None if there is none."""
    findings: list[CheckFinding] = await check_voice(Config.model_validate({"voice": voice}))
    return next(((str(each.state), each.text) for each in findings), None)


async def test_without_a_transcriber_nothing_is_said() -> None:
    assert await found() is None


async def test_a_server_is_asked_for_the_words_of_silence() -> None:
    async with TranscriptionStandIn() as server:
        said = await found(base_url=server.base_url, api_key=API_KEY)
    assert said == ("ok", texts.VOICE_THERE(model="whisper-1"))
    assert [call.file_name for call in server.calls] == ["voice.wav"]


async def test_a_wrong_key_is_wrong_and_a_passing_fault_a_warning() -> None:
    async with TranscriptionStandIn() as server:
        level, text = await found(base_url=server.base_url, api_key="sk-wrong") or ("", "")
        server.faults.append(Fault(status=429, headers={"retry-after": "60"}))
        later = await found(base_url=server.base_url, api_key=API_KEY)
    assert level == "wrong"
    assert "sk-wrong" not in text
    assert later
    assert later[0] == "warning"


async def test_a_command_must_exist() -> None:
    assert await found(command=[sys.executable, "{file}"]) == ("ok", texts.VOICE_COMMAND_THERE(command=sys.executable))
    gone = "/nowhere/whisper"
    assert await found(command=[gone, "{file}"]) == ("wrong", texts.NO_VOICE_COMMAND(command=gone))


@pytest.mark.parametrize(
    ("voice", "problem"),
    [
        ({"base_url": "https://voice.example/v1", "command": ["x", "{file}"]}, setting_values.SERVER_AND_COMMAND),
        ({"command": ["{file}"]}, setting_values.NO_PLACE_FOR_FILE(placeholder="{file}")),
        ({"command": ["whisper-cli", "-f"]}, setting_values.NO_PLACE_FOR_FILE(placeholder="{file}")),
    ],
)
def test_an_unclear_choice_is_refused(voice: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match="voice") as error:
        Config.model_validate({"voice": voice})
    assert problem in str(error.value)


def test_recordings_sent_without_encryption_are_told() -> None:
    config = Config.model_validate({"voice": {"base_url": "http://voice.example/v1"}})
    assert [*find_unencrypted_addresses(config)] == [("voice.base_url", "http://voice.example/v1")]
