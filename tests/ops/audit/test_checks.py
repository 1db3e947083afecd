"""Each check of the audit: something is broken, its id is reported, and after `--fix` or by hand it is gone."""

from pathlib import Path

import pytest

from bot.ops.audit.check_list import CHECKS
from tests.ops.audit.audited_place import AuditedPlace
from tests.ops.audit.breaks import BREAKS, Break

CHECKS_BY_ID = {check.id: check for check in CHECKS}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AuditedPlace:
    monkeypatch.setenv("HOME", str(tmp_path / "at/home"))  # back-ups in it are looked at
    return AuditedPlace(tmp_path / "at")


def test_of_a_place_without_faults_nothing_is_reported(place: AuditedPlace) -> None:
    assert place.findings() == {}


def test_there_are_many_checks_and_each_is_broken_here() -> None:
    assert len(CHECKS) == len(CHECKS_BY_ID) >= 25
    assert {each.id for each in BREAKS} == CHECKS_BY_ID.keys()


@pytest.mark.parametrize("case", BREAKS, ids=str)
def test_what_is_broken_is_reported_and_what_is_mended_is_not(place: AuditedPlace, case: Break) -> None:
    undo = case.break_it(place)
    found = place.findings()
    assert found.keys() == {case.id, *case.also}
    check = CHECKS_BY_ID[case.id]
    assert {each.state for each in found[case.id]} == {check.state}
    assert all(each.text.startswith(f"{case.id} ") and each.remedy for each in found[case.id])
    assert check.has_fix or not any(each.apply_fix for each in found[case.id])
    if case.is_mended_by_fix:
        before = sorted(place.folder.rglob("*"))
        place.fix()
        assert sorted(place.folder.rglob("*")) == before, "--fix deletes and makes nothing"
        assert case.id not in place.reported()
    if undo:
        undo()
    assert place.findings() == {}


def test_exactly_the_checks_that_say_so_are_mended_by_fix() -> None:
    mended = {each.id for each in BREAKS if each.is_mended_by_fix}
    assert mended == {check.id for check in CHECKS if check.has_fix}
