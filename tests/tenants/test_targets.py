"""The table of what tenants may run on."""

import subprocess
import sys

import pytest

from bot.tenants.targets import TARGET_NAMES, make_target


@pytest.mark.parametrize("name", TARGET_NAMES)
def test_a_target_goes_by_its_name_in_the_table(name: str) -> None:
    assert type(make_target(name)).__name__.lower() == name


def test_only_the_target_that_is_asked_for_is_imported() -> None:
    look = (
        "import sys; from bot.tenants.targets import make_target; make_target('compose');"
        " assert not {*others} & {*sys.modules}"
    )
    others = [f"bot.tenants.targets.{name}" for name in TARGET_NAMES if name != "compose"]
    subprocess.run([sys.executable, "-c", look.replace("{*others}", str(set(others)))], check=True)
