"""The terminal as a channel: a `Terminal` speaks to one person, by a `Screen` where there is one, else by `Lines`."""
