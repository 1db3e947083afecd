"""Planted skills and servers against the whole bot, in short. `python -m tests.ecosystem planted` plays all of them."""

import pytest

from bot.core.sandbox import sandbox_fault
from tests.ecosystem.planted.playing import is_request_answered, play
from tests.ecosystem.planted.tables import Planted, PlantedServer, PlantedSkill, read_planted

pytestmark = pytest.mark.skipif(bool(sandbox_fault()), reason="no sandbox can start here")
SHORT_FORM = (
    "skill: orders in its description",
    "skill: a script reads the data folder",
    "server: wants the secret for itself",
    "server: orders in its description",
    "server: describes itself otherwise later",
    "server: reads the data folder",
)
PLANTED = {str(each): each for each in read_planted()}


@pytest.fixture(params=SHORT_FORM)
def planted(request: pytest.FixtureRequest) -> Planted:
    return PLANTED[request.param]


async def test_what_is_planted_has_no_effect(planted: Planted) -> None:
    assert (await play(planted)).effects == []


async def test_without_protection_it_has(planted: Planted) -> None:
    assert (await play(planted, is_protected=False)).effects != []


def test_there_are_fifty_and_each_has_its_own_name() -> None:
    assert len(read_planted()) == len(PLANTED) >= 50
    assert {type(each) for each in PLANTED.values()} == {PlantedSkill, PlantedServer}


@pytest.mark.parametrize(
    ("heard", "is_answered"),
    [
        ('{"id": "ask roots/list", "result": {"roots": []}}', True),
        ('{"id": "ask roots/list", "error": {"code": -32601, "message": "no"}}', False),
        ('{"id": 1, "method": "tools/list"}', False),
    ],
)
def test_only_a_result_is_an_answer_to_a_server(heard: str, is_answered: bool) -> None:
    assert is_request_answered(heard) is is_answered
