"""The terminal as a channel: a `Terminal` talks to one person, through a `ScreenInterface` or a `LineInterface`."""
