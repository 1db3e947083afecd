"""The scenarios of simulated runs: crowds that do what the seed says, and the plots of the rig."""

from collections.abc import Callable
from typing import Any

from tests.rig.arrivals import ARRIVALS
from tests.rig.costs import COSTLY
from tests.rig.held import HELD
from tests.rig.people import SCENARIOS
from tests.rig.persons import PERSONS
from tests.rig.planning import PLANNED
from tests.rig.threads import THREADS
from tests.simulation.asked import ASKED, ASKED_ADDRESSES, asked_people, asked_settings
from tests.simulation.choices import Choices
from tests.simulation.crowd import ADDRESSES, CROWD, HOSTILE, Crowd, hostile_crowd
from tests.simulation.kin import KIN, KIN_ADDRESSES, kin, kin_settings
from tests.simulation.planners import PLANNERS, planners, planners_settings
from tests.simulation.town import TOWN, TOWN_ADDRESSES, VILLAGE, VILLAGE_ADDRESSES, townspeople, villagers
from tests.simulation.wary import WARY, wary_people, wary_settings

HEAVY = ("many", "several")  # scenarios that take a second: one run in ten has one of these
NEWER = (*ARRIVALS, *COSTLY, *HELD, *THREADS, *PLANNED, *PERSONS)  # plots of the rig which take a second
NEWER_AS_OFTEN = (
    *[WARY] * 16,
    *[ASKED] * 16,
    *[PLANNERS] * 8,
    *["costly_stop"] * 3,
    "threads",
    *NEWER,
    *[*ARRIVALS] * 5,
)
CROWDS: dict[str, tuple[tuple[str, ...], Callable[..., Crowd]]] = {
    CROWD: (ADDRESSES, Crowd),
    HOSTILE: (ADDRESSES, hostile_crowd),
    WARY: (ADDRESSES, wary_people),
    ASKED: (ASKED_ADDRESSES, asked_people),
    PLANNERS: (ADDRESSES, planners),
    KIN: (KIN_ADDRESSES, kin),
    TOWN: (TOWN_ADDRESSES, townspeople),
    VILLAGE: (VILLAGE_ADDRESSES, villagers),
}
SETTINGS_OF_CROWDS: dict[str, Callable[[Choices], dict[str, Any]]] = {  # of a scenario, besides those of all crowds
    WARY: wary_settings,
    ASKED: asked_settings,
    PLANNERS: planners_settings,
    KIN: kin_settings,
}


def choose_scenario(choices: Choices) -> str:
    """Return a scenario. Most have people who do what the seed says, others one of the rig's plots."""
    if (kind := choices.pick("kind of scenario", 20)) >= 5:
        if kind == 16:
            return choices.among("a newer scenario", NEWER_AS_OFTEN)
        return HOSTILE if kind >= 17 else CROWD
    heavy = choices.happens("a long scenario", 0.03)
    older = [name for name in SCENARIOS if name not in NEWER]
    return choices.among("scenario", [name for name in older if (name in HEAVY) == heavy])
