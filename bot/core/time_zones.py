"""Time zones by name."""

import zoneinfo
from datetime import tzinfo
from difflib import get_close_matches
from functools import lru_cache
from zoneinfo import ZoneInfo

MAX_SUGGESTED_ZONES = 3
MAX_ZONE_NAME_CHARACTERS = 60
MAX_CACHED_ZONES = 64


@lru_cache(MAX_CACHED_ZONES)
def find_zone(name: str) -> ZoneInfo | None:
    """Return the zone of exactly that name; None if there is none."""
    try:
        return ZoneInfo(name) if name and len(name) <= MAX_ZONE_NAME_CHARACTERS else None
    except (ValueError, OSError, KeyError):  # a folder of zones, such as "Europe", is an OSError
        return None


def find_zone_as_typed(name: str) -> ZoneInfo | None:
    """Return the zone that a person means, in any case and with spaces, or by its city alone if only one has it."""
    wanted = name.strip().replace(" ", "_").casefold()
    names = zoneinfo.available_timezones()
    exact = [each for each in names if each.casefold() == wanted]
    of_city = [each for each in names if each.rpartition("/")[2].casefold() == wanted and "/" in each]
    found = exact or (of_city if len(of_city) == 1 else [])
    return find_zone(found[0]) if found else None


def suggest_zones(name: str) -> list[str]:
    """Return names that look like this one, the most alike first."""
    wanted = name.strip().replace(" ", "_").casefold()[:MAX_ZONE_NAME_CHARACTERS]
    by_word: dict[str, list[str]] = {}
    for each in sorted(zoneinfo.available_timezones()):
        for word in {each.casefold(), each.rpartition("/")[2].casefold()}:
            by_word.setdefault(word, []).append(each)
    close = get_close_matches(wanted, by_word, n=MAX_SUGGESTED_ZONES, cutoff=0.7)
    return list(dict.fromkeys(each for word in close for each in by_word[word]))[:MAX_SUGGESTED_ZONES]


def zone_name(zone: tzinfo) -> str:
    """Return the name of a zone, also of one that is only an offset."""
    return str(zone)
