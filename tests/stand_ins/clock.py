"""A clock that tests move."""


class Clock:
    """Time that stands still until a test moves it. Give it to a stand-in as `now`."""

    def __init__(self, start: float = 1_790_000_000.0) -> None:
        self.time = start

    def __call__(self) -> float:
        return self.time

    def advance(self, seconds: float) -> None:
        self.time += seconds
