"""The operator's time zone, which decides when a day begins."""

import os
from contextlib import suppress
from datetime import datetime, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

LOCAL_TIME_ZONE_FILE = Path("/etc/localtime")


def resolve_time_zone(name: str | None) -> tzinfo:
    """Return the zone of that name, or else the machine's. Prefer named zones: only they have daylight saving time."""
    named = name or os.environ.get("TZ") or str(LOCAL_TIME_ZONE_FILE.resolve())
    with suppress(ValueError, OSError, KeyError):
        return ZoneInfo(named.lstrip(":").rpartition("/zoneinfo/")[2])
    return datetime.now().astimezone().tzinfo or ZoneInfo("UTC")
