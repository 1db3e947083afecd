"""Telegram as a channel: read `channel.py` first. It imports the library, and `platform.py` does not."""
