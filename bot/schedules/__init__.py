"""When a schedule is due: pure functions of its rule, its time zone and the time. No rows and no tasks are here."""
