"""Findings of `retinue doctor`: what was checked, whether it is right, and how to fix it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class CheckState(StrEnum):
    OK = "ok"
    WARNING = "warning"  # it works, and an operator should know
    WRONG = "wrong"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckFinding:
    state: CheckState
    text: str
    remedy: str = ""
    apply_fix: Callable[[], None] | None = None  # what `doctor --fix` does; may raise OSError

    def __str__(self) -> str:
        line = f"{self.state:<8} {self.text}" + (f" → {self.remedy}" if self.remedy else "")
        return " ".join(line.split("\n"))


def ok_finding(text: str) -> CheckFinding:
    return CheckFinding(state=CheckState.OK, text=text)


def warning_finding(text: str, remedy: str, apply_fix: Callable[[], None] | None = None) -> CheckFinding:
    return CheckFinding(state=CheckState.WARNING, text=text, remedy=remedy, apply_fix=apply_fix)


def wrong_finding(text: str, remedy: str, apply_fix: Callable[[], None] | None = None) -> CheckFinding:
    return CheckFinding(state=CheckState.WRONG, text=text, remedy=remedy, apply_fix=apply_fix)
