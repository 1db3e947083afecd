"""The engine: what comes in is taken in, turns are run side by side, and what is said goes out. Start at `agent.py`."""
