"""The engine takes in messages, runs turns side by side, and sends what they say. Start at `agent.py`."""
