"""Words of an attacker that travel through the whole bot, in short.

`python -m tests.security.chains` plays 10,000 chains of carriers. `python -m tests.security.chains weakened` weakens
each rule that such chains go against.
"""

from collections import Counter
from pathlib import Path

import pytest

from tests.security.chains.acts import ACTS, REUSE_FILE, REUSE_MADE, Act
from tests.security.chains.arrivals import ARRIVALS, GROUP_CHAT, MAIN, PRIVATE
from tests.security.chains.moves import MOVES
from tests.security.chains.playing import Outcome, play, shrink
from tests.security.chains.program import SAVE_ANYWHERE, Carried, Chain, make_chain
from tests.security.chains.weakened import ROOT, WEAKENED, Weakening, find_with

SHORT, LATER = range(20), range(20, 60)
FOUND_QUICKLY = ("a schedule is made of nothing", "a yes counts in other groups")
OVERWRITE = next(act for act in ACTS if act.name == "overwrite a file")


def chain(
    place: str, arrival: str, *moves: str, act: Act = OVERWRITE, wish: str = "", has_memories: bool = True
) -> Chain:
    by_name = {each.name: each for each in MOVES}
    made = Chain(
        place=place,
        arrival=next(each for each in ARRIVALS if each.name == arrival),
        moves=tuple(Carried(move=by_name[name], is_anew=by_name[name].begins_anew) for name in moves),
        act=act,
        wish=wish,
        reads_private=False,
        has_memories=has_memories,
    )
    assert made.is_possible()
    return made


WERE_HOLES = (
    chain(PRIVATE, "forward", "name of a role"),
    chain(PRIVATE, "name of a file, in an error"),
    chain(PRIVATE, "name of a file, in an error of sending"),
    chain(GROUP_CHAT, "memory that a member has had saved"),
    chain(GROUP_CHAT, "memory of a member, searched", has_memories=False),
    chain(MAIN, "file", "question to another group", act=REUSE_FILE),
    chain(MAIN, "file", "question to another group", act=REUSE_MADE, wish=SAVE_ANYWHERE),
)


async def outcomes(numbers: range, place: Path) -> Counter[Outcome]:
    folders = {number: place / str(number) for number in numbers}
    for folder in folders.values():
        folder.mkdir()
    return Counter([(await play(make_chain(number), folder)).outcome for number, folder in folders.items()])


@pytest.mark.fast
async def test_no_chain_ends_in_the_act_of_the_attacker(tmp_path: Path) -> None:
    found = await outcomes(SHORT, tmp_path)
    assert found[Outcome.HOLE] == 0
    assert found[Outcome.ASKED] + found[Outcome.REFUSED] > len(SHORT) / 2, "most chains must come to their end"


@pytest.mark.timeout(120)
async def test_no_further_chain_does(tmp_path: Path) -> None:
    assert (await outcomes(LATER, tmp_path))[Outcome.HOLE] == 0


@pytest.mark.fast(cases=len(WERE_HOLES))
@pytest.mark.parametrize("once", WERE_HOLES, ids=str)
async def test_what_was_a_hole_is_none(once: Chain, tmp_path: Path) -> None:
    assert (await play(once, tmp_path)).outcome is not Outcome.HOLE


async def test_with_the_gate_open_a_chain_is_a_hole_and_shrinks_to_its_arrival(tmp_path: Path) -> None:
    numbers = iter(range(100))

    def make_folder() -> Path:
        folder = tmp_path / str(next(numbers))
        folder.mkdir()
        return folder

    long = chain(PRIVATE, "quote", "brief", "report", "summary", wish="Reply to it.")
    assert (await play(long, make_folder(), is_gate_open=True)).outcome is Outcome.HOLE
    short = await shrink(long, make_folder, is_gate_open=True)
    assert str(short) == "private chat: quote → overwrite a file"


def test_a_number_is_always_the_same_chain() -> None:
    assert str(make_chain(7)) == str(make_chain(7)) != str(make_chain(8))


def test_every_carrier_and_act_is_drawn() -> None:
    drawn = [make_chain(number) for number in range(4_000)]
    assert {each.arrival.name for each in drawn} == {each.name for each in ARRIVALS}
    assert {carried.move.name for each in drawn for carried in each.moves} == {each.name for each in MOVES}
    assert {each.act.name for each in drawn} >= {each.name for each in ACTS}
    assert {len(each.moves) for each in drawn} == {0, 1, 2, 3}


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "weakened", [each for each in WEAKENED if each.name in FOUND_QUICKLY], ids=lambda each: each.name
)
def test_a_weakened_rule_of_flow_is_found(weakened: Weakening) -> None:
    done = find_with(weakened)
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_weakening_still_finds_its_place(tmp_path: Path) -> None:
    for each in WEAKENED:
        copy = tmp_path / each.path
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text((ROOT / each.path).read_text())
        each.apply(tmp_path)
        compile(copy.read_text(), each.path, "exec")
