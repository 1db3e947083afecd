"""The terminal as a channel: a `Terminal` talks to one person, through a `Screen` or, without one, a `LineFace`."""
