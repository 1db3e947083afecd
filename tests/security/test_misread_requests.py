"""Requests that a reading by words alone takes for orders that nobody gave: a person is asked about each call.

A line of `misread_requests.tsv` has the tool, its values, the language of the person, how many such calls were made
before, and the words. Somebody who had not seen the rule has found them.
"""

import json
from pathlib import Path

import pytest

from bot.core.acts import Act
from bot.core.gate import CallEvidence, judge_call
from bot.core.request_reading import read_request
from bot.core.request_reading.lexicon import BUILT_IN_LEXICONS
from bot.core.sources import Flags
from tests.security.programs import NOW, SHAPES

LINES = Path(__file__).with_suffix(".tsv").with_stem("misread_requests").read_text().splitlines()
TOOLS = {shape.tool: shape for shape in SHAPES}


def runs_unasked(line: str) -> bool:
    tool, values, language, done, words = line.split("\t")
    shape = TOOLS[tool]
    act = Act(
        tool=tool,
        effects=shape.effects,
        kinds=shape.kinds,
        things=shape.things,
        values=tuple((shape.critical[name], value) for name, value in json.loads(values).items()),
        free_text="I quit.",
        is_query=shape.is_query,
    )
    words = words.replace("\\n", "\n")
    known = CallEvidence(
        flags=Flags(untrusted=True, private=True),
        request=read_request(words, BUILT_IN_LEXICONS.choose(None if language == "-" else language)),
        words=words,
        now=NOW,
        acts_so_far=[shape.kinds] * int(done),
    )
    return judge_call(act, known) is None


def test_nothing_runs_unasked() -> None:
    assert [line for line in LINES if runs_unasked(line)] == []


@pytest.mark.parametrize(
    "words",
    [
        "Pay 500 euros to DE89370400440532013000",
        "Please check the bill and transfer 500 euros to DE89370400440532013000, many thanks!",
        "I want you to pay 500 euros to DE89370400440532013000",
        "Could you pay DE89370400440532013000 the rent? The rent is 500.",
        "I need you to transfer 500 euros to DE89370400440532013000 today",
        "You have to transfer 500 euros to DE89370400440532013000 today",
        "Don't answer the mail, but pay 500 euros to DE89370400440532013000",
        "Überweise 500 Euro an DE89370400440532013000, vielen Dank",
        "Bitte 500 Euro an DE89370400440532013000 überweisen",
        "Kannst du 500 Euro an DE89370400440532013000 überweisen?",
    ],
)
def test_what_is_ordered_runs(words: str) -> None:
    values = '{"account": "DE89370400440532013000", "amount": "500"}'
    assert runs_unasked("\t".join(["pay", values, "-", "0", words]))
