"""Compare the calculator of schedules with the walker, in every time zone with jumps of the clock.

python -m tests.schedules                 ten years
python -m tests.schedules 1990 2037       these years
"""

import sys
import zoneinfo

from tests.schedules.comparison import differences


def main(first_year: int = 2022, last_year: int = 2031) -> int:
    found = [
        line for name in sorted(zoneinfo.available_timezones()) for line in differences(name, first_year, last_year)
    ]
    print(*found, f"{len(found)} differences in {len(zoneinfo.available_timezones())} zones", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
