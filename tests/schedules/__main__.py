"""Compare schedules with the walker in every time zone, and let years of them pass through the scheduler.

python -m tests.schedules                 ten years: the calculator in all zones, then the scheduler in three zones
python -m tests.schedules 1990 2037       these years
"""

import asyncio
import random
import sys
import tempfile
import zoneinfo
from pathlib import Path

from tests.schedules.comparison import differences
from tests.schedules.scheduled_years import ZONES, first_of_year, live_through


def main(first_year: int = 2022, last_year: int = 2031) -> int:
    zones = sorted(zoneinfo.available_timezones())
    found = [line for name in zones for line in differences(name, first_year, last_year)]
    print(*found, f"{len(found)} differences in {len(zones)} zones", sep="\n")
    with tempfile.TemporaryDirectory() as folder:
        begin, end = first_of_year(first_year), first_of_year(last_year + 1)
        wrong = asyncio.run(live_through(Path(folder), begin, end, random.Random(first_year)))
    print(*wrong, f"{len(wrong)} faults of the scheduler in {len(ZONES)} zones", sep="\n")
    return 1 if found or wrong else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
