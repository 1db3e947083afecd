"""Discord: `channel.py` is the channel itself, and the first to read; the library behind it is imported only there."""
