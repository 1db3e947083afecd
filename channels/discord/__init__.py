"""Discord as a channel: read `channel.py` first. Import it only where Discord is used: it imports the library."""
