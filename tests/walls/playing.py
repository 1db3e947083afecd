"""Try it all: who tries to reach whose, and what has come of it."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from bot.assembly import no_tools
from bot.core.rights import Right
from bot.engine.schedule_conditions import ABSENT
from tests.support.walled_groups import SHELL
from tests.walls.attempts import (
    CHANGING,
    WATCHING,
    Attempt,
    attempts_by_commands,
    attempts_by_tools,
    controls,
    place_links,
)
from tests.walls.world import (
    ALPHA,
    ALPHA_BY_MAIN,
    ANN,
    ANN_IN_HALL,
    BETA,
    BOB,
    BOB_IN_HALL,
    GUEST,
    HELPER,
    OWNER,
    Place,
    Thing,
    World,
)

# Who tries to reach whose things
PAIRS = (
    (BOB, ANN),
    (BOB_IN_HALL, ANN_IN_HALL),
    (GUEST, OWNER),
    (ANN, OWNER),
    (OWNER, GUEST),
    (ALPHA, BETA),
    (ALPHA_BY_MAIN, BETA),
    (ALPHA, OWNER),
    (BETA, ANN),
    (GUEST, ANN),
    (BOB_IN_HALL, ANN),
)


RIGHTS_OF_WAYS = {"conversation_search": Right.MEMORY, "schedule_create": Right.SCHEDULE, "shell": Right.SHELL}
Key = tuple[str, str]  # a tool or a command, and the kind of thing


@dataclass
class Outcome:
    """What one actor has tried at one victim, and what the victim itself has reached in the same ways."""

    tried: Counter[Key] = field(default_factory=Counter)
    reached: list[str] = field(default_factory=list)
    controls: dict[Key, bool] = field(default_factory=dict)
    excused: set[str] = field(default_factory=set)  # tools that the victim may not use itself
    sights: dict[Key, str] = field(default_factory=dict)  # what the victim's own conditions have seen

    @property
    def faults(self) -> list[str]:
        """Return the attempts that have succeeded, and those of which nobody knows that they could."""
        failed = [key for key in self.tried if not (self.controls.get(key) or key[0] in self.excused)]
        return [*self.reached, *(f"{way} does not reach the {kind} of its own place" for way, kind in failed)]


def key_of(attempt: Attempt) -> Key:
    return attempt.way, attempt.thing.kind


async def try_all(world: World, actor: Place, victim: Place, most_guesses: int | None = None) -> Outcome:
    """Let an actor try to reach a victim's things, by itself, through a role, and by commands. Then let the victim
    reach them in the same ways."""
    outcome = Outcome()
    await world.plant()
    place_links(world, actor)
    things = world.list_things(victim)
    outcome.excused = {way for way, right in RIGHTS_OF_WAYS.items() if right not in victim.rights}
    outcome.excused |= {"shell"} if SHELL is no_tools else set()
    own = [each for each in controls(things) if each.way not in outcome.excused]
    await watch_own(world, outcome, [each for each in own if each.way == WATCHING])
    for by_role in ("", HELPER) if Right.DELEGATE in actor.rights else ("",):
        await try_tools(world, outcome, actor, things, by_role, most_guesses)
    await try_commands(world, outcome, actor, things)
    await read_own(world, outcome, [each for each in own if each.way not in (WATCHING, *CHANGING)])
    await command_own(world, outcome, things)
    await change_own(world, outcome, [each for each in own if each.way in CHANGING])
    return outcome


async def try_tools(
    world: World, outcome: Outcome, actor: Place, things: Sequence[Thing], by_role: str, most_guesses: int | None
) -> None:
    """Have the model of a place make all these calls at once, and note which of them have reached anything."""
    attempts, before = list(attempts_by_tools(world, actor, things, most_guesses)), world.snapshot()
    results = await world.calls(actor, [each.call for each in attempts if each.call], by_role)
    for attempt, result in zip(attempts, results, strict=True):
        outcome.tried[key_of(attempt)] += 1
        seen = outcome.sights.get(key_of(attempt), "") if attempt.way == WATCHING else ""
        if attempt.thing.secret in result or (seen and attempt.call and world.sight_of(attempt.call) == seen):
            outcome.reached.append(f"{attempt} has read: {result[:200]}")
    note_changes(world, outcome, actor, before)


async def try_commands(world: World, outcome: Outcome, actor: Place, things: Sequence[Thing]) -> None:
    attempts, before = list(attempts_by_commands(things, actor)), world.snapshot()
    answers = await world.commands(actor, [each.text for each in attempts])
    for attempt, answer in zip(attempts, answers, strict=True):
        outcome.tried[key_of(attempt)] += 1
        if attempt.thing.secret in answer:
            outcome.reached.append(f"{attempt} has read: {answer[:200]}")
    note_changes(world, outcome, actor, before)


def note_changes(world: World, outcome: Outcome, actor: Place, before: dict[tuple[str, str], object]) -> None:
    """Note what of others has changed, and each secret of others that was said at the actor's place."""
    after, told = world.snapshot(), " ".join(world.texts_at(actor))
    for (name, kind), thing in world.things.items():
        if name == actor.name:
            continue
        if after[name, kind] != before[name, kind]:
            outcome.reached.append(f"the {kind} of {name} was {before[name, kind]}, and is {after[name, kind]}")
        if thing.secret in told and thing.place.chat != actor.chat:
            outcome.reached.append(f"{actor.name} was told the {kind} of {name}")


# What the victims do themselves


async def watch_own(world: World, outcome: Outcome, own: Sequence[Attempt]) -> None:
    """Let a place watch its own things, and note what it sees there."""
    for attempt in own:
        assert attempt.call
        await world.calls(attempt.thing.place, [attempt.call])
        outcome.sights[key_of(attempt)] = world.sight_of(attempt.call)
        outcome.controls[key_of(attempt)] = outcome.sights[key_of(attempt)] not in ("", ABSENT)


async def read_own(world: World, outcome: Outcome, own: Sequence[Attempt]) -> None:
    results = await world.calls(own[0].thing.place, [each.call for each in own if each.call]) if own else []
    for attempt, result in zip(own, results, strict=True):
        outcome.controls[key_of(attempt)] = attempt.thing.secret in result


async def change_own(world: World, outcome: Outcome, own: Sequence[Attempt]) -> None:
    """Let a place change its own things: each time all of them, each in another way."""
    ways = defaultdict[str, list[Attempt]](list)
    for attempt in own:
        ways[attempt.thing.kind].append(attempt)
    for wave in zip_longest(*ways.values()):
        attempts, before = [each for each in wave if each], world.snapshot()
        await world.calls(attempts[0].thing.place, [each.call for each in attempts if each.call])
        for each in attempts:
            key = each.thing.place.name, each.thing.kind
            outcome.controls[key_of(each)] = world.state_of(each.thing) != before[key]


async def command_own(world: World, outcome: Outcome, things: Sequence[Thing]) -> None:
    """Let a place give the commands about its own things. Of several words for one command it is enough that one of
    them does something."""
    for attempt in attempts_by_commands(things):
        if not outcome.controls.get(key_of(attempt)):
            before = world.state_of(attempt.thing)
            [answer] = await world.commands(attempt.thing.place, [attempt.text])
            is_reached = attempt.thing.secret in answer or world.state_of(attempt.thing) != before
            outcome.controls[key_of(attempt)] = is_reached
